/**
 * The order and the parts of writes. It splits the write of a flag. To disable it: the first write disables the flag and the second changes it, never the reverse, since new
 * conditions must not take effect before the flag is disabled. To enable it: the first changes the flag and the second enables it. To
 * create it: the first creates it disabled.
 */

import { fieldAt } from '../../core/engine/field-kind.ts';
import { arrayOrEmpty, objectOrEmpty, type JsonObject, type JsonValue } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import { isPartial, refTo } from '../../core/engine/change.ts';
import type { Change } from '../plan.ts';
import { disables, type FlagChange, type UpdateFlag } from './change.ts';
import { comparableFields, keyInManifest } from './comparison.ts';
import { type FlagNames, rolloutOf } from './model/flag.ts';
import { cyclicParts, reach } from '../../base/graph.ts';
import { groupBy } from '../../base/group.ts';
import type { Needs } from '../../core/engine/kind.ts';
import { dependenciesIn, type DependencyGraph, flagsAfterPlan, type FlagSnapshot } from './snapshot.ts';

/** Splits an update that disables: the first write gets the ref `flag_active:KEY`, the rest keeps the ref of the whole. */
export function splitUpdate(change: UpdateFlag): readonly [off: UpdateFlag, rest: UpdateFlag] {
  // The first write also renames, so that both writes use the same key.
  const isFirst = (field: string): boolean => field === 'active' || field === 'key';
  const off = partOf(change, isFirst);
  const rest = partOf(change, (field) => !isFirst(field));
  const ref = refTo('flag_active', change.key);
  return [
    { ...off, ref },
    { ...rest, needs: [...rest.needs, ref], base: { ...rest.base, flag: { ...rest.base.flag, ...off.body } } },
  ];
}

/** Splits an update that enables, where the service would refuse to enable the flag with its former conditions: the rest goes first. */
export function divideUpdate(change: UpdateFlag, names: FlagNames): readonly [rest: UpdateFlag, on: UpdateFlag] {
  const rest = partOf(change, (field) => field !== 'active');
  const on = partOf(change, (field) => field === 'active');
  const left = comparableFields(rest.body, change.base.flag, names);
  return [
    rest,
    {
      ...on,
      // What stays true of the value for the write that follows.
      ...defined({ keeps: change.keeps?.map(({ path, between }) => ({ path, ...defined({ between }) })) }),
      ref: refTo('flag_active', change.key),
      needs: [...on.needs, rest.ref],
      base: { ...on.base, flag: { ...change.base.flag, ...left } },
    },
  ];
}

/** Joins both writes of a flag into one update under the ref of the whole; other changes stay. */
export function joinUpdates<Item extends { readonly change: Change }>(items: readonly Item[]): Item[] {
  const updates = items.flatMap(({ change }) => (isUpdate(change) ? change : []));
  const firsts = new Map(updates.filter(isPartial).map((change) => [change.id, change]));
  const joined = new Set<Change>();
  const whole = items.map((item) => {
    const { change: rest } = item;
    const first = isUpdate(rest) && !isPartial(rest) ? firsts.get(rest.id) : undefined;
    if (first === undefined || !isUpdate(rest)) return item;
    joined.add(first);
    const change = {
      ...rest,
      fields: [...first.fields, ...rest.fields],
      body: { ...first.body, ...rest.body },
      base: { ...first.base, former: { ...first.base.former, ...rest.base.former } },
    };
    return { ...item, change };
  });
  return whole.filter(({ change }) => !joined.has(change));
}

/**
 * The flag after each write of a create that is sent in parts, which begins disabled. A new remote configuration gets 100 % in place of
 * 0 % or of no condition, and a write of its own takes that back. (docs/service.md, "Create")
 */
export function stagesOfCreate(body: JsonObject): readonly [JsonObject, ...JsonObject[]] {
  const { filters, active, archived } = body;
  const off = { ...body, active: false };
  const further = active === false || archived === true ? [] : [{ ...body, active: true }];
  if (!isStoredOtherwise(body)) return [off, ...further];
  const conditions = conditionsIn(filters);
  const groups = (conditions.length === 0 ? [{}] : conditions).map((one) =>
    rolloutOf(one) === 0 ? { ...one, rollout_percentage: 100 } : one,
  );
  return [{ ...off, filters: { ...objectOrEmpty(filters), groups } }, off, ...further];
}

/** Whether the service would store other conditions for a new flag. */
export function isStoredOtherwise({ is_remote_configuration: isRemote, filters }: JsonObject): boolean {
  const conditions = conditionsIn(filters);
  return isRemote === true && (conditions.length === 0 || conditions.some((one) => rolloutOf(one) === 0));
}

function conditionsIn(filters: JsonValue | undefined): readonly JsonObject[] {
  return arrayOrEmpty(objectOrEmpty(filters)['groups']).map(objectOrEmpty);
}

/** Reduces a change that was sent in parts to the fields that were written. */
export function writtenPart(change: FlagChange, fields: readonly string[]): FlagChange {
  const isWritten = (field: string): boolean => fields.includes(field);
  if (isUpdate(change)) {
    const { keeps = [], ...part } = partOf(change, isWritten);
    const kept = keeps.filter(({ path }) => isWritten(fieldAt(path)));
    return { ...part, ...(kept.length === 0 ? {} : { keeps: kept }) };
  }
  if (change.action !== 'create') return change;
  const part = change.fields.filter(({ path }) => isWritten(fieldAt(path)));
  return { ...change, fields: part, body: membersOf(change.body, isWritten) };
}

function isUpdate(change: Change): change is UpdateFlag {
  return change.resource === 'flag' && change.action === 'update';
}

function partOf(change: UpdateFlag, holds: (field: string) => boolean): UpdateFlag {
  const fields = change.fields.filter(({ path }) => holds(fieldAt(path)));
  const source = fields[0]?.source ?? change.source;
  return {
    ...change,
    fields,
    body: membersOf(change.body, holds),
    base: { ...change.base, former: membersOf(change.base.former, holds) },
    ...defined({ source }),
  };
}

function membersOf(object: JsonObject, holds: (field: string) => boolean): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([field]) => holds(field)));
}

/** `waived`: refs of disables that do not wait for flags that will depend on theirs while both are disabled. */
export function findFlagNeeds(changes: readonly Change[], flags: FlagSnapshot, waived: ReadonlySet<string>): Needs {
  const own = changes.filter((change) => change.resource === 'flag');
  const index = indexChanges(own, flags, flagsAfterPlan(changes, flags).flags);
  return new Map(own.map((change) => [change.ref, findNeeds(change, index, waived.has(change.ref))]));
}

/** Whether a request would enable the flag and remove its condition on a flag that is disabled. */
export function isRefusedAsWhole(change: FlagChange, flags: FlagSnapshot): change is UpdateFlag {
  if (!enables(change) || change.action !== 'update' || change.body['filters'] === undefined) return false;
  const live = flags.graph();
  const wanted = new Set(dependenciesIn(change.body['filters'], (reference) => keyInManifest(reference, flags)));
  return dependenciesOf(change.key, live).some((key) => !wanted.has(key) && live.get(key)?.active === false);
}

/** Refs of changes by the key of the flag that they concern. */
interface Index {
  readonly live: DependencyGraph;
  readonly wanted: DependencyGraph;
  /** The change that creates, restores or enables the flag. */
  readonly usable: ReadonlyMap<string, string>;
  /** The change that writes what the flag depends on. */
  readonly writers: ReadonlyMap<string, string>;
  /** Changes after which an active flag no longer depends on the flag. */
  readonly releases: ReadonlyMap<string, readonly string[]>;
  /** Changes that write a dependency on the flag. */
  readonly adopters: ReadonlyMap<string, readonly string[]>;
  /** Flags that may form a cycle while some changes are applied and some are not, each with the number of its cycle. */
  readonly circles: ReadonlyMap<string, number>;
}

function indexChanges(changes: readonly FlagChange[], flags: FlagSnapshot, wanted: DependencyGraph): Index {
  const live = flags.graph();
  const writers = changes.filter(writesDependencies);
  const refsByKey = (
    given: readonly FlagChange[],
    keysOf: (change: FlagChange) => readonly string[],
  ): Index['releases'] => {
    const pairs = given.flatMap((change) => keysOf(change).map((key) => ({ key, ref: change.ref })));
    return new Map([...groupBy(pairs, ({ key }) => key)].map(([key, own]) => [key, own.map(({ ref }) => ref)]));
  };
  const keys = new Set([...live.keys(), ...wanted.keys()]);
  const union = new Map([...keys].map((key) => [key, [...dependenciesOf(key, live), ...dependenciesOf(key, wanted)]]));
  return {
    live,
    wanted,
    usable: new Map(changes.filter(makesUsable).map(({ key, ref }) => [key, ref])),
    writers: new Map(writers.map(({ key, ref }) => [key, ref])),
    releases: refsByKey(changes, (change) => releasedBy(change, live, wanted)),
    adopters: refsByKey(writers, ({ key }) => dependenciesOf(key, wanted)),
    circles: writers.length === 0 ? new Map() : cyclicParts(union),
  };
}

/** The flags on which a flag that is active before or after the change stops depending. */
function releasedBy(change: FlagChange, live: DependencyGraph, wanted: DependencyGraph): readonly string[] {
  const now = live.get(change.key);
  // The first of two writes disables the flag, so the second releases nothing.
  const isOffBefore = change.action === 'update' && change.base.flag['active'] === false;
  const isOn = now?.active === true && !isOffBefore;
  if (now === undefined || !(isOn || enables(change))) return [];
  if (change.action === 'delete' || disables(change)) return now.dependsOn;
  if (!writesDependencies(change)) return [];
  const kept = new Set(dependenciesOf(change.key, wanted));
  return now.dependsOn.filter((key) => !kept.has(key));
}

function findNeeds(change: FlagChange, index: Index, isWaived: boolean): readonly string[] {
  const { key } = change;
  if (change.action === 'delete') return index.releases.get(key) ?? [];
  const isOff = disables(change);
  const isWriter = writesDependencies(change);
  const dependencies = isWriter || makesUsable(change) ? dependenciesOf(key, index.wanted) : [];
  return [
    ...dependencies.flatMap((dependency) => index.usable.get(dependency) ?? []),
    ...(isWriter ? writersReachedFrom(key, index) : []),
    ...(isOff ? (index.releases.get(key) ?? []) : []),
    ...(isOff && !isWaived ? (index.adopters.get(key) ?? []) : []),
  ];
}

/**
 * The next writes of dependencies on every path from the flag's new dependencies through the new graph. With them applied
 * first, the flag closes no cycle, since all that it newly reaches has its final dependencies. Only the flag's own cycle
 * matters.
 */
function writersReachedFrom(key: string, { live, wanted, writers, circles }: Index): readonly string[] {
  const circle = circles.get(key);
  if (circle === undefined) return [];
  const onCircle = (flag: string): string[] =>
    dependenciesOf(flag, wanted).filter((next) => next !== key && circles.get(next) === circle);
  const isFormer = (flag: string, next: string): boolean => dependenciesOf(flag, live).includes(next);
  const added = onCircle(key).filter((next) => !isFormer(key, next));
  // A write waits for what its own new dependencies reach.
  const reached = reach(added, (flag) => onCircle(flag).filter((next) => !writers.has(flag) || isFormer(flag, next)));
  return [...reached].flatMap((next) => writers.get(next) ?? []);
}

function makesUsable(change: FlagChange): boolean {
  return change.action === 'create' || change.action === 'restore' || enables(change);
}

function enables(change: FlagChange): boolean {
  return change.action === 'update' && change.body['active'] === true;
}

function writesDependencies(change: FlagChange): boolean {
  if (change.action === 'create' || change.action === 'restore') return true;
  return change.action === 'update' && change.body['filters'] !== undefined;
}

function dependenciesOf(key: string, graph: DependencyGraph): readonly string[] {
  return graph.get(key)?.dependsOn ?? [];
}
