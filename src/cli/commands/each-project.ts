/** How commands of the command line run over several projects. The module that does it is loaded only then. */

import { isOfSeveral } from '../line/options.ts';
import type { Execute } from '../session/session.ts';
import type { Running } from '../project/over-projects.ts';

/** `execute` runs in one project, or in each of several, whose reports are then one. */
export function eachProject(how: Running, execute: Execute): Execute {
  return async (session) =>
    isOfSeveral(session.options)
      ? (await import('../project/over-projects.ts')).overProjects(session, execute, how)
      : execute(session);
}
