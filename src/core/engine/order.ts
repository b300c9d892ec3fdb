/**
 * Orders changes: creates and restores (dependencies first), updates, disables (dependents first), what is attached to resources, and
 * deletes last. No change precedes one that it needs.
 */

import { compareStrings } from '../../base/compare-strings.ts';
import { cyclicParts, targetsFirst } from '../../base/graph.ts';
import type { Change } from './change.ts';
import { kindOf, presentIn, type Model, type World } from './kind.ts';

/**
 * Returns the changes with their `needs`, sorted so that none precedes one that it needs. If updates that disable resources need each other
 * in a cycle, they become two writes, or stop waiting for resources that are also disabled, or both. A cycle that remains, which valid
 * manifests never cause, is cut.
 */
export function orderChanges<M extends Model>(given: readonly M['change'][], world: World<M>): readonly M['change'][] {
  if (given.length === 0) return [];
  const changes = given.flatMap((change) => kindOf(world.kinds, change).divide?.(change, world.snapshot) ?? [change]);
  const whole = addNeeds(changes, world);
  if (whole.every(({ needs }) => needs.length === 0)) return rankChanges(whole, world);
  const circle = findCircles(whole);
  if (circle.size === 0) return sortChanges(whole, world);
  const parts = changes.flatMap((change) =>
    circle.has(change.ref) ? (kindOf(world.kinds, change).split?.(change) ?? [change]) : [change],
  );
  const split = addNeeds(parts, world);
  const left = findCircles(split);
  if (left.size === 0) return sortChanges(split, world);
  const waived = addNeeds(changes, world, circle);
  return sortChanges(findCircles(waived).size === 0 ? waived : addNeeds(parts, world, left), world);
}

function addNeeds<M extends Model>(
  changes: readonly M['change'][],
  world: World<M>,
  waived: ReadonlySet<string> = new Set(),
): readonly M['change'][] {
  const found = presentIn(world).map((kind) => kind.findNeeds(changes, world.snapshot, waived));
  return changes.map((change) => {
    const needs = new Set([...change.needs, ...found.flatMap((needsOf) => needsOf.get(change.ref) ?? [])]);
    return { ...change, needs: [...needs].filter((ref) => ref !== change.ref) };
  });
}

/** Refs of the changes that need each other in a cycle. */
function findCircles(changes: readonly Change[]): ReadonlySet<string> {
  return new Set(cyclicParts(new Map(changes.map(({ ref, needs }) => [ref, needs]))).keys());
}

function sortChanges<M extends Model>(changes: readonly M['change'][], world: World<M>): readonly M['change'][] {
  const ranked = rankChanges(changes, world);
  const byRef = new Map(ranked.map((change) => [change.ref, change]));
  const placed = new Set<string>();
  const inOrder = targetsFirst(new Map(ranked.map(({ ref, needs }) => [ref, needs])));
  return inOrder
    .flatMap((ref) => byRef.get(ref) ?? [])
    .map((change) => {
      placed.add(change.ref);
      return { ...change, needs: change.needs.filter((needed) => placed.has(needed)) };
    });
}

function rankChanges<M extends Model>(changes: readonly M['change'][], world: World<M>): readonly M['change'][] {
  const ranks = new Map(changes.map((change) => [change.ref, rankChange(change, world)]));
  const rank = ({ ref }: Change): number => ranks.get(ref) ?? 0;
  return changes.toSorted((a, b) => rank(a) - rank(b) || compareStrings(a.key, b.key) || compareStrings(a.ref, b.ref));
}

/** Disables follow other updates. The actions of what is attached to resources are not listed. */
const RANKS: ReadonlyMap<string, number> = new Map([
  ['create', 0],
  ['restore', 1],
  ['update', 2],
  ['delete', 5],
]);
const [RANK_OF_DISABLES, RANK_OF_ATTACHED] = [3, 4];

function rankChange<M extends Model>(change: M['change'], { kinds }: World<M>): number {
  if (kindOf(kinds, change).effects(change).includes('disable')) return RANK_OF_DISABLES;
  return RANKS.get(change.action) ?? RANK_OF_ATTACHED;
}
