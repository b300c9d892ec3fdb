/**
 * Finds the live resource of each desired one, by key, by a previous key, or by a trace of the resource that had the key, and
 * the owner of every other live one.
 */

import { comparing } from '../base/compare-strings.ts';
import { defined } from '../base/optional.ts';
import { namedKeys, type DesiredResource } from './desired.ts';
import { findResourceOwner, type Owner } from './ownership.ts';
import type { RuleWarning } from './plan.ts';
import type { LiveResource, Snapshot } from './snapshot.ts';
import type { Match } from './matched.ts';
import { findTraced, type Held, type TraceOptions } from './match-traced.ts';

export interface Matches<Desired extends DesiredResource, Live extends LiveResource> {
  readonly pairs: readonly Match<Desired, Live>[];
  /** Live resources in use that no manifest names, sorted by key. */
  readonly unmanaged: readonly Live[];
  /** Likewise, those that manifests name for other projects only. */
  readonly namedElsewhere: readonly Live[];
  readonly warnings: readonly RuleWarning[];
  /** The keys that live resources get, by id, so that a rename does not look like a change of those that depend on it. */
  readonly renamed: ReadonlyMap<number, string>;
  /** What the base said, by key; absent where there is none. */
  readonly base?: ReadonlyMap<string, Desired>;
}

export interface MatchOptions<Desired extends DesiredResource, Live extends LiveResource> extends TraceOptions<
  Desired,
  Live
> {
  /** Keys that manifests name for other projects only. */
  readonly namedElsewhere?: readonly string[];
  /** What the base said of resources; absent where there is none. */
  readonly base?: readonly Desired[];
}

export function matchResources<Desired extends DesiredResource, Live extends LiveResource>(
  desired: readonly Desired[],
  live: Snapshot<Live>,
  options: MatchOptions<Desired, Live> = {},
): Matches<Desired, Live> {
  const named = { here: new Set(desired.flatMap(namedKeys)), elsewhere: new Set(options.namedElsewhere) };
  const byName = desired.map((resource) => matchResource(resource, live));
  const held: Held<Live> = { live, named, ids: new Set(byName.flatMap((pair) => pair.live?.id ?? [])) };
  const { pairs: found, warnings } = findTraced(byName, held, options);
  const base = options.base === undefined ? undefined : new Map(options.base.map((one) => [one.key, one]));
  const pairs = base === undefined ? found : found.map((pair) => ({ ...pair, base: findBase(pair.desired, base) }));
  const matched = new Set(pairs.flatMap((pair) => pair.live?.id ?? []));
  const others = live.all
    .filter((one) => findResourceOwner(one.key, named) !== 'manifest' && isInUse(one) && live.byKey(one.key) === one)
    .filter(({ id }) => !matched.has(id))
    .sort(comparing(({ key }) => key));
  const ownedBy = (owner: Owner): Live[] => others.filter(({ key }) => findResourceOwner(key, named) === owner);
  return {
    pairs,
    unmanaged: ownedBy('unmanaged'),
    namedElsewhere: ownedBy('other-project'),
    warnings: [
      ...sharedKeys(live.all),
      ...pairs.flatMap((pair) => [...warnOfFormers(pair, live), ...warnOfDestroyed(pair, live)]),
      ...warnings,
    ],
    renamed: new Map(pairs.flatMap(findRename)),
    ...defined({ base }),
  };
}

/** The base may name the resource by a key that it had before. */
function findBase<Desired extends DesiredResource>(
  desired: Desired,
  base: ReadonlyMap<string, Desired>,
): Desired | null {
  return namedKeys(desired).flatMap((key) => base.get(key) ?? [])[0] ?? null;
}

/** An archived resource was put away on purpose, and is read only because others name it. */
function isInUse({ deleted, archived }: LiveResource): boolean {
  return deleted !== true && archived !== true;
}

/** A retired resource is deleted under the key that it has. */
function findRename({ desired, live }: Match<DesiredResource, LiveResource>): [number, string][] {
  return live === undefined || desired.kind === 'retired' ? [] : [[live.id, desired.key]];
}

function matchResource<Desired extends DesiredResource, Live extends LiveResource>(
  desired: Desired,
  { byKey }: Snapshot<Live>,
): Match<Desired, Live> {
  const current = byKey(desired.key);
  const isHeld = current !== undefined && current.deleted !== true;
  const live = isHeld ? current : (findFormers(desired, byKey)[0] ?? current);
  return live === undefined ? { desired } : { desired, live };
}

/** Live resources under previous keys. */
function findFormers<Live extends LiveResource>(desired: DesiredResource, byKey: Snapshot<Live>['byKey']): Live[] {
  if (desired.kind === 'retired' || desired.previousKeys.length === 0) return [];
  return desired.previousKeys.flatMap((key) => byKey(key) ?? []).filter(({ deleted }) => deleted !== true);
}

function warnOfFormers<Live extends LiveResource>(
  { desired, live }: Match<DesiredResource, Live>,
  { byKey }: Snapshot<Live>,
): RuleWarning[] {
  const others = findFormers(desired, byKey).filter((former) => former !== live);
  return others.map(({ key, id }) => ({ code: 'previous_key_live', key: desired.key, previous: key, id }));
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

function sharedKeys(all: readonly LiveResource[]): RuleWarning[] {
  const idsByKey = new Map<string, number[]>();
  for (const { id, key, deleted } of all) {
    if (deleted === true) continue;
    const ids = idsByKey.get(key);
    if (ids === undefined) idsByKey.set(key, [id]);
    else ids.push(id);
  }
  return [...idsByKey].flatMap(([key, ids]) => (ids.length > 1 ? [{ code: 'key_shared' as const, key, ids }] : []));
}
