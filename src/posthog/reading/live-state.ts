/** Reads live state: all flags page by page, and of everything else only what the run needs. */

import { defined } from '../../base/optional.ts';
import { pages, type RequestRound, singles } from '../../core/engine/forecast.ts';
import type { ResourceId } from '../../core/engine/snapshot.ts';
import { FURTHER_FAMILIES, type OwnFamily } from '../families.ts';
import type { Traced } from '../family.ts';
import {
  neededOfArchive,
  needsArchive,
  type LiveSelection,
  type SelectedAccess,
  type SelectedResources,
} from '../live-selection.ts';
import { FLAGS } from '../flag/family.ts';
import { comparesFalse } from '../flag/model/normal-forms.ts';
import { type Flag, isListed } from '../flag/model/flag.ts';
import { FLAGS_PER_PAGE } from '../flag/requests.ts';
import type { FamilyName, FamilyTypes, FurtherFamily } from '../kind-types.ts';
import type { LiveState } from '../live.ts';
import { findRoleIds, type OnUnlisted, readSelectedAccess, countRoleReads } from '../role-access/read.ts';
import type { ServiceClient } from '../service-client.ts';
import { findFlag, type FindRecorded } from '../flag/find-traces.ts';
import { countPageReads } from '../client/listing.ts';
import { ServiceError } from '../client/service-error.ts';
import type { ListedRequest } from '../../core/engine/change-request.ts';
import type { UnknownSchedules } from '../flag/schedules.ts';
import type { Plan } from '../plan.ts';
import { wireOfAll } from '../role-access/access.ts';
import type { LocalEvaluation } from '../client/operations/flag-insight.ts';

export interface ReadingOptions {
  /** Finds records of earlier runs for declared flags that the list lacks. */
  readonly findRecorded?: FindRecorded;
  /** Whether to read the changes that the service will make by itself; default false. `all`: also if no declared flag is live. */
  readonly schedules?: boolean | 'all';
  /** Called at most once, if access costs a request for each flag because the key or the service lacks the lists. */
  readonly onUnlistedAccess?: OnUnlisted;
}

/**
 * Requests the list at once, even before the selection is known. Its requests:
 *
 * * Flags: one for each page.
 * * Selected role access: one for each flag, except those that the lists by subject show to be as declared. These lists cost one for
 *   everyone, one for each role and each member of the organization, and the list of members. A plan of levels of access costs three more.
 * * A declared flag that is not listed: one if an earlier run recorded it. For all others together, up to ten pages of the activity log.
 * * Scheduled changes: one for each page. With them, two for the `property_matching_version` where a flag compares with false.
 * * A further family of which a resource is declared: one for each page, and for declared resources that are not found as for such flags.
 *
 * @throws {ServiceError} when a part cannot be read: unread state never counts as absent.
 */
export async function readLiveState(
  client: ServiceClient,
  selecting: LiveSelection | Promise<LiveSelection>,
  options: ReadingOptions = {},
): Promise<LiveState> {
  const [listed, selection] = await Promise.all([client.listFlags(), selecting]);
  const { keys = [], ids = [], declared = [] } = selection.flags;
  const readingFamilies = readFamilies(client, selection, options.findRecorded);
  // The reading may fail before it is awaited, which must not count as unhandled.
  readingFamilies.catch(() => undefined);
  const hidden = needsArchive(listed, keys)
    ? neededOfArchive(listed, await client.listFlags({ archived: true }), keys)
    : [];
  const visible = [...listed, ...hidden];
  const known = new Set(visible.map((flag) => flag.id));
  const unlisted = ids.filter((id) => !known.has(id));
  const found = await Promise.all(unlisted.map((id) => findFlag(client, id)));
  const read = [...visible, ...found.filter((flag) => flag !== undefined)];
  const traced = await FLAGS.trace(client, FLAGS.findMissing(declared, read), { listed: read, ...options });
  const flags = [...read, ...traced.found];
  const readsSchedules = options.schedules !== undefined && options.schedules !== false;
  const [{ roleAccess, organization }, schedules, { traces, ...further }, matching] = await Promise.all([
    readSelectedAccess(client, flags, {
      selection: withTraced(selection, traced),
      onUnlisted: options.onUnlistedAccess,
    }),
    // Nothing is requested if no declared flag is live.
    !readsSchedules
      ? {}
      : flags.some(({ key }) => options.schedules === 'all' || declared.some((one) => one.key === key))
        ? readSchedulesOf(client, flags)
        : { schedules: [] },
    readingFamilies,
    // Only few filters depend on it, and people are evaluated where scheduled changes are read.
    readsSchedules && flags.some(({ filters }) => comparesFalse(filters)) ? readMatchingVersion(client) : undefined,
  ]);
  const allTraces = { ...(traced.traces.length === 0 ? {} : { flags: traced.traces }), ...traces };
  return {
    flags,
    roleAccess,
    ...defined({ organization, matching }),
    ...schedules,
    ...further,
    ...(Object.keys(allTraces).length === 0 ? {} : { traces: allTraces }),
  };
}

/** Adds the ids of traced flags: their selected keys are not their current ones. */
function withTraced({ roleAccess = {} }: LiveSelection, { traces }: Traced<Flag>): SelectedAccess {
  const keys = new Set(roleAccess.keys);
  const ids = traces.flatMap((trace) => (trace.kind === 'former' && keys.has(trace.key) ? Number(trace.id) : []));
  return ids.length === 0 ? roleAccess : { ...roleAccess, ids: [...(roleAccess.ids ?? []), ...ids] };
}

/** Predicts the rounds of requests of `readLiveState` when `flags` are live, and the flags that it reads. */
export function predictReads(
  flags: readonly Flag[],
  selection: LiveSelection,
): { readonly rounds: readonly RequestRound[]; readonly flags: readonly Flag[] } {
  const { keys = [], ids = [] } = selection.flags;
  const listed = flags.filter(isListed);
  const isArchiveRead = needsArchive(listed, keys);
  const archived = flags.filter((flag) => flag.archived === true && flag.deleted !== true);
  const needed = new Set(isArchiveRead ? neededOfArchive(listed, archived, keys) : []);
  const read = flags.filter((flag) => isListed(flag) || needed.has(flag) || ids.includes(flag.id));
  const rounds = [
    ...countPageReads(listed.length, FLAGS_PER_PAGE),
    pages(isArchiveRead ? 1 : 0),
    singles(flags.filter((flag) => flag.deleted === true && ids.includes(flag.id)).length),
    ...(selection.roleAccess === undefined ? [] : [singles(countRoleReads(read, selection.roleAccess))]),
    ...predictFamilies(selection),
  ];
  return { rounds, flags: read };
}

/**
 * Reads all that a plan may need, whatever the manifests declare when it is made: for a snapshot.
 *
 * Reads what `readLiveState` reads for the current manifests, and also other archived flags, other families, roles and the organization's
 * access. If no manifest declares a resource of a family and the key may not read it, the family is absent. `roles`: ids by name; none if
 * the key may not read them.
 */
export async function readWholeState(
  client: ServiceClient,
  selection: LiveSelection,
  options: Pick<ReadingOptions, 'findRecorded'>,
): Promise<{ readonly live: LiveState; readonly roles: Readonly<Record<string, string>> }> {
  // Later manifests may declare other access, so the access of every flag is read, also where it is as declared today.
  const { expected: _, ...ofFlags } = selection.roleAccess ?? {};
  const access = { ...ofFlags, organization: true };
  const reading = readLiveState(client, { ...selection, roleAccess: access }, { ...options, schedules: true });
  const [live, roles, ...undeclared] = await Promise.all([
    reading,
    findRoleIds(client),
    ...FURTHER_FAMILIES.map(async (family) =>
      selection[family.section] === undefined ? readUndeclared(client, family) : {},
    ),
  ]);
  const flags = await withArchived(client, live.flags);
  return { live: Object.assign({ ...live, flags }, ...undeclared) as LiveState, roles };
}

/** Adds the archived flags that no selected key names. Services until 2025 have no archive. */
export async function withArchived(
  client: Pick<ServiceClient, 'listFlags'>,
  flags: readonly Flag[],
): Promise<readonly Flag[]> {
  const hasArchive = flags.length === 0 || flags.some((flag) => Object.hasOwn(flag, 'archived'));
  const known = new Set(flags.map(({ id }) => id));
  const archived = hasArchive ? await client.listFlags({ archived: true }) : [];
  return [...flags, ...archived.filter(({ id }) => !known.has(id))];
}

async function readUndeclared(client: ServiceClient, family: OwnFamily): Promise<Pick<LiveState, FurtherFamily>> {
  try {
    return { [family.section]: await family.list(client) };
  } catch (error) {
    if (error instanceof ServiceError && ['forbidden', 'not_found'].includes(error.failure.kind)) return {};
    throw error;
  }
}

/** The resources of each selected family, and the traces of declared ones that are not found. */
export async function readFamilies(
  client: ServiceClient,
  selection: LiveSelection,
  findRecorded?: FindRecorded,
): Promise<Pick<LiveState, FurtherFamily | 'traces'>> {
  const parts = await Promise.all(
    FURTHER_FAMILIES.flatMap((family) => {
      const ofFamily: SelectedResources<FamilyTypes[FurtherFamily]['desired']> | undefined = selection[family.section];
      return ofFamily === undefined ? [] : [readFamily(client, family, { ...ofFamily, findRecorded })];
    }),
  );
  const traced = parts.filter(({ traces }) => traces.length > 0);
  return {
    ...Object.fromEntries(parts.map(({ section, live }) => [section, live])),
    ...(traced.length === 0
      ? {}
      : { traces: Object.fromEntries(traced.map(({ section, traces }) => [section, traces])) }),
  };
}

/** Reads every listed resource, those with selected ids that the list leaves out, and those that a trace leads to. */
async function readFamily(
  client: ServiceClient,
  family: OwnFamily,
  {
    ids = [],
    declared = [],
    findRecorded,
  }: SelectedResources<FamilyTypes[FurtherFamily]['desired']> & { readonly findRecorded: FindRecorded | undefined },
): Promise<Traced<unknown> & { readonly section: FamilyName; readonly live: readonly unknown[] }> {
  const listed = await family.list(client);
  const known = new Set<ResourceId>(listed.map(({ id }) => id));
  const unlisted = [...new Set(ids)].filter((id) => !known.has(id));
  const found = await Promise.all(unlisted.map((id) => family.find(client, id)));
  const read = [...listed, ...found.filter((one) => one !== undefined)];
  const traced = await family.trace(client, family.findMissing(declared, read), { listed: read, findRecorded });
  return { section: family.section, live: [...read, ...traced.found], ...traced };
}

/** Predicts the rounds of requests of `readFamilies`, assuming one page for each family and no deleted resource among the selected. */
export function predictFamilies(selection: LiveSelection): readonly RequestRound[] {
  return FURTHER_FAMILIES.map(({ section }) => pages(selection[section] === undefined ? 0 : 1));
}

/**
 * Costs one request; none if the plan changes no flag and no flag is disabled without a decision (`undecided`), or if the service is of
 * 2023, which has no approvals.
 */
export async function readChangeRequests(
  client: ServiceClient,
  { changes, undecided }: Pick<Plan, 'changes'> & { readonly undecided: readonly Flag[] },
  { flags }: Pick<LiveState, 'flags'>,
): Promise<ReadRequests> {
  const isConcerned = undecided.length > 0 || changes.some(({ resource }) => resource === 'flag');
  return isConcerned ? listRequests(client, { flags }, { applied: undecided.length > 0 }) : { listed: [] };
}

/** A service of 2023 is not asked. */
export async function listRequests(
  client: ServiceClient,
  { flags }: Pick<LiveState, 'flags'>,
  options: Parameters<ServiceClient['listChangeRequests']>[0],
): Promise<ReadRequests> {
  if (wireOfAll(flags) === 'entries') return { listed: [] };
  try {
    return { listed: await client.listChangeRequests(options) };
  } catch (error) {
    return { listed: [], ...defined({ unread: whyUnread(error) }) };
  }
}

export interface ReadRequests {
  readonly listed: readonly ListedRequest[];
  /** Present if the service has change requests that could not be read. */
  readonly unread?: UnknownSchedules;
}

/** `undefined` if the service has none: another service answers 404, and one without the paid feature 402. */
function whyUnread(error: unknown): UnknownSchedules | undefined {
  if (!(error instanceof ServiceError) || error.failure.kind === 'aborted') throw error;
  const { failure } = error;
  if (failure.kind === 'not_found' || (failure.kind === 'unexpected_status' && failure.status === 402))
    return undefined;
  return failure.kind === 'forbidden' ? failure.kind : 'failed';
}

/**
 * A key that may not read scheduled changes does not fail the run: the result says why they are unknown. A service of 2023 has none and is
 * not asked; another service without them answers 404.
 */
export async function readSchedulesOf(
  client: ServiceClient,
  flags: readonly Flag[],
): Promise<Pick<LiveState, 'schedules' | 'unknownSchedules'>> {
  if (wireOfAll(flags) !== 'levels') return { schedules: [] };
  try {
    return { schedules: await client.listScheduledChanges() };
  } catch (error) {
    const why = whyUnread(error);
    return why === undefined ? { schedules: [] } : { unknownSchedules: why };
  }
}

type DefinitionsClient = Pick<ServiceClient, 'getProject' | 'getDefinitions'>;

/** Services before 2026 have them below the project, and answer today's path with 404 or with a login page. */
export async function readDefinitions(
  client: DefinitionsClient & Pick<ServiceClient, 'localEvaluation'>,
): Promise<LocalEvaluation> {
  const token = await readToken(client);
  try {
    if (token !== undefined) return await client.getDefinitions(token);
  } catch (error) {
    if (!(error instanceof ServiceError && ['not_found', 'redirected'].includes(error.failure.kind))) throw error;
  }
  return client.localEvaluation();
}

/** `undefined` where the key or the service does not tell. SDKs take an absent version for the older one. */
export async function readMatchingVersion(client: DefinitionsClient): Promise<1 | 2 | undefined> {
  try {
    const token = await readToken(client);
    if (token === undefined) return undefined;
    return (await client.getDefinitions(token))['property_matching_version'] === 2 ? 2 : 1;
  } catch (error) {
    if (error instanceof ServiceError && error.failure.kind !== 'aborted') return undefined;
    throw error;
  }
}

async function readToken(client: DefinitionsClient): Promise<string | undefined> {
  const { api_token: token } = await client.getProject();
  return typeof token === 'string' && token !== '' ? token : undefined;
}
