/** Finds which flags depend on which: the graph that orders a plan and shows whom a change harms. */

import { isJsonObject, type JsonValue } from '../../base/json.ts';
import type { Flag } from './flag.ts';
import { flagReferences } from './references.ts';
import { keyOnWire } from './comparison.ts';
import type { Names } from '../../engine/snapshot.ts';

/** Flags by key: those that exist. */
export type DependencyGraph = ReadonlyMap<string, FlagNode>;

export interface FlagNode {
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
