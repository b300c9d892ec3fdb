/** Who is who: finds the live flag of each desired one, by key or by a key it had before. */

import { comparing } from '../base/compare-strings.ts';
import type { DeclaredFlag, DesiredFlag, DesiredState } from '../posthog/desired.ts';
import type { Flag } from '../posthog/flag/flag.ts';
import type { LiveState } from '../posthog/live.ts';
import type { KeyOfFlag } from '../posthog/flag/comparison.ts';
import type { PlanWarning } from '../posthog/plan.ts';

export interface Matches {
  readonly pairs: readonly Match[];
  /** Live flags that no manifest names, those left out that are deleted or in the archive, sorted by key. */
  readonly unmanaged: readonly Flag[];
  /** Likewise, those that manifests name for other projects only. */
  readonly namedElsewhere: readonly Flag[];
  readonly warnings: readonly PlanWarning[];
  /** By the key that the flag will have, so that a rename does not look like a change of those that depend on it. */
  readonly keyOfFlag: KeyOfFlag;
}

export interface Match {
  readonly desired: DesiredFlag;
  /** Absent when nothing live has the key, or had it before. */
  readonly live?: Flag;
}

export function matchFlags(desired: DesiredState, live: LiveState): Matches {
  const byKey = indexByKey(live.flags);
  const warnings: PlanWarning[] = [...sharedKeys(live.flags)];
  const pairs = desired.flags.map((flag) => matchFlag(flag, byKey, warnings));
  const named = new Set(desired.flags.flatMap(keysOf));
  const elsewhere = new Set(desired.namedElsewhere);
  const others = [...byKey.values()]
    .filter((flag) => isInUse(flag) && !named.has(flag.key))
    .sort(comparing(({ key }) => key));
  const renamed = new Map(pairs.flatMap(renameOf));
  const keys = new Map(live.flags.map((flag) => [flag.id, renamed.get(flag.id) ?? flag.key]));
  return {
    pairs,
    unmanaged: others.filter((flag) => !elsewhere.has(flag.key)),
    namedElsewhere: others.filter((flag) => elsewhere.has(flag.key)),
    warnings,
    keyOfFlag: (id) => keys.get(id),
  };
}

/** The keys by which a manifest may mean a live flag. */
function keysOf(flag: DesiredFlag): readonly string[] {
  return flag.kind === 'retired' ? [flag.key] : [flag.key, ...flag.previousKeys];
}

/** An archived flag was put away on purpose, and is read only because others name it. */
function isInUse({ deleted, archived }: Flag): boolean {
  return deleted !== true && archived !== true;
}

/** A retired flag is deleted under the key that it has. */
function renameOf({ desired, live }: Match): [number, string][] {
  return live === undefined || desired.kind === 'retired' ? [] : [[live.id, desired.key]];
}

function matchFlag(desired: DesiredFlag, byKey: ReadonlyMap<string, Flag>, warnings: PlanWarning[]): Match {
  const current = byKey.get(desired.key);
  const formers = desired.kind === 'retired' ? [] : liveFormers(desired, byKey);
  const live = current === undefined || current.deleted === true ? (formers[0] ?? current) : current;
  for (const flag of formers) {
    if (flag === live) continue;
    warnings.push({ code: 'previous_key_live', key: desired.key, previous: flag.key, id: flag.id });
  }
  return live === undefined ? { desired } : { desired, live };
}

function liveFormers({ previousKeys }: DeclaredFlag, byKey: ReadonlyMap<string, Flag>): Flag[] {
  return previousKeys.flatMap((key) => byKey.get(key) ?? []).filter((flag) => flag.deleted !== true);
}

/** A key is unique among flags that are not deleted; those come first, and of deleted ones the newest. */
function indexByKey(flags: readonly Flag[]): ReadonlyMap<string, Flag> {
  const byKey = new Map<string, Flag>();
  for (const flag of flags) {
    const other = byKey.get(flag.key);
    if (other === undefined || precedes(flag, other)) byKey.set(flag.key, flag);
  }
  return byKey;
}

function precedes(a: Flag, b: Flag): boolean {
  const deletedA = a.deleted === true;
  return deletedA === (b.deleted === true) ? a.id > b.id === deletedA : !deletedA;
}

function sharedKeys(flags: readonly Flag[]): PlanWarning[] {
  const idsByKey = new Map<string, number[]>();
  for (const flag of flags) {
    if (flag.deleted !== true) idsByKey.set(flag.key, [...(idsByKey.get(flag.key) ?? []), flag.id]);
  }
  return [...idsByKey].flatMap(([key, ids]) => (ids.length > 1 ? [{ code: 'key_shared' as const, key, ids }] : []));
}
