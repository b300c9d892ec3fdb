/** Reads what an export writes: the live flags, which of them are exported, their role access, and names of their ids. */

import { defined } from '../../base/optional.ts';
import type { Config, ProjectConfig } from '../../config/config.ts';
import { matchResources } from '../../core/engine/match.ts';
import { matchKeys } from '../../core/engine/scope.ts';
import { chooseAliases, findNameless, findTaken, type Nameless } from '../../loop/export/aliases.ts';
import type { Export, ExportInput, ExportOptions, MergeOutcome } from '../../loop/export/export.ts';
import { ServiceError } from '../../posthog/client/service-error.ts';
import type { DesiredState } from '../../posthog/desired.ts';
import { FURTHER_FAMILIES, furtherFamily } from '../../posthog/families.ts';
import type { LiveResources } from '../../posthog/family.ts';
import type { Flag } from '../../posthog/flag/model/flag.ts';
import { dependencyGraph } from '../../posthog/flag/snapshot.ts';
import type { FurtherFamily } from '../../posthog/kind-types.ts';
import { declaredFamilies, joinSelections, listing, selectionOf } from '../../posthog/live-selection.ts';
import type { LiveState } from '../../posthog/live.ts';
import { type ManifestFile, resolveManifests } from '../../posthog/manifests/manifests.ts';
import type { ProjectNames } from '../../posthog/project.ts';
import { withFoundNames } from '../../posthog/reading/found-names.ts';
import { readLiveState, type ReadingOptions } from '../../posthog/reading/live-state.ts';
import { type OnUnlisted, readSelectedAccess } from '../../posthog/role-access/read.ts';
import type { ServiceClient } from '../../posthog/service-client.ts';
import { takeSnapshot } from '../../posthog/snapshot.ts';
import { checkLiveTargets } from '../project/check-targets.ts';
import type { LoadedProject } from '../project/load-project.ts';
import type { FileWrite } from '../session/files.ts';
import type { OnMisses } from '../session/session-parts.ts';
import type { NamedExport, NewAliases } from './save-edits.ts';

/** Members by family say whether what the flags have of it is declared. */
export interface ExportCommandOptions extends Readonly<Record<FurtherFamily, boolean>> {
  readonly dir: string;
  readonly groupBy: 'prefix' | 'flag' | 'single';
  readonly roleAccess?: boolean;
  readonly minimal?: boolean;
  readonly full?: boolean;
  readonly target?: readonly string[];
  readonly unmanaged?: boolean;
  readonly merge?: boolean;
  readonly aliases: boolean;
  readonly dryRun?: boolean;
  readonly force?: boolean;
}

export interface ExportSource {
  readonly config: Config;
  readonly project: ProjectConfig;
  readonly client: ServiceClient;
  /** The declared state; absent if it is not needed. */
  readonly desired?: DesiredState;
  /** What manifests declare for the project, where the export adds to them. */
  readonly declared?: DesiredState;
  /** The manifests: nothing else gets a name that they declare for any project. */
  readonly files?: readonly ManifestFile[];
  readonly onUnlisted?: OnUnlisted;
  readonly onMisses?: OnMisses;
}

interface ExportRead extends NewAliases {
  readonly input: ExportInput;
  /** Flags that manifests declare for other projects only. */
  readonly elsewhere: readonly Flag[];
}

export async function readForExport(source: ExportSource, options: ExportCommandOptions): Promise<ExportRead> {
  const { project, client, declared } = source;
  const flags = await client.listFlags();
  const { keys, elsewhere } = selectKeys(flags, source, options.target);
  const chosen: ExportInput = { flags, roleAccess: undefined, names: project, ...(keys === undefined ? {} : { keys }) };
  const inventory = chosenFlags(chosen).map(({ id }) => id);
  const reading = { selection: { inventory, organization: true }, onUnlisted: source.onUnlisted } as const;
  const access = options.roleAccess === true ? await readSelectedAccess(client, flags, reading) : {};
  const selected = { ...chosen, ...access };
  const { live, unread } = await listUsed(source, selected, options);
  const names = declared === undefined ? project : withFoundNames(project, declared, { live, shared: 'refuse' });
  const exported = Object.entries(live).filter(([section]) => options[section as FurtherFamily]);
  const input: ExportInput = { ...selected, ...Object.fromEntries(exported), names };
  const aliases = chooseNames({ ...source, project: names }, input, { live, options });
  return { input, elsewhere, aliases, unread };
}

/** Names for the ids that the configuration does not name, where manifests declare no cohort. */
export async function findAliases(
  source: ExportSource,
  input: ExportInput,
  { aliases }: Pick<ExportCommandOptions, 'aliases'>,
): Promise<NewAliases> {
  const options = { aliases };
  const { live, unread } = await listUsed(source, input, options);
  return { aliases: chooseNames(source, input, { live, options }), unread };
}

/** A family is declared where its member is true. */
type AliasOptions = Pick<ExportCommandOptions, 'aliases'> & Partial<Record<FurtherFamily, boolean>>;

/** Lists each family of which an exported flag may have a resource to declare or to name. */
async function listUsed(
  source: ExportSource,
  input: ExportInput,
  options: AliasOptions,
): Promise<Pick<NewAliases, 'unread'> & { readonly live: LiveResources }> {
  const needed = FURTHER_FAMILIES.filter(({ section }) => isNeeded(section, source, { input, options }));
  const live: Partial<Record<FurtherFamily, unknown>> = {};
  const unread: Partial<Record<FurtherFamily, ServiceError>> = {};
  for (const family of needed) {
    try {
      live[family.section] = await family.list(source.client);
    } catch (error) {
      // A key that may not read them still exports the rest.
      if (!isOptional(error)) throw error;
      unread[family.section] = error;
    }
  }
  return { live: live as LiveResources, unread };
}

function isNeeded(
  section: FurtherFamily,
  source: ExportSource,
  { input, options }: { readonly input: ExportInput; readonly options: AliasOptions },
): boolean {
  const flags = chosenFlags(input);
  const isDeclared = options[section] === true && flags.some((flag) => furtherFamily(section).exported.mayHave(flag));
  if (!isConfigured(section)) return isDeclared;
  const isNaming = mayName(source, options);
  if (isNaming && findNameless(flags, input)[section].size > 0) return true;
  // Without a name it is not declared.
  const { project, declared } = source;
  return isDeclared && (isNaming || Object.keys(project[section]).length > 0 || declared?.[section] !== undefined);
}

/** Whether the configuration gives names to the ids of the family. */
function isConfigured(section: FurtherFamily): section is FurtherFamily & keyof ProjectNames {
  return Object.hasOwn(NOBODY, section);
}

function chooseNames(
  source: ExportSource,
  input: ExportInput,
  { live, options }: { readonly live: LiveResources; readonly options: AliasOptions },
): NewAliases['aliases'] {
  const nameless = mayName(source, options) ? findNameless(chosenFlags(input), input, live) : NOBODY;
  const others = Object.values(source.config.projects).map(({ roles }) => roles);
  return chooseAliases(nameless, findTaken(source.project, source.files), others);
}

function mayName({ config }: ExportSource, { aliases }: AliasOptions): boolean {
  return aliases && config.file !== undefined;
}

function chosenFlags({ flags, keys }: ExportInput): Flag[] {
  return flags.filter((flag) => flag.deleted !== true && keys?.has(flag.key) !== false);
}

const NOBODY: Nameless = { cohorts: new Map(), roles: new Map() };

/** `keys`: absent: every flag. */
function selectKeys(
  flags: readonly Flag[],
  { project: { name: project }, desired, onMisses }: ExportSource,
  targets: readonly string[] | undefined,
): Pick<ExportInput, 'keys'> & Pick<ExportRead, 'elsewhere'> {
  const targeted =
    targets === undefined ? undefined : withDependencies(flags, targets, { project, ...defined({ onMisses }) });
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
  checking: Parameters<typeof checkLiveTargets>[2],
): ReadonlySet<string> {
  const live = flags.filter(({ deleted }) => deleted !== true);
  checkLiveTargets(
    targets,
    live.map(({ key }) => key),
    checking,
  );
  const graph = dependencyGraph(live, takeSnapshot({ flags: live, roleAccess: {} }).flags);
  const selected = new Set(live.map(({ key }) => key).filter(matchKeys(targets)));
  for (const key of selected) {
    for (const dependency of graph.get(key)?.dependsOn ?? []) if (graph.has(dependency)) selected.add(dependency);
  }
  return selected;
}

const OPTIONAL_FAILURES: readonly string[] = ['forbidden', 'not_found'];

function isOptional(error: unknown): error is ServiceError {
  return error instanceof ServiceError && OPTIONAL_FAILURES.includes(error.failure.kind);
}

interface ReadToMerge extends Pick<ExportSource, 'config' | 'project' | 'onUnlisted'> {
  readonly files: readonly ManifestFile[];
  readonly findRecorded?: ReadingOptions['findRecorded'];
}

/** Live state as a plan reads it, for what manifests declare for any project. */
export async function readToMerge(
  client: ServiceClient,
  { files, config, project, onUnlisted, findRecorded }: ReadToMerge,
  { roleAccess: withRoleAccess = false, ...isMerged }: Pick<ExportCommandOptions, 'roleAccess' | FurtherFamily>,
): Promise<LiveState> {
  const all = Object.keys(config.projects);
  const states = Object.values(config.projects).map((each) => resolveManifests(files, each, all).desired);
  const own = selectionOf(resolveManifests(files, project, all).desired);
  const { roleAccess } = joinSelections(states.map(selectionOf));
  const families = states.flatMap(declaredFamilies).filter((section) => isMerged[section]);
  const declared = Object.fromEntries(families.map((section) => [section, own[section] ?? {}]));
  const selection = {
    ...joinSelections([declared, listing(families)]),
    flags: own.flags,
    roleAccess: withRoleAccess ? ({ inventory: 'all', organization: true } as const) : { ...roleAccess },
  };
  return readLiveState(client, selection, defined({ onUnlistedAccess: onUnlisted, findRecorded }));
}

export interface PreparedExport {
  readonly exported: Export;
  readonly writes: readonly FileWrite[];
  readonly named: NamedExport;
  readonly merged?: MergeOutcome;
}

export interface ExportInputs {
  readonly loaded: LoadedProject;
  readonly options: ExportCommandOptions;
  readonly writing: ExportOptions;
  readonly onUnlisted: OnUnlisted;
}
