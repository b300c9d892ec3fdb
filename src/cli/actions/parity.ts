/** `flagwright parity`: finds where projects differ although no manifest declares the difference. */

import pLimit from 'p-limit';
import { FlagwrightError } from '../../base/errors.ts';
import { defined } from '../../base/optional.ts';
import { quoted } from '../../base/wording.ts';
import type { Config, ProjectConfig } from '../../config/config.ts';
import { selectProject } from '../../config/select.ts';
import type { DesiredState } from '../../posthog/desired.ts';
import { declaredNames } from '../../posthog/families.ts';
import { declaredFamilies, joinSelections, listing, selectionOf } from '../../posthog/live-selection.ts';
import type { LiveState } from '../../posthog/live.ts';
import { compareProjects, withUnread, type ParityProject } from '../../posthog/parity/parity.ts';
import { withFoundNames } from '../../posthog/reading/found-names.ts';
import { readLiveState } from '../../posthog/reading/live-state.ts';
import { escapeLine } from '../../report/escape.ts';
import type { UnreadProject } from '../../report/report.ts';
import { exitCodeOfError, exitCodeOfReads, type ExitCode } from '../line/exit.ts';
import { checkLiveTargets } from '../project/check-targets.ts';
import { loadConfiguration, loadDesiredStates } from '../project/load-project.ts';
import { MOST_AT_ONCE, sharePaces, withProject } from '../project/open-project.ts';
import { chooseRemoteProjects } from '../project/resolve-projects.ts';
import { toFlagwrightError } from '../session/failure.ts';
import { createProgress } from '../session/progress.ts';
import { labeled, type Session } from '../session/session.ts';

export interface ParityCommandOptions {
  readonly from?: string;
  readonly to?: string;
  readonly live?: boolean;
  readonly declared?: boolean;
  readonly allFlags?: boolean;
  readonly target?: readonly string[];
}

/** Exits with 2 if there is a difference that no manifest declares. */
export async function parity(session: Session, options: ParityCommandOptions): Promise<ExitCode> {
  const config = await loadConfiguration(session);
  const projects = await projectsToCompare(session, config, options);
  const desired = await loadDesiredStates(session, config, projects);
  const declared = projects.map((project, index) => ({ project, desired: desired[index] as DesiredState }));
  const all = options.live === true ? await readAll(session, declared) : declared.map((one) => withNames(one));
  const sides = all.flatMap((one) => ('error' in one ? [] : [one]));
  const unread = all.flatMap((one) => ('error' in one ? [one] : []));
  refuseToCompare(sides, unread);
  for (const { project, error } of unread)
    await session.print(labeled(session, 'error', `${project}: ${escapeLine(error.message)}`));
  const keys = sides.flatMap((side) => [
    ...(side.live?.flags ?? []).map(({ key }) => key),
    ...declaredNames(side.desired),
  ]);
  if (options.target !== undefined)
    checkLiveTargets(options.target, keys, { project: sides.map(({ project: { name } }) => name).join(', ') });
  const compared = compareProjects(sides, { scope: config.scope, ...defined({ targets: options.target }) });
  await session.publish({
    kind: 'parity',
    parity: withUnread(
      compared,
      projects.map(({ name }) => name),
    ),
    source: options.live === true ? 'live' : 'manifests',
    withDeclared: options.declared === true || options.allFlags === true,
    ...(options.allFlags === true ? { withAlike: true } : {}),
    ...(unread.length === 0 ? {} : { unread }),
  });
  const own = compared.rows.some((row) => !row.declared) ? 2 : 0;
  return exitCodeOfReads([own, ...unread.map(({ error }) => exitCodeOfError(error.code))]);
}

async function projectsToCompare(
  session: Session,
  config: Config,
  { from, to }: ParityCommandOptions,
): Promise<readonly ProjectConfig[]> {
  const { project: named, allProjects } = session.options;
  if ((from === undefined) !== (to === undefined)) {
    throw new FlagwrightError('usage', '--from and --to must be used together.', {
      remedy: 'Name both projects, or none to compare all projects of flagwright.yaml.',
    });
  }
  if (from !== undefined && (named !== undefined || allProjects === true)) {
    throw new FlagwrightError('usage', '--from and --to already name the projects.', {
      remedy: 'Remove them, or --project and --all-projects.',
    });
  }
  const projects =
    from === undefined || to === undefined
      ? await chooseRemoteProjects(session, config)
      : [selectProject(config, from), selectProject(config, to)];
  const [first, second] = projects;
  if (first !== undefined && second !== undefined && first !== second) return projects;
  const fewer =
    named === undefined ? 'the configuration has fewer than two' : `--project names only ${quoted(first?.name ?? '')}`;
  const why =
    first === undefined || second === undefined
      ? `parity compares projects, and ${fewer}.`
      : `--from and --to both name ${quoted(first.name)}.`;
  throw new FlagwrightError('usage', why, {
    remedy: 'Name two projects of flagwright.yaml, as -p staging,production.',
  });
}

interface Declared {
  readonly project: ProjectConfig;
  readonly desired: DesiredState;
}

function withNames({ project, desired }: Declared, live?: LiveState): ParityProject {
  return { project: withFoundNames(project, desired, { live, shared: 'refuse' }), desired, ...defined({ live }) };
}

/** What cannot be read in one project is a failure of that project alone. */
async function readAll(
  session: Session,
  projects: readonly Declared[],
): Promise<readonly (ParityProject | UnreadProject)[]> {
  const { roleAccess } = selectionOf({ flags: projects.flatMap(({ desired: { flags } }) => flags) });
  const listed = listing(projects.flatMap(({ desired }) => declaredFamilies(desired)));
  sharePaces(
    session,
    projects.map(({ project }) => project),
  );
  const limit = pLimit(MOST_AT_ONCE);
  const progress = createProgress(session);
  const read = async (declared: Declared): Promise<ParityProject> => {
    session.interrupts.checkpoint();
    const own = selectionOf({ ...declared.desired, flags: [] });
    const selection = { ...joinSelections([listed, own]), flags: {}, ...defined({ roleAccess }) };
    const opening = { project: declared.project, progress: { ...progress, end: () => undefined } };
    return withNames(declared, await withProject(session, opening, ({ client }) => readLiveState(client, selection)));
  };
  const failed = ({ project }: Declared, error: unknown): UnreadProject => ({
    project: project.name,
    error: toFlagwrightError(error),
  });
  const reading = projects.map((one) => limit(async () => read(one).catch((error: unknown) => failed(one, error))));
  return Promise.all(reading).finally(progress.end);
}

/** @throws {FlagwrightError} the gravest of the failures, if they leave fewer than two projects. */
function refuseToCompare(sides: readonly ParityProject[], unread: readonly UnreadProject[]): void {
  if (sides.length > 1 || unread.length === 0) return;
  const worst = exitCodeOfReads(unread.map(({ error }) => exitCodeOfError(error.code)));
  throw unread.find(({ error }) => exitCodeOfError(error.code) === worst)?.error;
}
