/** Finds which side moved a resource away from the base, as a whole and value by value, for every kind. */

import { isJsonObject, type JsonObject, type JsonValue } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import type { Divergence } from './base.ts';
import { baseOf, classify, countConverged, type Classified, type ClassifiedStates } from './classify.ts';
import type { DesiredResource } from './desired.ts';
import type { Difference } from './diff.ts';
import type { Match } from './matched.ts';
import type { LiveResource } from './snapshot.ts';

/** The declaration in the base, and whether it was of another live resource. Nothing has a class without a base. */
export type Former = Pick<Match<DesiredResource, LiveResource>, 'base' | 'isOther'>;

/** Classifies a declared resource that the service lacks: one that the base declared was deleted since. */
export function classifyMissing({ base }: Former, isSameDeclaration: () => boolean): Divergence | undefined {
  if (base === undefined) return undefined;
  if (base?.kind !== 'declared') return 'pending';
  return isSameDeclaration() ? 'drifted' : 'conflict';
}

/** Classifies a live resource that the plan deletes: one that differs from the base was edited since. */
export function classifyDelete({ base, isOther }: Former, isAsDeclared: () => boolean): Divergence | undefined {
  if (base === undefined) return undefined;
  if (isOther === true) return 'conflict';
  if (base === null) return 'pending';
  if (base.kind === 'retired') return 'drifted';
  return isAsDeclared() ? 'pending' : 'conflict';
}

/** The values of a resource in the three states. */
export interface ValueStates {
  readonly states: ClassifiedStates;
  /** Pointers of the values whose parts mean something only together. */
  readonly units: ReadonlySet<string>;
  /** Whether the base declared the value at a pointer. If not, it cannot tell who moved: the manifests begin to manage the value. */
  readonly isDeclared: (pointer: string) => boolean;
  /** Whether the manifests declare something else than the base did. */
  readonly isChanged: boolean;
}

/** A class for each difference. What people deleted while the manifests changed it is a conflict. */
export function classifyAll<One extends Difference>(
  differences: readonly One[],
  { states, units, isDeclared, isChanged }: ValueStates,
): (One & Classified)[] {
  return differences.map((one) => {
    if (!isDeclared(one.path)) return { ...one, divergence: 'pending', at: one.path };
    const { divergence, at } = classify(one.path, states, units);
    const isRevival = one.path === '/deleted' && divergence === 'drifted' && isChanged;
    return { ...one, divergence: isRevival ? 'conflict' : divergence, at };
  });
}

/** The differences of a resource that the base did not declare, or did not declare as this one. */
export function classifyAlike<One extends Difference>(
  differences: readonly One[],
  { isOther }: Former,
): (One & Classified)[] {
  const divergence = isOther === true ? 'conflict' : 'pending';
  return differences.map((one) => ({ ...one, divergence, at: one.path }));
}

/** The same difference; in a conflict with what the base declared, if it had a value. */
export function withBaseValue<One extends Difference & { readonly divergence: Divergence }>(
  one: One,
  states: ClassifiedStates,
): One & { readonly base?: JsonValue } {
  return one.divergence === 'conflict' ? { ...one, ...defined({ base: baseOf(one, states) }) } : one;
}

/** The number of values that both sides moved to the same value, in fields that the base declared. */
export function countAlike({ states, units, isDeclared, isChanged }: ValueStates): number {
  if (!isChanged) return 0;
  const only = (state: JsonValue | undefined): JsonObject =>
    Object.fromEntries(Object.entries(isJsonObject(state) ? state : {}).filter(([field]) => isDeclared(`/${field}`)));
  return countConverged({ base: only(states.base), live: only(states.live), wanted: only(states.wanted) }, units);
}
