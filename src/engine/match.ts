/** Finds the live resource of each desired one, by key or by a previous key, and the owner of every other live one. */

import { comparing } from '../base/compare-strings.ts';
import { namedKeys, type DesiredResource } from './desired.ts';
import { findResourceOwner, type Owner } from './ownership.ts';
import type { RuleWarning } from './plan.ts';
import type { LiveResource, Snapshot } from './snapshot.ts';

export interface Matches<Desired extends DesiredResource, Live extends LiveResource> {
  readonly pairs: readonly Match<Desired, Live>[];
  /** Live resources in use that no manifest names, sorted by key. */
  readonly unmanaged: readonly Live[];
  /** Likewise, those that manifests name for other projects only. */
  readonly namedElsewhere: readonly Live[];
  readonly warnings: readonly RuleWarning[];
  /** The keys that live resources get, by id, so that a rename does not look like a change of those that depend on it. */
  readonly renamed: ReadonlyMap<number, string>;
}

export interface Match<Desired extends DesiredResource, Live extends LiveResource> {
  readonly desired: Desired;
  /** Absent when no live resource has the key, or had it before. */
  readonly live?: Live;
}

/** `namedElsewhere`: keys that manifests name for other projects only. */
export function matchResources<Desired extends DesiredResource, Live extends LiveResource>(
  desired: readonly Desired[],
  live: Snapshot<Live>,
  namedElsewhere: readonly string[] = [],
): Matches<Desired, Live> {
  const matched = desired.map((resource) => matchResource(resource, live));
  const pairs = matched.map(({ pair }) => pair);
  const named = { here: new Set(desired.flatMap(namedKeys)), elsewhere: new Set(namedElsewhere) };
  const inUse = live.all.filter((resource) => isInUse(resource) && live.byKey(resource.key) === resource);
  const ownedBy = (owner: Owner): Live[] =>
    inUse.filter(({ key }) => findResourceOwner(key, named) === owner).sort(comparing(({ key }) => key));
  return {
    pairs,
    unmanaged: ownedBy('unmanaged'),
    namedElsewhere: ownedBy('other-project'),
    warnings: [...sharedKeys(live.all), ...matched.flatMap(({ warnings }) => warnings)],
    renamed: new Map(pairs.flatMap(findRename)),
  };
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
): { readonly pair: Match<Desired, Live>; readonly warnings: readonly RuleWarning[] } {
  const current = byKey(desired.key);
  const previousKeys = desired.kind === 'retired' ? [] : desired.previousKeys;
  const formers = previousKeys.flatMap((key) => byKey(key) ?? []).filter(({ deleted }) => deleted !== true);
  const live = current === undefined || current.deleted === true ? (formers[0] ?? current) : current;
  const warnings = formers
    .filter((former) => former !== live)
    .map(({ key, id }) => ({ code: 'previous_key_live' as const, key: desired.key, previous: key, id }));
  return { pair: live === undefined ? { desired } : { desired, live }, warnings };
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
