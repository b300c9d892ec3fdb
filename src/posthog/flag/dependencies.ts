/** Finds which flags depend on which: the graph that orders a plan and shows whom a change harms. */

import { isJsonObject, type JsonObject, type JsonValue } from '../../base/json.ts';
import type { Names } from '../../engine/snapshot.ts';
import type { Change, FlagChange } from '../plan.ts';
import { keyInManifest, keyOnWire } from './comparison.ts';
import type { Flag } from './flag.ts';
import { flagReferences } from './references.ts';
import type { FlagSnapshot } from './snapshot.ts';
import { disables } from './split-change.ts';

/** Flags by key: those that exist. */
export type DependencyGraph = ReadonlyMap<string, FlagNode>;

interface FlagNode {
  readonly active: boolean;
  /** Keys, each once; a key without a node names a flag that does not exist. */
  readonly dependsOn: readonly string[];
}

/** The flags as they are live, by the keys that the plan uses. */
export function dependencyGraph(flags: readonly Flag[], names: Names): DependencyGraph {
  return new Map(
    flags.flatMap((flag): [string, FlagNode][] => {
      if (flag.deleted === true) return [];
      const dependsOn = dependenciesIn(flag.filters, (reference) => keyOnWire(reference, names));
      return [[names.keyOf(flag.id) ?? flag.key, { active: flag.active !== false, dependsOn }]];
    }),
  );
}

/** The flags that filters name, by the keys that `keyOf` gives; a number is an id without a key. */
export function dependenciesIn(
  filters: JsonValue | undefined,
  keyOf: (reference: string | number) => string | number,
): readonly string[] {
  if (!isJsonObject(filters)) return [];
  const references = flagReferences(filters);
  return references.length === 0 ? NONE : [...new Set(references.map((reference) => nameOf(keyOf(reference))))];
}

const NONE: readonly string[] = [];

/** The id of an unknown flag must not equal another flag's key. */
function nameOf(reference: string | number): string {
  return typeof reference === 'number' ? `id ${reference}` : reference;
}

/** Flags by key, after a plan: which are active, and on which each depends. */
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
