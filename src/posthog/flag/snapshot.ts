/** Live flags as one value, and their dependencies. A flag is made comparable once, when it is first compared. */

import { disables, type FlagChange, type UpdateFlag } from './change.ts';
import { isJsonObject, type JsonObject, type JsonValue, jsonEquals, memberOf } from '../../base/json.ts';
import { groupBy } from '../../base/group.ts';
import { once } from '../../base/once.ts';
import { defined } from '../../base/optional.ts';
import { indexResources, type KeysAfterPlan, type Snapshot } from '../../core/engine/snapshot.ts';
import type { LiveState } from '../live.ts';
import type { Change, Plan } from '../plan.ts';
import { comparableFlag, keyInManifest, keyOnWire, afterWrite, differencesIn, pairFields } from './comparison.ts';
import type { Flag, FlagNames } from './model/flag.ts';
import { flagReferences, nameOfReference, mapReferencesIn } from './model/references.ts';
import type { FieldChange } from '../../core/engine/change.ts';
import { valueAt } from '../../base/json-pointer.ts';
import { nameChange } from '../../core/engine/body-kind.ts';

export interface FlagSnapshot extends Snapshot<Flag>, FlagNames {
  /** Every field of a live flag that is ever compared, in canonical form and with dependencies by key. */
  readonly comparable: (flag: Flag) => JsonObject;
  /** The flags that a recorded run turned off; absent if none was, or if no journal was read. */
  readonly turnedOff?: TurnedOffFlags;
  readonly turnedOn?: LiveState['turnedOn'];
  readonly disablings?: LiveState['disablings'];
  /** The dependencies between the flags. */
  readonly graph: () => DependencyGraph;
  /** Whether any of them depends on another. */
  readonly hasDependencies: () => boolean;
}

/** The flags of live state. */
export function takeFlagSnapshot({
  flags,
  hasPayloadDigests,
  turnedOff,
  turnedOn,
  disablings,
}: LiveState): FlagSnapshot {
  return snapshotFlags({
    ...indexResources(flags),
    ...defined({ hasPayloadDigests, turnedOff, turnedOn, disablings }),
  });
}

/** The key and the comparable form of a flag depend on the names of the flags, so one snapshot has all. */
export function snapshotFlags(
  flags: Snapshot<Flag> & FlagNames & Pick<FlagSnapshot, 'turnedOff' | 'turnedOn' | 'disablings'>,
): FlagSnapshot {
  // Keeps only the last form: plans go through flags one by one, and to keep all forms would cost more than it saves.
  let last: { readonly flag: Flag; readonly form: JsonObject } | undefined;
  const graph = once(() => dependencyGraph(flags.all, flags));
  return {
    ...flags,
    comparable: (flag) => {
      if (last?.flag !== flag) last = { flag, form: comparableFlag(flag, flags) };
      return last.form;
    },
    graph,
    hasDependencies: once(() => [...graph().values()].some(({ dependsOn }) => dependsOn.length > 0)),
  };
}

/** Flags by key: those that exist. */
export type DependencyGraph = ReadonlyMap<string, FlagNode>;

interface FlagNode {
  readonly active: boolean;
  /** Keys, each once; a key without a node names a flag that does not exist. */
  readonly dependsOn: readonly string[];
}

/** The flags as they are live, by the keys that the plan uses. */
export function dependencyGraph(flags: readonly Flag[], names: KeysAfterPlan): DependencyGraph {
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
  return references.length === 0
    ? NONE
    : [...new Set(references.map((reference) => nameOfReference(keyOf(reference))))];
}

const NONE: readonly string[] = [];

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
  const uses = [...after].flatMap(([key, { active, dependsOn }]) =>
    active ? dependsOn.map((dependency) => ({ dependency, key })) : [],
  );
  const dependents = [...groupBy(uses, ({ dependency }) => dependency)];
  return { flags: after, dependents: new Map(dependents.map(([key, own]) => [key, own.map((use) => use.key)])) };
}

/** A new flag as the service creates it by default. */
const NEW: FlagNode = { active: true, dependsOn: [] };

/** Active flags that still depend on one that the change deletes or disables, sorted. */
export function remainingDependents(change: FlagChange, { dependents }: FlagsAfterPlan): readonly string[] {
  if (change.action !== 'delete' && !disables(change)) return [];
  return (dependents.get(change.key) ?? []).filter((key) => key !== change.key).sort();
}

export interface TurnedOff {
  readonly run: string;
  /** ISO 8601, by the clock of the machine. */
  readonly at: string;
  readonly reason?: string;
  /** The user who executed the run. */
  readonly by?: string;
  /** JSON pointers of the values that it wrote: `/active`, or the percentages of conditions. */
  readonly paths: readonly string[];
  /** The flag was off before the run: a change that was made in git since then would turn it on too. */
  readonly already?: true;
}

/** What the activity log says about a flag that is off, where nothing records what was applied last. */
export interface Disabling {
  /** ISO 8601, as the service wrote it. */
  readonly at: string;
  readonly by?: string;
  /** After the commit of the manifests was made, so that git cannot have decided to turn the flag on since. */
  readonly afterCommit: boolean;
}

/** Keys are ids of flags. */
export type TurnedOffFlags = ReadonlyMap<number, TurnedOff>;

/**
 * The differences that would revert what the run wrote. A change that was made in git since the last apply does not count, unless the flag was
 * off before the run: then nothing else tells that a person wants it off.
 */
export function revertedValues(
  fields: readonly FieldChange[],
  { paths, already }: Pick<TurnedOff, 'paths' | 'already'>,
): readonly FieldChange[] {
  return fields.filter(
    ({ path, divergence }) => paths.includes(path) && (already === true || divergence !== 'pending'),
  );
}

/** `before` is absent if the flag did not exist, `after` where it is deleted. Payloads may be digests on one side only. */
export interface FlagStates {
  readonly before?: JsonObject;
  readonly after?: JsonObject;
}

/** `changes`: all changes of one flag, in the order of the plan. */
export function sidesOf(changes: readonly FlagChange[]): FlagStates {
  const [first] = changes;
  const before = first === undefined || first.action === 'create' ? undefined : first.base.flag;
  const after = changes.reduce<JsonObject | undefined>(
    (flag, change) => (change.action === 'delete' ? undefined : afterWrite(flag ?? {}, change.body)),
    before,
  );
  return defined({ before, after });
}

/** Live flags as the plan leaves them, with the ids of the service; a new flag gets a free one. */
export function afterPlan(flags: FlagSnapshot, changes: Plan['changes']): readonly Flag[] {
  const planned = changesById(changes);
  const free = Math.max(0, ...flags.all.map(({ id }) => id)) + 1;
  const created = changes
    .filter((change) => change.resource === 'flag' && change.action === 'create')
    .map((change, index): Flag => ({ ...sidesOf([change]).after, id: free + index, key: change.key }));
  const left = flags.all.flatMap((flag): Flag[] => {
    const own = planned.get(flag.id);
    if (own === undefined) return [flag];
    const { after } = sidesOf(own);
    return after === undefined ? [] : [{ ...flag, ...after }];
  });
  const ids = new Map([...left, ...created].map(({ key, id }) => [key, String(id)]));
  const idOf = (reference: string | number): string | number =>
    (typeof reference === 'string' ? ids.get(reference) : undefined) ?? reference;
  const isWritten = ({ id }: Flag): boolean => id >= free || planned.has(id);
  return [...left, ...created].map((flag) => (isWritten(flag) ? mapReferencesIn(flag, { flag: idOf }) : flag));
}

/** The changes of flags that exist. */
export function changesById(changes: Plan['changes']): ReadonlyMap<number, readonly FlagChange[]> {
  const own = changes.filter((change) => change.resource === 'flag' && change.action !== 'create');
  return groupBy(own, ({ id }) => id);
}

/** The change of a plan that would lead from one state to the other; both are in comparable form. */
export function asUpdate(
  { key, id }: Pick<Flag, 'key' | 'id'>,
  { before, after }: { readonly before: JsonObject; readonly after: JsonObject },
  flags: FlagSnapshot,
): UpdateFlag {
  const written = ['active', 'filters'].filter((field) => !jsonEquals(memberOf(before, field), memberOf(after, field)));
  const body = Object.fromEntries(written.map((field) => [field, memberOf(after, field) ?? null]));
  const pairs = pairFields({ wanted: after, live: before }, body, flags);
  return {
    action: 'update',
    ...nameChange('flag', key),
    id,
    fields: differencesIn(pairs),
    body,
    base: { version: null, flag: before, former: {} },
    needs: [],
  };
}

/** Whether the flag has the value of a rollout at the path. A condition without a percentage has all of its people. */
export function isAt(flag: JsonObject, path: string, value: JsonValue | undefined): boolean {
  const absent = path === '/active' ? true : 100;
  return jsonEquals(valueAt(flag, path) ?? absent, value ?? absent);
}
