/** Matches desired resources that no live key names with the resources that had their keys: deleted or renamed since. */

import { defined } from '../base/optional.ts';
import { namedKeys, type DesiredResource } from './desired.ts';
import type { Match } from './matched.ts';
import { findResourceOwner, type NamedKeys } from './ownership.ts';
import type { RuleWarning } from './plan.ts';
import type { LiveResource, Snapshot } from './snapshot.ts';
import type { FormerHolder, Trace } from './trace.ts';

export interface TraceOptions<Desired extends DesiredResource, Live extends LiveResource> {
  /** What is known of the keys that no live resource has, each key at most once. */
  readonly traces?: readonly Trace[];
  /** Whether a live resource is as the desired one declares it, but for its key. */
  readonly resembles?: (desired: Desired, live: Live) => boolean;
}

export interface Held<Live extends LiveResource> {
  readonly live: Snapshot<Live>;
  readonly named: NamedKeys;
  /** Ids of the live resources that are matched by name. */
  readonly ids: ReadonlySet<number>;
}

interface Traced<Desired extends DesiredResource, Live extends LiveResource> {
  readonly pairs: readonly Match<Desired, Live>[];
  readonly warnings: readonly RuleWarning[];
}

/** The same pairs, with a live resource where a trace leads to one. Each resource is matched at most once. */
export function findTraced<Desired extends DesiredResource, Live extends LiveResource>(
  pairs: readonly Match<Desired, Live>[],
  held: Held<Live>,
  { traces = [], resembles = () => false }: TraceOptions<Desired, Live>,
): Traced<Desired, Live> {
  if (traces.length === 0) return { pairs, warnings: [] };
  const byKey = new Map(traces.map((trace) => [trace.key, trace]));
  const taken = new Set(held.ids);
  const warnings: RuleWarning[] = [];
  const matched = pairs.map((pair) => {
    const { desired } = pair;
    if (pair.live !== undefined || desired.kind === 'retired') return pair;
    const found = namedKeys(desired).flatMap((key) => byKey.get(key) ?? []);
    for (const trace of found.filter((one) => one.kind === 'former')) {
      const { live, warning } = follow(trace, desired, { held, taken, resembles });
      if (warning !== undefined) warnings.push(warning);
      if (live === undefined) continue;
      taken.add(live.id);
      return { desired, live };
    }
    const unknown = found.find((one) => one.kind === 'unknown');
    if (unknown !== undefined) warnings.push({ code: 'deleted_unknown', key: desired.key, why: unknown.why });
    return pair;
  });
  return { pairs: matched, warnings };
}

interface Following<Desired extends DesiredResource, Live extends LiveResource> {
  readonly held: Held<Live>;
  readonly taken: ReadonlySet<number>;
  readonly resembles: (desired: Desired, live: Live) => boolean;
}

interface Followed<Live> {
  readonly live?: Live;
  readonly warning?: RuleWarning;
}

/** A deleted resource is matched. One that is in use may be another user's by now, so that takes more. */
function follow<Desired extends DesiredResource, Live extends LiveResource>(
  trace: FormerHolder,
  desired: Desired,
  { held, taken, resembles }: Following<Desired, Live>,
): Followed<Live> {
  const { key } = desired;
  const live = held.live.byId(trace.id);
  if (live === undefined) return {};
  if (live.deleted === true || live.key === key) return taken.has(live.id) ? {} : { live };
  const facts = { key, id: live.id, current: live.key, ...defined({ since: trace.since }) };
  const why = findObstacle(trace, findResourceOwner(live.key, held.named), () => resembles(desired, live));
  if (why !== undefined) return { warning: { code: 'renamed_away', ...facts, why } };
  if (taken.has(live.id)) return {};
  return { live, warning: { code: 'renamed_back', ...facts } };
}

/** Why a renamed resource is not renamed back. */
function findObstacle(
  { evidence }: FormerHolder,
  owner: ReturnType<typeof findResourceOwner>,
  isAsDeclared: () => boolean,
): 'declared' | 'differs' | undefined {
  if (owner !== 'unmanaged') return 'declared';
  return evidence === 'recorded' || isAsDeclared() ? undefined : 'differs';
}
