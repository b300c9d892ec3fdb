/** `export` of several projects: the first as new manifests, and of each other what differs from these, as overlays and `only_in`. */

import { exportFlags } from './export.ts';
import type { ExitCode } from '../line/exit.ts';
import type { ExportCommandOptions } from '../manifests/export-read.ts';
import type { Session } from '../session/session.ts';
import { openSeveral, reportAll, type Running } from '../project/over-projects.ts';

const EXPORTING: Running = { command: 'export', oneByOne: true };

export async function exportProjects(session: Session, options: ExportCommandOptions): Promise<ExitCode> {
  const several = await openSeveral(session);
  const [first] = several.projects;
  const { force: _force, ...rest } = options;
  const ran = await several.run(
    async (one, project) =>
      exportFlags(one, project === first || options.unmanaged === true ? options : { ...rest, merge: true }),
    EXPORTING,
  );
  return reportAll(session, ran, EXPORTING);
}
