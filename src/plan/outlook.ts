/** What a plan leads to, as far as flags depend on each other: who is active afterwards, and on whom each depends. */

import { isJsonObject } from '../base/json.ts';
import type { Flag } from '../model/flag.ts';
import { flagReferences } from '../model/references.ts';
import { comparableFlag, type KeyOfFlag } from './comparison.ts';
import { disables } from './order.ts';
import type { Change, FlagChange } from './plan.ts';

/** Flags by key, as they will be. */
export interface Outlook {
  readonly flags: ReadonlyMap<string, ForeseenFlag>;
  /** Keys of the active flags that depend on a flag. */
  readonly dependents: ReadonlyMap<string, readonly string[]>;
}

interface ForeseenFlag {
  readonly active: boolean;
  readonly dependsOn: readonly string[];
}

export function foresee(changes: readonly Change[], flags: readonly Flag[], keyOfFlag: KeyOfFlag): Outlook {
  const foreseen = new Map<string, ForeseenFlag>();
  for (const flag of flags) {
    if (flag.deleted === true) continue;
    const { filters } = comparableFlag(flag, keyOfFlag);
    const key = keyOfFlag(flag.id) ?? flag.key;
    foreseen.set(key, { active: flag.active !== false, dependsOn: dependencies(filters) });
  }
  for (const change of changes) {
    if (change.resource !== 'flag') continue;
    const now = foreseen.get(change.key);
    if (change.action === 'delete') foreseen.delete(change.key);
    else {
      const { active, filters } = change.body;
      foreseen.set(change.key, {
        active: typeof active === 'boolean' ? active : (now?.active ?? true),
        dependsOn: filters === undefined ? (now?.dependsOn ?? []) : dependencies(filters),
      });
    }
  }
  return { flags: foreseen, dependents: dependentsIn(foreseen) };
}

/** Active flags that still depend on one that the change deletes or disables, sorted. */
export function remainingDependents(change: FlagChange, { dependents }: Outlook): readonly string[] {
  if (change.action !== 'delete' && !disables(change)) return [];
  return (dependents.get(change.key) ?? []).filter((key) => key !== change.key).sort();
}

function dependentsIn(flags: ReadonlyMap<string, ForeseenFlag>): Outlook['dependents'] {
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

function dependencies(filters: unknown): string[] {
  return isJsonObject(filters) ? [...new Set(flagReferences(filters).map(String))] : [];
}
