/** `flagwright parity`: finds where projects differ although no manifest declares the difference. */

import { FlagwrightError } from '../../base/errors.ts';
import { defined } from '../../base/optional.ts';
import { quoted } from '../../base/wording.ts';
import type { Config, ProjectConfig } from '../../config/config.ts';
import { selectProject } from '../../config/select.ts';
import type { DesiredState } from '../../posthog/desired.ts';
import { declaredNames } from '../../posthog/families.ts';
import { declaredFamilies, joinSelections, listing, selectionOf } from '../../posthog/live-selection.ts';
import type { LiveState } from '../../posthog/live.ts';
import { compareProjects } from '../../posthog/parity/parity.ts';
import { withFoundNames } from '../../posthog/reading/found-names.ts';
import { readLiveState } from '../../posthog/reading/live-state.ts';
import type { ExitCode } from '../line/exit.ts';
import { checkLiveTargets } from '../project/check-targets.ts';
import { loadConfiguration, loadDesiredStates } from '../project/load-project.ts';
import { withProjects } from '../project/open-project.ts';
import { chooseProjects } from '../project/resolve-projects.ts';
import type { Session } from '../session/session.ts';

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
  const lives = options.live === true ? await readAll(session, projects, desired) : [];
  const sides = projects.map((project, index) => {
    const [own, live] = [desired[index] as DesiredState, lives[index]];
    return { project: withFoundNames(project, own, { live, shared: 'refuse' }), desired: own, ...defined({ live }) };
  });
  const keys = sides.flatMap((side) => [
    ...(side.live?.flags ?? []).map(({ key }) => key),
    ...declaredNames(side.desired),
  ]);
  if (options.target !== undefined)
    checkLiveTargets(options.target, keys, { project: projects.map(({ name }) => name).join(', ') });
  const compared = compareProjects(sides, { scope: config.scope, ...defined({ targets: options.target }) });
  await session.publish({
    kind: 'parity',
    parity: compared,
    source: options.live === true ? 'live' : 'manifests',
    withDeclared: options.declared === true || options.allFlags === true,
    ...(options.allFlags === true ? { withAlike: true } : {}),
  });
  return compared.rows.some(({ declared }) => !declared) ? 2 : 0;
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
      ? await chooseProjects(session, config)
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

async function readAll(
  session: Session,
  projects: readonly ProjectConfig[],
  desired: readonly DesiredState[],
): Promise<readonly LiveState[]> {
  const { roleAccess } = selectionOf({ flags: desired.flatMap(({ flags }) => flags) });
  const listed = listing(desired.flatMap(declaredFamilies));
  return withProjects(session, projects, (opened) =>
    Promise.all(
      opened.map(({ client }, index) => {
        const own = selectionOf({ ...desired[index], flags: [] });
        return readLiveState(client, { ...joinSelections([listed, own]), flags: {}, ...defined({ roleAccess }) });
      }),
    ),
  );
}
