/** Reads what an export writes: the live flags, which of them are wanted, their role access, and names of their ids. */

import { defined } from '../../base/optional.ts';
import type { Config, ProjectConfig } from '../../config/config.ts';
import { matchResources } from '../../engine/match.ts';
import { matchKeys } from '../../engine/scope.ts';
import { chooseAliases, findNameless, type Nameless } from '../../export/aliases.ts';
import type { ExportInput } from '../../export/export.ts';
import type { ServiceClient } from '../../posthog/client/client.ts';
import { ServiceError } from '../../posthog/client/errors.ts';
import type { DesiredState } from '../../posthog/desired.ts';
import { dependencyGraph } from '../../posthog/flag/dependencies.ts';
import type { Flag } from '../../posthog/flag/flag.ts';
import { wireOfAll } from '../../posthog/role-access/access.ts';
import { readOrganization } from '../../posthog/role-access/organization.ts';
import { readAccess } from '../../posthog/role-access/read.ts';
import { takeSnapshot } from '../../posthog/snapshot.ts';
import type { ExportOptions } from '../line/commands.ts';
import { checkLiveTargets } from './check-targets.ts';
import type { NewAliases } from './export-save.ts';

export interface ExportSource {
  readonly config: Config;
  readonly project: ProjectConfig;
  readonly client: ServiceClient;
  /** What the manifests declare; absent where that does not matter. */
  readonly desired?: DesiredState;
}

export interface ExportRead extends NewAliases {
  readonly input: ExportInput;
  /** Flags that manifests declare for other projects only. */
  readonly elsewhere: readonly Flag[];
}

export async function readForExport(source: ExportSource, options: ExportOptions): Promise<ExportRead> {
  const { project, client } = source;
  const live = await readLive(client, options.roleAccess === true);
  const { keys, elsewhere } = selectKeys(live.flags, source, options.target);
  const input: ExportInput = { ...live, names: project, ...(keys === undefined ? {} : { keys }) };
  return { input, elsewhere, ...(await findAliases(source, input, options)) };
}

/** Names for the ids that the configuration does not name. */
export async function findAliases(
  { config, project, client }: ExportSource,
  input: ExportInput,
  options: Pick<ExportOptions, 'aliases'>,
): Promise<NewAliases> {
  const chosen = input.flags.filter((flag) => flag.deleted !== true && input.keys?.has(flag.key) !== false);
  const nameless = options.aliases && config.file !== undefined ? findNameless(chosen, input) : NOBODY;
  const { cohorts, unread } = await nameCohorts(client, nameless.cohorts);
  const others = Object.values(config.projects).map(({ roles }) => roles);
  const aliases = chooseAliases({ ...nameless, cohorts }, project, others);
  return { aliases, ...(unread === undefined ? {} : { cohortsUnread: unread }) };
}

const NOBODY: Nameless = { cohorts: new Map(), roles: new Map() };

/** Role access costs one request per flag, so it is read only on demand. */
async function readLive(
  client: ServiceClient,
  withRoleAccess: boolean,
): Promise<Pick<ExportInput, 'flags' | 'roleAccess' | 'organization'>> {
  const flags = await client.listFlags();
  if (!withRoleAccess) return { flags, roleAccess: undefined };
  const [read, organization] = await Promise.all([
    Promise.all(flags.map(async (flag) => [String(flag.id), await readAccess(client, flag)] as const)),
    wireOfAll(flags) === 'levels' ? readOrganization(client) : undefined,
  ]);
  return { flags, roleAccess: Object.fromEntries(read), ...defined({ organization }) };
}

interface Selection {
  /** Absent: every flag. */
  readonly keys?: ReadonlySet<string>;
  readonly elsewhere: readonly Flag[];
}

function selectKeys(
  flags: readonly Flag[],
  { project, desired }: ExportSource,
  targets: readonly string[] | undefined,
): Selection {
  const targeted = targets === undefined ? undefined : withDependencies(flags, targets, project.name);
  if (desired === undefined) return { ...(targeted === undefined ? {} : { keys: targeted }), elsewhere: [] };
  const { unmanaged, namedElsewhere } = matchResources(
    desired.flags,
    takeSnapshot({ flags, roleAccess: {} }).flags,
    defined({ namedElsewhere: desired.namedElsewhere }),
  );
  const isTargeted = ({ key }: Flag): boolean => targeted?.has(key) !== false;
  return {
    keys: new Set(unmanaged.filter(isTargeted).map(({ key }) => key)),
    elsewhere: namedElsewhere.filter(isTargeted),
  };
}

/** As in a plan, a target brings the flags that it depends on. */
export function withDependencies(
  flags: readonly Flag[],
  targets: readonly string[],
  project: string,
): ReadonlySet<string> {
  const live = flags.filter(({ deleted }) => deleted !== true);
  checkLiveTargets(
    targets,
    live.map(({ key }) => key),
    { project },
  );
  const graph = dependencyGraph(live, takeSnapshot({ flags: live, roleAccess: {} }).flags);
  const selected = new Set(live.map(({ key }) => key).filter(matchKeys(targets)));
  for (const key of selected) {
    for (const dependency of graph.get(key)?.dependsOn ?? []) if (graph.has(dependency)) selected.add(dependency);
  }
  return selected;
}

/** A key that may not read cohorts still exports: the names that the service added to flags must do. */
async function nameCohorts(
  client: ServiceClient,
  nameless: Nameless['cohorts'],
): Promise<{ readonly cohorts: Nameless['cohorts']; readonly unread?: ServiceError }> {
  if (nameless.size === 0) return { cohorts: nameless };
  try {
    const names = new Map((await client.listCohorts()).map(({ id, name }) => [id, name ?? undefined]));
    return { cohorts: new Map([...nameless].map(([id, known]) => [id, names.get(id) ?? known])) };
  } catch (error) {
    if (error instanceof ServiceError && OPTIONAL_FAILURES.includes(error.failure.kind)) {
      return { cohorts: nameless, unread: error };
    }
    throw error;
  }
}

const OPTIONAL_FAILURES: readonly string[] = ['forbidden', 'not_found'];
