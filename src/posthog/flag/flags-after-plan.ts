/** The flags after a plan: which are active, and on which each depends. */

import type { JsonObject } from '../../base/json.ts';
import { keyInManifest } from './comparison.ts';
import { dependenciesIn, type DependencyGraph, type FlagNode } from './dependencies.ts';
import type { Change, FlagChange } from '../plan.ts';
import type { FlagSnapshot } from './snapshot.ts';
import { disables } from './split-change.ts';

/** Flags by key, after the plan. */
export interface FlagsAfterPlan {
  readonly flags: DependencyGraph;
  /** Keys of the active flags that depend on a flag. */
  readonly dependents: ReadonlyMap<string, readonly string[]>;
}

/** Predicts the flags after the changes, by the keys that the plan uses. */
export function flagsAfterPlan(changes: readonly Change[], flags: FlagSnapshot): FlagsAfterPlan {
  const after = new Map(flags.graph());
  const nodeOf = ({ active, filters }: JsonObject, before: FlagNode): FlagNode => ({
    active: typeof active === 'boolean' ? active : before.active,
    dependsOn:
      filters === undefined
        ? before.dependsOn
        : dependenciesIn(filters, (reference) => keyInManifest(reference, flags)),
  });
  for (const change of changes) {
    if (change.resource !== 'flag') continue;
    const { key } = change;
    if (change.action === 'delete') after.delete(key);
    else {
      const before = change.action === 'restore' ? nodeOf(change.base.flag, NEW) : (after.get(key) ?? NEW);
      after.set(key, nodeOf(change.body, before));
    }
  }
  return { flags: after, dependents: dependentsIn(after) };
}

/** A new flag as the service creates it by default. */
const NEW: FlagNode = { active: true, dependsOn: [] };

/** Active flags that still depend on one that the change deletes or disables, sorted. */
export function remainingDependents(change: FlagChange, { dependents }: FlagsAfterPlan): readonly string[] {
  if (change.action !== 'delete' && !disables(change)) return [];
  return (dependents.get(change.key) ?? []).filter((key) => key !== change.key).sort();
}

function dependentsIn(flags: DependencyGraph): FlagsAfterPlan['dependents'] {
  const dependents = new Map<string, string[]>();
  for (const [key, { active, dependsOn }] of flags) {
    if (!active) continue;
    for (const dependency of dependsOn) {
      const keys = dependents.get(dependency);
      if (keys === undefined) dependents.set(dependency, [key]);
      else keys.push(key);
    }
  }
  return dependents;
}
