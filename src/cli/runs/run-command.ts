/** Commands about recorded runs that a user can paste: they name the project, which may not be the default one, and the journal. */

import path from 'node:path';
import { shellWord } from '../../report/words/ways-out.ts';
import type { Session } from '../session/session.ts';

/** `flagwright undo -p staging`. */
export function runCommand(
  { context, places }: Pick<Session, 'context' | 'places'>,
  command: string,
  project: string,
): string {
  const folder = places.journal?.newRuns;
  const journal = folder === undefined ? [] : ['--journal', path.relative(context.cwd, folder) || '.'];
  return [`flagwright ${command}`, ...['-p', project, ...journal].map(shellWord)].join(' ');
}
