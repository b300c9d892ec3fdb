/**
 * Splits the write of a flag. To disable it: the first write disables the flag and the second changes it, never the reverse, since new
 * conditions must not take effect before the flag is disabled. To enable it: the first changes the flag and the second enables it. To
 * create it: the first creates it disabled.
 */

import { arrayOrEmpty, objectOrEmpty, type JsonObject, type JsonValue } from '../../base/json.ts';
import { fromPointer } from '../../base/json-pointer.ts';
import { defined } from '../../base/optional.ts';
import { isPartial, refTo } from '../../engine/change.ts';
import type { Change, FieldChange, UpdateFlag } from '../plan.ts';
import type { FlagChange, ValueOfOthers } from './change.ts';
import { comparableFields } from './comparison.ts';
import type { FlagNames } from './model/flag.ts';
import { rolloutOf } from './model/view.ts';

/** The first write also renames, so that both writes use the same key. */
const FIRST: ReadonlySet<string> = new Set(['active', 'key']);

/** Whether the change disables a live flag. */
export function disables(change: Change): boolean {
  return isUpdate(change) && change.body['active'] === false;
}

/** Splits an update that disables: the first write gets the ref `flag_active:KEY`, the rest keeps the ref of the whole. */
export function splitUpdate(change: UpdateFlag): readonly [off: UpdateFlag, rest: UpdateFlag] {
  const off = partOf(change, (field) => FIRST.has(field));
  const rest = partOf(change, (field) => !FIRST.has(field));
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
      ...(change.keeps === undefined ? {} : { keeps: change.keeps.map(afterIt) }),
      ref: refTo('flag_active', change.key),
      needs: [...on.needs, rest.ref],
      base: { ...on.base, flag: { ...change.base.flag, ...left } },
    },
  ];
}

/** What stays true of the value for the write that follows. */
function afterIt({ path, between }: ValueOfOthers): ValueOfOthers {
  return { path, ...defined({ between }) };
}

/** Joins both writes of a flag into one update under the ref of the whole; other changes stay. */
export function joinUpdates<Item extends { readonly change: Change }>(items: readonly Item[]): Item[] {
  const firsts = new Map(items.flatMap(({ change }) => (isSwitch(change) ? [[change.id, change] as const] : [])));
  const joined = new Set<Change>();
  const whole = items.map((item) => {
    const { change } = item;
    const first = isUpdate(change) && !isPartial(change) ? firsts.get(change.id) : undefined;
    if (first === undefined || !isUpdate(change)) return item;
    joined.add(first);
    return { ...item, change: joinTwo(first, change) };
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
  return isStoredOtherwise(body) ? [{ ...off, filters: asStored(filters) }, off, ...further] : [off, ...further];
}

/** Whether the service would store other conditions for a new flag. */
export function isStoredOtherwise({ is_remote_configuration: isRemote, filters }: JsonObject): boolean {
  return isRemote === true && (conditionsIn(filters).length === 0 || conditionsIn(filters).some(isZero));
}

function asStored(filters: JsonValue | undefined): JsonObject {
  const conditions = conditionsIn(filters);
  const groups = conditions.length === 0 ? [{}] : conditions;
  const opened = groups.map((one) => (isZero(one) ? { ...one, rollout_percentage: 100 } : one));
  return { ...objectOrEmpty(filters), groups: opened };
}

function conditionsIn(filters: JsonValue | undefined): readonly JsonObject[] {
  return arrayOrEmpty(objectOrEmpty(filters)['groups']).map(objectOrEmpty);
}

function isZero(condition: JsonObject): boolean {
  return rolloutOf(condition) === 0;
}

/** Reduces a change that was sent in parts to the fields that were written. */
export function writtenPart(change: FlagChange, fields: readonly string[]): FlagChange {
  const isWritten = (field: string): boolean => fields.includes(field);
  if (isUpdate(change)) {
    const { keeps = [], ...part } = partOf(change, isWritten);
    const kept = keeps.filter(({ path }) => isWritten(fieldOf(path)));
    return { ...part, ...(kept.length === 0 ? {} : { keeps: kept }) };
  }
  if (change.action !== 'create') return change;
  const part = change.fields.filter(({ path }) => isWritten(fieldOf(path)));
  return { ...change, fields: part, body: membersOf(change.body, isWritten) };
}

function isUpdate(change: Change): change is UpdateFlag {
  return change.resource === 'flag' && change.action === 'update';
}

function isSwitch(change: Change): change is UpdateFlag {
  return isUpdate(change) && isPartial(change);
}

function partOf(change: UpdateFlag, holds: (field: string) => boolean): UpdateFlag {
  const fields = change.fields.filter(({ path }) => holds(fieldOf(path)));
  const source = fields[0]?.source ?? change.source;
  return {
    ...change,
    fields,
    body: membersOf(change.body, holds),
    base: { ...change.base, former: membersOf(change.base.former, holds) },
    ...defined({ source }),
  };
}

function joinTwo(first: UpdateFlag, rest: UpdateFlag): UpdateFlag {
  return {
    ...rest,
    fields: [...first.fields, ...rest.fields],
    body: { ...first.body, ...rest.body },
    base: { ...first.base, former: { ...first.base.former, ...rest.base.former } },
  };
}

function membersOf(object: JsonObject, holds: (field: string) => boolean): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([field]) => holds(field)));
}

function fieldOf(path: FieldChange['path']): string {
  return fromPointer(path)[0] ?? '';
}
