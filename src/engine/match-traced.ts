/** Matches a desired resource whose name no live resource has to the one that had the name before. */

import { defined } from '../base/optional.ts';
import type { DesiredResource, Identity } from './desired.ts';
import type { Match } from './matched.ts';
import { findResourceOwner, type NamedKeys } from './ownership.ts';
import type { RuleWarning } from './plan.ts';
import type { LiveResource, Snapshot, ResourceId } from './snapshot.ts';
import type { FormerHolder, Trace } from './trace.ts';

export interface TraceOptions<Desired extends DesiredResource, Live extends LiveResource> {
  /** Each key has at most one. */
  readonly traces?: readonly Trace[];
  /** Whether a live resource differs from a declaration in its name at most. `idOf`: finds the id of one that is matched by name. */
  readonly resembles?: (desired: Desired, live: Live, idOf: (key: string) => ResourceId | undefined) => boolean;
}

export interface MatchingState<Desired extends DesiredResource, Live extends LiveResource> {
  readonly live: Snapshot<Live>;
  readonly named: NamedKeys;
  readonly identity: Identity<Desired>;
}

interface TracedMatches<Desired extends DesiredResource, Live extends LiveResource> {
  readonly pairs: readonly Match<Desired, Live>[];
  readonly warnings: readonly RuleWarning[];
}

/** Returns the same pairs, with a live resource where a trace leads to one. Each resource is matched at most once. */
export function findTraced<Desired extends DesiredResource, Live extends LiveResource>(
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
