/** `flagwright refs`: where code reads flags, and which flags no code reads. */

import path from 'node:path';
import { defined } from '../../base/optional.ts';
import { keyGlob } from '../../base/key-glob.ts';
import type { Config } from '../../config/config.ts';
import { readLiveState } from '../../posthog/client/live-state.ts';
import type { LiveState } from '../../posthog/live.ts';
import { listing } from '../../posthog/wanted.ts';
import { findStandings, type FlagStanding } from '../../references/standing.ts';
import { judgeFlags } from '../../references/use.ts';
import { typeFlags } from '../../generate/typed-flag.ts';
import { withCheckout } from '../applied/checkout.ts';
import { knowCode } from '../code/know-code.ts';
import type { ExitCode } from '../line/exit.ts';
import { checkLiveTargets } from '../project/check-targets.ts';
import { loadConfiguration } from '../project/load-project.ts';
import { withProjects } from '../project/open-project.ts';
import { chooseProjects, readProjects, type ResolvedProject } from '../project/resolve-projects.ts';
import type { Session } from '../session/session.ts';

export interface RefsOptions {
  readonly commit?: string;
  readonly target?: readonly string[];
  /** Read the flags of the service too. */
  readonly live?: boolean;
  readonly check?: boolean;
}

/** Exits with 2 for `--check` and code that reads what is not there. */
export async function refs(session: Session, options: RefsOptions): Promise<ExitCode> {
  const config = await loadConfiguration(session, { offline: options.live !== true });
  const { projects } = await readProjects(session, config, await chooseProjects(session, config));
  const standings = findStandings(desiredOf(projects), options.live === true ? await readLive(session, projects) : []);
  const keys = standings.map(({ key }) => key);
  if (options.target !== undefined) checkLiveTargets(options.target, keys, { project: projectNames(projects) });
  const accessors = typeFlags(
    projects.map(({ project: { name }, resolution: { desired } }) => ({ name, desired })),
  ).map(({ key }) => key);
  const { code, top } = await withCheckout(session, config, (checkout) =>
    knowCode({ session, config, checkout }, { keys, accessors, ...defined({ commit: options.commit }) }),
  );
  session.places.root = top;
  const isWanted = options.target?.map(keyGlob) ?? [() => true];
  const flags = judgeFlags(
    standings.filter(({ key }) => isWanted.some((matches) => matches(key))).map((flag) => fromTop(flag, config, top)),
    code,
  );
  await session.publish({ kind: 'refs', code, flags, listed: options.target !== undefined });
  const isGone = flags.some(
    ({ standing, use }) => (standing === 'deleted' || standing === 'renamed') && use.verdict === 'read',
  );
  const isUnknown = code.repositories.some((one) => one.code.unknownReads.length > 0);
  return options.check === true && (isGone || isUnknown) ? 2 : 0;
}

function desiredOf(projects: readonly ResolvedProject[]): readonly ResolvedProject['resolution']['desired'][] {
  return projects.map(({ resolution: { desired } }) => desired);
}

function projectNames(projects: readonly ResolvedProject[]): string {
  return projects.map(({ project: { name } }) => name).join(', ');
}

function readLive(session: Session, projects: readonly ResolvedProject[]): Promise<readonly LiveState[]> {
  const configs = projects.map(({ project }) => project);
  return withProjects(session, configs, (opened) =>
    Promise.all(opened.map(({ client }) => readLiveState(client, { ...listing([]), flags: {} }))),
  );
}

/** Places in manifests are relative to the configuration, those in code to the top of the repository. */
function fromTop(flag: FlagStanding, { root }: Config, top: string): FlagStanding {
  if (flag.place === undefined || root === top) return flag;
  const file = path.relative(top, path.join(root, flag.place.file)).split(path.sep).join('/');
  return { ...flag, place: { ...flag.place, file } };
}
