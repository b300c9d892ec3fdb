/** Finds what today's service refuses even with permission, and what must be done before it accepts the change. */

import { reach, targetsFirst } from '../../base/graph.ts';
import { isJsonArray, memberOf, type JsonValue } from '../../base/json.ts';
import type { Flag } from './model/flag.ts';
import { viewFilters } from './model/view.ts';
import type { FlagsAfterPlan } from './snapshot.ts';

/** Whether the service refuses to disable or delete what active flags use. Since 2025, like the counter of updates. */
export function protectsUsed(flags: readonly Flag[]): boolean {
  return flags.some((flag) => flag.version !== undefined);
}

/** Whether the service refuses to enable a flag that depends on a disabled one. Since 2026, like the archive. */
export function refusesDisabledDependencies(flags: readonly Flag[]): boolean {
  return flags.some((flag) => flag.archived !== undefined);
}

/** Whether the service has actions that switch the flag without a body. Since 2026, like the archive; not of a flag with rules. */
export function hasActions(flag: Flag | undefined): boolean {
  return flag?.archived !== undefined && !viewFilters(flag.filters).isOpaque;
}

/** The active flags that depend on the flag, directly or not: each before those that it depends on. */
export function dependentsFirst(key: string, { dependents }: FlagsAfterPlan): readonly string[] {
  return inOrder(key, (other) => dependents.get(other) ?? []);
}

/** The disabled flags on which the flag depends, directly or not: each after those that it depends on. */
export function dependenciesFirst(key: string, { flags }: FlagsAfterPlan): readonly string[] {
  return inOrder(key, (other) => disabledDependencies(other, flags));
}

/** Dependencies that exist. */
export function disabledDependencies(key: string, flags: FlagsAfterPlan['flags']): readonly string[] {
  return (flags.get(key)?.dependsOn ?? []).filter((other) => flags.get(other)?.active === false);
}

function inOrder(key: string, next: (key: string) => readonly string[]): readonly string[] {
  const reached = [...reach(next(key), next)].filter((other) => other !== key).toSorted();
  return targetsFirst(new Map(reached.map((other) => [other, next(other)])));
}

/** Parts of filters that decide before the conditions do. */
const EARLIER = ['holdout', 'holdout_groups', 'super_groups', 'feature_enrollment'] as const;

/** The number of conditions that decide about the flag; `undefined` if it has none, or if something else decides before them. */
export function decidingConditions(filters: Flag['filters']): number | undefined {
  if (filters === undefined || viewFilters(filters).isOpaque || EARLIER.some((part) => isSet(memberOf(filters, part))))
    return undefined;
  // An element that is not a condition counts: what the service makes of it is unknown.
  const count = filters.groups?.length ?? 0;
  return count === 0 ? undefined : count;
}

function isSet(value: JsonValue | undefined): boolean {
  return isJsonArray(value) ? value.length > 0 : value !== undefined && value !== null && value !== false;
}
