/**
 * The order of changes: creates and restores (dependencies first), updates, disables (dependents first), grants and revokes,
 * deletes last; and before all that, nothing before what it needs.
 */

import { compareStrings } from '../base/compare-strings.ts';
import { cyclicParts, targetsFirst } from '../base/graph.ts';
import { withNeeds, type Surroundings } from '../posthog/flag/needs.ts';
import type { Change, UpdateFlag } from '../posthog/plan.ts';
import { disables, splitUpdate } from '../posthog/flag/split-change.ts';

/**
 * The changes with their `needs` filled in, sorted so that none stands before one that it needs. Where updates that switch a
 * flag off need each other in a circle, they come as two writes, or they do not wait for flags that are off as well;
 * both where neither does alone. A circle that is left, which no sound manifests make, is cut.
 */
export function orderChanges(changes: readonly Change[], surroundings: Surroundings): readonly Change[] {
  const whole = withNeeds(changes, surroundings);
  const circle = inCircle(whole);
  if (circle.size === 0) return sorted(whole);
  const parts = changes.flatMap((change) =>
    circle.has(change.ref) && isSplittable(change) ? splitUpdate(change) : [change],
  );
  const split = withNeeds(parts, surroundings);
  const left = inCircle(split);
  if (left.size === 0) return sorted(split);
  const waived = withNeeds(changes, surroundings, circle);
  return sorted(inCircle(waived).size === 0 ? waived : withNeeds(parts, surroundings, left));
}

function isSplittable(change: Change): change is UpdateFlag {
  return change.action === 'update' && disables(change) && change.body['filters'] !== undefined;
}

/** Refs of the changes that need each other in a circle. */
function inCircle(changes: readonly Change[]): ReadonlySet<string> {
  return new Set(cyclicParts(new Map(changes.map(({ ref, needs }) => [ref, needs]))).keys());
}

function sorted(changes: readonly Change[]): readonly Change[] {
  const ranked = changes.toSorted(
    (a, b) => rank(a) - rank(b) || compareStrings(a.key, b.key) || compareStrings(a.ref, b.ref),
  );
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

function rank(change: Change): number {
  switch (change.action) {
    case 'create':
      return 0;
    case 'restore':
      return 1;
    case 'update':
      return disables(change) ? 3 : 2;
    case 'grant':
    case 'revoke':
      return 4;
    case 'delete':
      return 5;
  }
}
