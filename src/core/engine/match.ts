/**
 * Matches each desired resource to its live one: by id or name, by the id or name that the base recorded, or by a trace of the resource that
 * had the name. Every other live resource gets an owner. All families share this code: `Identity` says how each tells its resources apart.
 */

import { comparing } from '../../base/compare-strings.ts';
import { defined } from '../../base/optional.ts';
import { BY_KEY, type DesiredResource, findHolder, type Identity } from './desired.ts';
import type { Ambiguous, Match } from './matched.ts';
import { findResourceOwner, type Owner, type NamedKeys } from './ownership.ts';
import type { RuleWarning } from './plan.ts';
import { compareIds, type LiveResource, type ResourceId, type Snapshot } from './snapshot.ts';
import type { Trace, FormerHolder } from './trace.ts';

export interface Matches<Desired extends DesiredResource, Live extends LiveResource> {
  readonly pairs: readonly Match<Desired, Live>[];
  /** Live resources in use that no manifest names, sorted by key. */
  readonly unmanaged: readonly Live[];
  /** Live resources in use that manifests name for other projects only, sorted by key. */
  readonly namedElsewhere: readonly Live[];
  readonly warnings: readonly RuleWarning[];
  /** The keys that live resources get, by id: a rename must not look like a change of the resources that depend on the renamed one. */
  readonly renamed: ReadonlyMap<ResourceId, string>;
  /** Declarations of the base, by key; absent without a base. */
  readonly base?: ReadonlyMap<string, Desired>;
}

/** What a family has beside its pairs whose names only the manifests know. */
export const ONLY_PAIRS: Omit<Matches<never, never>, 'pairs' | 'base'> = {
  unmanaged: [],
  namedElsewhere: [],
  warnings: [],
  renamed: new Map(),
};

/** Adds what only the matching knows. */
export interface FoundMatches<Desired extends DesiredResource, Live extends LiveResource> extends Matches<
  Desired,
  Live
> {
  /** Desired resources that only a name identifies which several live ones have; none is in a pair. */
  readonly shared: readonly Ambiguous<Desired>[];
  /** The live resource in use that each declaration of the base named, by its key there. */
  readonly declaredLive: ReadonlyMap<string, Live>;
}

interface MatchOptions<Desired extends DesiredResource, Live extends LiveResource> extends TraceOptions<Desired, Live> {
  /** Default: by key. */
  readonly identity?: Identity<Desired>;
  /** Keys that manifests name for other projects only. */
  readonly namedElsewhere?: readonly string[];
  /** Declarations of the base; absent without a base. */
  readonly base?: readonly Desired[];
}

export function matchResources<Desired extends DesiredResource, Live extends LiveResource>(
  desired: readonly Desired[],
  live: Snapshot<Live>,
  options: MatchOptions<Desired, Live> = {},
): FoundMatches<Desired, Live> {
  const { identity = BY_KEY, base } = options;
  const named = { here: new Set(desired.flatMap(identity.namesOf)), elsewhere: new Set(options.namedElsewhere) };
  const sharers = findSharers(live.all);
  const isShared = (name: string): boolean => identity.mayShareNames && sharers.has(name);
  const declaredLive = findDeclaredLive(base ?? [], live, { identity, isShared });
  const recorded = (base ?? []).flatMap((one) => findRecorded(one, live, identity));
  const byName = desired.map((one): Match<Desired, Live> => {
    const holder = findAmongSharers(one, recorded, { live, identity, named }) ?? findHolder(one, live, identity);
    return holder === undefined ? { desired: one } : { desired: one, live: holder };
  });
  const known = base === undefined ? byName : withBases(byName, { base, identity, declaredLive });
  const { identified, shared } = splitAmbiguous(known, identity, sharers);
  const traces = joinTraces(options.traces ?? [], recorded);
  const { pairs, warnings } = findTraced(identified, { live, named, identity }, { ...options, traces });
  const matched = new Set(pairs.flatMap((pair) => pair.live?.id ?? []));
  const others = live.all
    .filter((one) => findResourceOwner(one.key, named) !== 'manifest' && isInUse(one) && live.byKey(one.key) === one)
    .filter(({ id }) => !matched.has(id))
    .sort(comparing(({ key }) => key));
  const ownedBy = (owner: Owner): Live[] => others.filter(({ key }) => findResourceOwner(key, named) === owner);
  return {
    pairs,
    shared,
    declaredLive,
    unmanaged: ownedBy('unmanaged'),
    namedElsewhere: ownedBy('other-project'),
    warnings: [
      ...warnOfSharers(sharers, identity),
      ...warnOfPairs(pairs, { live, identity, declaredLive }),
      ...warnings,
    ],
    renamed: new Map(pairs.flatMap(findRename)),
    ...defined({ base: base && new Map(base.filter(isNamesake(live, identity)).map((one) => [one.key, one])) }),
  };
}

/** The ids of resources in use by key, where several have one. */
function findSharers(all: readonly LiveResource[]): ReadonlyMap<string, readonly ResourceId[]> {
  const idsByKey = new Map<string, ResourceId[]>();
  for (const { id, key, deleted } of all) {
    if (deleted === true) continue;
    const ids = idsByKey.get(key);
    if (ids === undefined) idsByKey.set(key, [id]);
    else ids.push(id);
  }
  return new Map([...idsByKey].filter(([, ids]) => ids.length > 1));
}

/** A name that several live resources have identifies neither the desired resource nor the one that the base declared. */
function splitAmbiguous<Desired extends DesiredResource, Live extends LiveResource>(
  pairs: readonly Match<Desired, Live>[],
  { idOf, namesOf, mayShareNames }: Identity<Desired>,
  sharers: ReadonlyMap<string, readonly ResourceId[]>,
): { readonly identified: readonly Match<Desired, Live>[]; readonly shared: readonly Ambiguous<Desired>[] } {
  if (!mayShareNames || sharers.size === 0) return { identified: pairs, shared: [] };
  const shared = pairs.flatMap(({ desired, live, base, isOther }): Ambiguous<Desired>[] => {
    if (live !== undefined && isOther !== true && base?.kind === 'declared' && base.recordedId === live.id) return [];
    const name = live?.key ?? (base?.kind === 'declared' ? namesOf(base)[0] : undefined);
    const ids = idOf(desired) === undefined && name !== undefined ? sharers.get(name) : undefined;
    return name === undefined || ids === undefined ? [] : [{ desired, name, ids: ids.toSorted(compareIds) }];
  });
  const aside = new Set(shared.map(({ desired }) => desired));
  return { identified: pairs.filter(({ desired }) => !aside.has(desired)), shared };
}

/** An archived resource was retired on purpose, and is read only because others name it. */
function isInUse({ deleted, archived }: LiveResource): boolean {
  return deleted !== true && archived !== true;
}

function findRename({ desired, live }: Match<DesiredResource, LiveResource>): [ResourceId, string][] {
  return live === undefined ? [] : [[live.id, desired.key]];
}

interface MatchedResource<Desired extends DesiredResource, Live extends LiveResource> {
  readonly live: Snapshot<Live>;
  readonly identity: Identity<Desired>;
  readonly declaredLive: ReadonlyMap<string, Live>;
}

function warnOfPairs<Desired extends DesiredResource, Live extends LiveResource>(
  pairs: readonly Match<Desired, Live>[],
  seen: MatchedResource<Desired, Live>,
): RuleWarning[] {
  return pairs.flatMap((pair) => [
    ...warnOfFormers(pair, seen),
    ...(seen.identity.deletedKeepName ? warnOfDestroyed(pair, seen.live) : []),
    ...(seen.identity.mayShareNames ? warnOfReclaimed(pair, seen) : []),
  ]);
}

/** Warns of other resources that are in use under a former name of this one. */
function warnOfFormers<Desired extends DesiredResource, Live extends LiveResource>(
  { desired, live, base, isOther }: Match<Desired, Live>,
  { live: { byKey }, identity, declaredLive }: MatchedResource<Desired, Live>,
): RuleWarning[] {
  const named = identity
    .namesOf(desired)
    .slice(1)
    .flatMap((name) => byKey(name) ?? []);
  const own = isOther === true && base !== null && base !== undefined ? declaredLive.get(base.key) : undefined;
  const formers = new Set([...named, ...(own === undefined ? [] : [own])]);
  return [...formers]
    .filter((former) => former.deleted !== true && former.id !== live?.id)
    .map(({ key, id }) => ({ code: 'previous_key_live', key: desired.key, previous: key, id }));
}

/** A rename to the key of a soft-deleted resource destroys that one. */
function warnOfDestroyed(
  { desired, live }: Match<DesiredResource, LiveResource>,
  { byKey }: Snapshot<LiveResource>,
): RuleWarning[] {
  if (desired.kind === 'retired' || live === undefined || live.key === desired.key) return [];
  const holder = byKey(desired.key);
  return holder === undefined || holder === live ? [] : [{ code: 'destroys_deleted', key: desired.key, id: holder.id }];
}

function warnOfSharers(
  sharers: ReadonlyMap<string, readonly ResourceId[]>,
  { mayShareNames }: Pick<Identity<DesiredResource>, 'mayShareNames'>,
): RuleWarning[] {
  return mayShareNames ? [] : [...sharers].map(([key, ids]) => ({ code: 'key_shared', key, ids }));
}

interface BaseMatching<Desired extends DesiredResource, Live extends LiveResource> {
  readonly base: readonly Desired[];
  readonly identity: Identity<Desired>;
  /** The live resource in use that each declaration of the base named, by its key there. */
  readonly declaredLive: ReadonlyMap<string, Live>;
}

/**
 * Finds the live resource in use that each declaration of the base named, by its key there.
 *
 * Uses the recorded id, or else the name that the base declared, not earlier ones. A name that several live resources have identifies none.
 */
function findDeclaredLive<Desired extends DesiredResource, Live extends LiveResource>(
  base: readonly Desired[],
  live: Snapshot<Live>,
  { identity, isShared }: { readonly identity: Identity<Desired>; readonly isShared: (name: string) => boolean },
): ReadonlyMap<string, Live> {
  const taken = new Set<ResourceId>();
  const found = new Map<string, Live>();
  const byName = { ...identity, namesOf: (one: Desired) => identity.namesOf(one).slice(0, 1) };
  for (const one of base) {
    const id = recordedIdOf(one, identity);
    const byRecord = id === undefined ? findHolder(one, live, byName) : live.byId(id);
    const holder = one.kind === 'declared' ? byRecord : undefined;
    if (holder === undefined || holder.deleted === true || taken.has(holder.id)) continue;
    if (identity.idOf(one) === undefined && id === undefined && isShared(holder.key)) continue;
    taken.add(holder.id);
    found.set(one.key, holder);
  }
  return found;
}

/** Adds to each pair its declaration in the base, and to one without a live resource the one that the base named. */
function withBases<Desired extends DesiredResource, Live extends LiveResource>(
  pairs: readonly Match<Desired, Live>[],
  search: BaseMatching<Desired, Live>,
): readonly Match<Desired, Live>[] {
  const { declaredLive, identity } = search;
  const bases = pairBases(pairs, search);
  const taken = new Set(pairs.flatMap(({ live }) => live?.id ?? []));
  return pairs.map((pair, index): Match<Desired, Live> => {
    const base = bases[index] ?? null;
    const own = base === null ? undefined : declaredLive.get(base.key);
    if (pair.live !== undefined) {
      const id = own?.id ?? (base === null ? undefined : recordedIdOf(base, identity));
      return { ...pair, base, ...(id !== undefined && id !== pair.live.id ? { isOther: true } : {}) };
    }
    const isNamed = base !== null && own !== undefined && own.key === identity.namesOf(base)[0];
    return { ...pair, base, ...defined({ live: isNamed && !taken.has(own.id) ? own : undefined }) };
  });
}

/**
 * Finds the base's declaration of each pair: the one that named the same live resource, or else has the same key, or else the same name or
 * id. Each is used once.
 */
function pairBases<Desired extends DesiredResource, Live extends LiveResource>(
  pairs: readonly Match<Desired, Live>[],
  { base, identity: { namesOf, idOf }, declaredLive }: BaseMatching<Desired, Live>,
): readonly (Desired | undefined)[] {
  const bases: (Desired | undefined)[] = pairs.map(() => undefined);
  const left = new Set(base);
  const take = (find: (pair: Match<Desired, Live>) => Desired | undefined): void => {
    for (const [index, pair] of pairs.entries()) {
      const found = bases[index] === undefined ? find(pair) : undefined;
      if (found !== undefined && left.delete(found)) bases[index] = found;
    }
  };
  const byKey = new Map(base.map((one) => [one.key, one]));
  const wanted = new Set(pairs.map(({ desired }) => desired.key));
  // Another declaration may be of the resource by its live name: it does not continue the one that is still declared.
  const isOwn = ([key, live]: [string, Live]): boolean => {
    const one = byKey.get(key);
    return (
      !wanted.has(key) ||
      (one !== undefined && [idOf(one), namesOf(one)[0]].some((name) => name === live.id || name === live.key))
    );
  };
  const byLive = new Map([...declaredLive].filter(isOwn).map(([key, { id }]) => [id, byKey.get(key)]));
  const byName = new Map(base.map((one) => [idOf(one) ?? namesOf(one)[0], one]));
  take(({ live }) => live && byLive.get(live.id));
  take(({ desired }) => byKey.get(desired.key));
  take(({ desired }) => [idOf(desired) ?? [], namesOf(desired)].flat().flatMap((one) => byName.get(one) ?? [])[0]);
  return bases;
}

interface RecordedPair<Desired extends DesiredResource, Live extends LiveResource> {
  readonly base: Desired;
  readonly live: Live;
}

/** The id that was recorded for a declaration of the base, unless the configuration has one. */
function recordedIdOf<Desired extends DesiredResource>(
  one: Desired,
  { idOf }: Pick<Identity<Desired>, 'idOf'>,
): ResourceId | undefined {
  return one.kind === 'declared' && idOf(one) === undefined ? one.recordedId : undefined;
}

function findRecorded<Desired extends DesiredResource, Live extends LiveResource>(
  base: Desired,
  { byId }: Snapshot<Live>,
  identity: Identity<Desired>,
): RecordedPair<Desired, Live>[] {
  const id = recordedIdOf(base, identity);
  const live = id === undefined ? undefined : byId(id);
  return live === undefined ? [] : [{ base, live }];
}

/** The recorded one of several resources that may have one name, unless manifests name it otherwise. */
function findAmongSharers<Desired extends DesiredResource, Live extends LiveResource>(
  desired: Desired,
  recorded: readonly RecordedPair<Desired, Live>[],
  { live: { byKey }, identity, named }: MatchingState<Desired, Live>,
): Live | undefined {
  if (!identity.mayShareNames || desired.kind === 'retired' || identity.idOf(desired) !== undefined) return undefined;
  const names = identity.namesOf(desired);
  const own = recorded.find(({ base }) => base.key === desired.key)?.live;
  if (own === undefined || own.deleted === true || !names.some((name) => byKey(name) !== undefined)) return undefined;
  return names.includes(own.key) || findResourceOwner(own.key, named) === 'unmanaged' ? own : undefined;
}

/** What the base recorded is surer than what the log says, and a run of this machine may be newer. */
function joinTraces(
  traces: readonly Trace[],
  recorded: readonly RecordedPair<DesiredResource, LiveResource>[],
): readonly Trace[] {
  const ofBase = recorded.map(
    ({ base: { key }, live: { id } }) => ({ kind: 'former', key, id, evidence: 'recorded' }) as const,
  );
  const [own, others] = [traces.filter(isRecorded), traces.filter((one) => !isRecorded(one))];
  return [...others, ...ofBase, ...own];
}

function isRecorded(trace: Trace): boolean {
  return trace.kind === 'former' && trace.evidence === 'recorded';
}

/** Whether the resource that has the name of a declaration of the base now may be the one that it was applied to. */
function isNamesake<Desired extends DesiredResource, Live extends LiveResource>(
  { byKey }: Snapshot<Live>,
  identity: Identity<Desired>,
): (base: Desired) => boolean {
  return (base) => {
    const id = recordedIdOf(base, identity);
    return id === undefined || identity.mayShareNames || [undefined, id].includes(byKey(base.key)?.id);
  };
}

/** Warns of a resource that was renamed in the service while another one got its name. */
function warnOfReclaimed<Desired extends DesiredResource>(
  { desired, live, base }: Match<Desired, LiveResource>,
  { live: { byKey }, identity }: Pick<MatchingState<Desired, LiveResource>, 'live' | 'identity'>,
): RuleWarning[] {
  if (live === undefined || base === null || base === undefined || recordedIdOf(base, identity) !== live.id) return [];
  const { id, key: current } = live;
  const names = identity.namesOf(desired);
  const isTaken = names.some((name) => byKey(name) !== undefined);
  return names.includes(current) || !isTaken ? [] : [{ code: 'renamed_back', key: desired.key, id, current }];
}

interface TraceOptions<Desired extends DesiredResource, Live extends LiveResource> {
  /** Each key has at most one. */
  readonly traces?: readonly Trace[];
  /** Whether a live resource differs from a declaration in its name at most. `idOf`: finds the id of one that is matched by name. */
  readonly resembles?: (desired: Desired, live: Live, idOf: (key: string) => ResourceId | undefined) => boolean;
}

interface MatchingState<Desired extends DesiredResource, Live extends LiveResource> {
  readonly live: Snapshot<Live>;
  readonly named: NamedKeys;
  readonly identity: Identity<Desired>;
}

interface TracedMatches<Desired extends DesiredResource, Live extends LiveResource> {
  readonly pairs: readonly Match<Desired, Live>[];
  readonly warnings: readonly RuleWarning[];
}

/** Returns the same pairs, with a live resource where a trace leads to one. Each resource is matched at most once. */
function findTraced<Desired extends DesiredResource, Live extends LiveResource>(
  pairs: readonly Match<Desired, Live>[],
  state: MatchingState<Desired, Live>,
  { traces = [], resembles = () => false }: TraceOptions<Desired, Live>,
): TracedMatches<Desired, Live> {
  if (traces.length === 0) return { pairs, warnings: [] };
  const byKey = new Map(traces.map((trace) => [trace.key, trace]));
  const byName = new Map(pairs.map(({ desired, live }) => [desired.key, live?.id]));
  const taken = new Set([...byName.values()].filter((id) => id !== undefined));
  const following: TraceFollowing<Desired, Live> = {
    state,
    taken,
    resembles: (one, live) => resembles(one, live, (key) => byName.get(key)),
  };
  const warnings: RuleWarning[] = [];
  const moved = new Set<ResourceId>();
  const matched = pairs.map((pair) => {
    if (pair.live !== undefined || !isSought(pair)) return pair;
    const { desired } = pair;
    const found = state.identity.tracedAs(desired).flatMap((key) => byKey.get(key) ?? []);
    for (const trace of found.filter((one) => one.kind === 'former')) {
      const { live, warning } = follow(trace, pair, following);
      if (warning !== undefined) warnings.push(warning);
      if (live === undefined) {
        moved.add(trace.id);
        continue;
      }
      taken.add(live.id);
      return { ...pair, live };
    }
    const unknown = found.find((one) => one.kind === 'unknown');
    if (unknown !== undefined) warnings.push({ code: UNKNOWN[desired.kind], key: desired.key, why: unknown.why });
    return pair;
  });
  return { pairs: matched.map((pair) => asMoved(pair, moved)), warnings };
}

/** A resource that the base declared under another key is new to its current key, but may have been edited. */
function asMoved<Desired extends DesiredResource, Live extends LiveResource>(
  pair: Match<Desired, Live>,
  moved: ReadonlySet<ResourceId>,
): Match<Desired, Live> {
  return pair.base === null && pair.live !== undefined && moved.has(pair.live.id) ? { ...pair, isOther: true } : pair;
}

/** A resource that the manifests delete is sought under other names only if the base declared it. */
function isSought<Desired extends DesiredResource>({ desired, base }: Match<Desired, LiveResource>): boolean {
  return desired.kind === 'declared' || base?.kind === 'declared';
}

const UNKNOWN = { declared: 'deleted_unknown', retired: 'retired_unknown' } as const;

interface TraceFollowing<Desired extends DesiredResource, Live extends LiveResource> {
  readonly state: MatchingState<Desired, Live>;
  readonly taken: ReadonlySet<ResourceId>;
  readonly resembles: (desired: Desired, live: Live) => boolean;
}

interface FollowedTrace<Live> {
  readonly live?: Live;
  readonly warning?: RuleWarning;
}

function follow<Desired extends DesiredResource, Live extends LiveResource>(
  trace: FormerHolder,
  pair: Match<Desired, Live>,
  following: TraceFollowing<Desired, Live>,
): FollowedTrace<Live> {
  const { state, taken } = following;
  const { kind } = pair.desired;
  const live = state.live.byId(trace.id);
  if (live === undefined) return {};
  const isFree = !taken.has(live.id);
  if (live.deleted === true) {
    // Where a deleted resource keeps its name, a create would destroy it. Elsewhere only a record proves that it is the same one.
    const isRestored = kind === 'declared' && (state.identity.deletedKeepName || trace.evidence === 'recorded');
    return isRestored && isFree ? { live } : {};
  }
  if (live.key === state.identity.namesOf(pair.desired)[0]) return isFree ? { live } : {};
  return followRenamed(trace, { ...pair, live }, following);
}

/** A renamed resource is in use and may now serve another purpose, so a trace alone does not match it. */
function followRenamed<Desired extends DesiredResource, Live extends LiveResource>(
  trace: FormerHolder,
  { desired, base, live }: Match<Desired, Live> & { readonly live: Live },
  { state, taken, resembles }: TraceFollowing<Desired, Live>,
): FollowedTrace<Live> {
  const previous = trace.key === desired.key ? undefined : trace.key;
  const facts = { key: desired.key, id: live.id, current: live.key, ...defined({ since: trace.since, previous }) };
  const isNamed = findResourceOwner(live.key, state.named) !== 'unmanaged';
  if (desired.kind === 'retired') {
    return isNamed || taken.has(live.id) ? {} : { live, warning: { code: 'renamed_deleted', ...facts } };
  }
  if (isNamed) return { warning: { code: 'renamed_away', ...facts, why: 'declared' } };
  const isAlike = (): boolean => resembles(desired, live) || (base?.kind === 'declared' && resembles(base, live));
  if (trace.evidence === 'logged' && !isAlike()) return { warning: { code: 'renamed_away', ...facts, why: 'differs' } };
  if (taken.has(live.id)) return {};
  return { live, warning: { code: 'renamed_back', ...facts } };
}
