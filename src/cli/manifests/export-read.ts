/** Reads what an export writes: the live flags, which of them are exported, their role access, and names of their ids. */

import { arrayOrEmpty, objectOrEmpty } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import type { Config, ProjectConfig } from '../../config/config.ts';
import { matchResources } from '../../engine/match.ts';
import { matchKeys } from '../../engine/scope.ts';
import { chooseAliases, findNameless, type Nameless } from '../../export/aliases.ts';
import { cohortsUsedBy } from '../../export/cohorts.ts';
import type { ExportInput } from '../../export/export.ts';
import type { ServiceClient } from '../../posthog/service-client.ts';
import { ServiceError } from '../../posthog/client/service-error.ts';
import { dependencyGraph } from '../../posthog/flag/snapshot.ts';
import { withFoundNames } from '../../posthog/reading/found-names.ts';
import type { DesiredState } from '../../posthog/desired.ts';
import { listFeatures } from '../../posthog/early-access/write.ts';
import type { LiveFeature } from '../../posthog/early-access/feature.ts';
import type { Flag } from '../../posthog/flag/model/flag.ts';
import type { LiveState } from '../../posthog/live.ts';
import { type OnUnlisted, readSelectedAccess } from '../../posthog/role-access/read-selected.ts';
import { takeSnapshot } from '../../posthog/snapshot.ts';
import { checkLiveTargets } from '../project/check-targets.ts';
import type { NewAliases } from './export-save.ts';

export interface ExportCommandOptions {
  readonly dir: string;
  readonly groupBy: 'prefix' | 'flag' | 'single';
  readonly roleAccess?: boolean;
  readonly minimal?: boolean;
  readonly full?: boolean;
  readonly target?: readonly string[];
  /** Exports only flags that no manifest declares for the project. */
  readonly unmanaged?: boolean;
  /** Merges into the existing manifests. */
  readonly merge?: boolean;
  /** Names for ids are added to the configuration. */
  readonly aliases: boolean;
  /** The dynamic cohorts that the flags use are declared. */
  readonly cohorts: boolean;
  /** The early access features of the flags are declared. */
  readonly earlyAccess: boolean;
  readonly dryRun?: boolean;
  readonly force?: boolean;
}

export interface ExportSource {
  readonly config: Config;
  readonly project: ProjectConfig;
  readonly client: ServiceClient;
  /** The declared state; absent if it is not needed. */
  readonly desired?: DesiredState;
  /** The cohorts that manifests declare, where the export adds to them. */
  readonly declared?: Pick<DesiredState, 'cohorts'>;
  /** The aliases that manifests declare for any project: no other cohort gets one of them. */
  readonly declaredAliases?: ReadonlySet<string>;
  readonly onUnlisted?: OnUnlisted;
}

export interface ExportRead extends NewAliases {
  readonly input: ExportInput;
  /** Flags that manifests declare for other projects only. */
  readonly elsewhere: readonly Flag[];
}

export async function readForExport(source: ExportSource, options: ExportCommandOptions): Promise<ExportRead> {
  const { project, client, declared } = source;
  const flags = await client.listFlags();
  const { keys, elsewhere } = selectKeys(flags, source, options.target);
  const chosen: ExportInput = { flags, roleAccess: undefined, names: project, ...(keys === undefined ? {} : { keys }) };
  const selected = { ...chosen, ...(options.roleAccess === true ? await readAccessOf(source, chosen) : {}) };
  const { cohorts, unread } = await listUsed(source, selected, options);
  const names =
    declared === undefined
      ? project
      : withFoundNames(project, declared, { live: defined({ cohorts }), shared: 'refuse' });
  const features = options.earlyAccess && chosenFlags(selected).some(mayHaveFeature) ? await readFeatures(client) : {};
  const { earlyAccess } = features;
  const input: ExportInput = {
    ...selected,
    names,
    ...(options.cohorts ? defined({ cohorts }) : {}),
    ...defined({ earlyAccess }),
  };
  return {
    input,
    elsewhere,
    aliases: chooseNames({ ...source, project: names }, input, { cohorts, options }),
    ...unread,
    ...defined({ featuresUnread: features.unread }),
  };
}

/** Names for the ids that the configuration does not name, where manifests declare no cohort. */
export async function findAliases(
  source: ExportSource,
  input: ExportInput,
  options: AliasOptions,
): Promise<NewAliases> {
  const { cohorts, unread } = await listUsed(source, input, { ...options, cohorts: false });
  return { aliases: chooseNames(source, input, { cohorts, options }), ...unread };
}

type AliasOptions = Pick<ExportCommandOptions, 'aliases'>;

interface ListedCohorts {
  readonly cohorts: LiveState['cohorts'];
  readonly unread?: Pick<NewAliases, 'cohortsUnread'>;
}

/** Reads the list if an exported flag uses a cohort that gets a name, or that has one and is to be declared. */
async function listUsed(
  source: ExportSource,
  input: ExportInput,
  options: AliasOptions & Pick<ExportCommandOptions, 'cohorts'>,
): Promise<ListedCohorts> {
  const hasNames = Object.keys(source.project.cohorts).length > 0 || source.declared?.cohorts !== undefined;
  const isNamed = mayName(source, options);
  const isUsed = isNamed && findNameless(chosenFlags(input), input).cohorts.size > 0;
  const isDeclared =
    options.cohorts &&
    (isNamed || hasNames) &&
    chosenFlags(input).some((flag) => cohortsUsedBy(flag, new Map()).length > 0);
  return isUsed || isDeclared ? listCohorts(source.client) : { cohorts: undefined };
}

function chooseNames(
  source: ExportSource,
  input: ExportInput,
  { cohorts, options }: { readonly cohorts: LiveState['cohorts']; readonly options: AliasOptions },
): NewAliases['aliases'] {
  const nameless = mayName(source, options) ? findNameless(chosenFlags(input), input) : NOBODY;
  const names = new Map((cohorts ?? []).map(({ id, name }) => [id, name ?? undefined]));
  const named = new Map([...nameless.cohorts].map(([id, known]) => [id, names.get(id) ?? known]));
  const others = Object.values(source.config.projects).map(({ roles }) => roles);
  const { roles, cohorts: aliases } = source.project;
  const declared = Object.fromEntries([...(source.declaredAliases ?? [])].map((alias) => [alias, NO_ID]));
  return chooseAliases({ ...nameless, cohorts: named }, { roles, cohorts: { ...declared, ...aliases } }, others);
}

function mayName({ config }: ExportSource, { aliases }: AliasOptions): boolean {
  return aliases && config.file !== undefined;
}

function chosenFlags({ flags, keys }: ExportInput): Flag[] {
  return flags.filter((flag) => flag.deleted !== true && keys?.has(flag.key) !== false);
}

/** The id of a declared cohort that the service does not have yet. */
const NO_ID = 0;

const NOBODY: Nameless = { cohorts: new Map(), roles: new Map() };

async function readAccessOf(
  { client, onUnlisted }: ExportSource,
  chosen: ExportInput,
): Promise<Pick<ExportInput, 'roleAccess' | 'organization'>> {
  const inventory = chosenFlags(chosen).map(({ id }) => id);
  return readSelectedAccess(client, chosen.flags, { selection: { inventory, organization: true }, onUnlisted });
}

interface ExportSelection {
  /** Absent: every flag. */
  readonly keys?: ReadonlySet<string>;
  readonly elsewhere: readonly Flag[];
}

function selectKeys(
  flags: readonly Flag[],
  { project, desired }: ExportSource,
  targets: readonly string[] | undefined,
): ExportSelection {
  const targeted = targets === undefined ? undefined : withDependencies(flags, targets, project.name);
  if (desired === undefined) return { ...(targeted === undefined ? {} : { keys: targeted }), elsewhere: [] };
  const { unmanaged, namedElsewhere } = matchResources(
    desired.flags,
    takeSnapshot({ flags, roleAccess: {} }).flags,
    defined({ namedElsewhere: desired.namedElsewhere?.flags }),
  );
  const isTargeted = ({ key }: Flag): boolean => targeted?.has(key) !== false;
  return {
    keys: new Set(unmanaged.filter(isTargeted).map(({ key }) => key)),
    elsewhere: namedElsewhere.filter(isTargeted),
  };
}

/** Adds the flags that a target depends on, as in a plan. */
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

/** The service names the features of a flag in the flag, and writes into its filters whether people can enrol. */
function mayHaveFeature({ features, filters }: Flag): boolean {
  const { feature_enrollment: enrols = null, super_groups: groups = null } = objectOrEmpty(filters);
  return arrayOrEmpty(features).length > 0 || enrols === true || arrayOrEmpty(groups).length > 0;
}

async function readFeatures(
  client: ServiceClient,
): Promise<{ readonly earlyAccess?: readonly LiveFeature[]; readonly unread?: ServiceError }> {
  try {
    return { earlyAccess: await listFeatures(client) };
  } catch (error) {
    if (isOptional(error)) return { unread: error };
    throw error;
  }
}

/** A key that may not read cohorts still exports: the names that the service added to flags must do. */
async function listCohorts(client: ServiceClient): Promise<ListedCohorts> {
  try {
    return { cohorts: await client.listCohorts() };
  } catch (error) {
    if (isOptional(error)) {
      return { cohorts: undefined, unread: { cohortsUnread: error } };
    }
    throw error;
  }
}

const OPTIONAL_FAILURES: readonly string[] = ['forbidden', 'not_found'];

function isOptional(error: unknown): error is ServiceError {
  return error instanceof ServiceError && OPTIONAL_FAILURES.includes(error.failure.kind);
}
