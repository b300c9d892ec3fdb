/** The JSON of a run over several projects: the document of each, as a run over it alone prints it. */

import type { JsonObject } from '../../../base/json.ts';
import { defined } from '../../../base/optional.ts';
import { stateOfProject } from '../../model/project-states.ts';
import type { ReportOf } from '../../report.ts';
import { FORMAT_VERSION } from './seal.ts';

/** `documents`: in the order of the projects; none for a project that is held. */
export function projectsDocument(
  { command, projects }: ReportOf<'projects'>,
  documents: readonly (JsonObject | undefined)[],
): JsonObject {
  const members = projects.map((one, index): readonly [string, JsonObject] => [
    one.project,
    {
      state: stateOfProject(one),
      ...(one.kind === 'held' ? { held_by: one.by } : { exit: one.exit }),
      ...defined({ report: documents[index] }),
    },
  ]);
  return { format_version: FORMAT_VERSION, command, projects: Object.fromEntries(members) };
}
