/**
 * Values that a change must not overwrite because git does not decide them; the staleness check, the write, the verification
 * and undo read it.
 */

import { fieldsIn, fieldAt } from '../../core/engine/field-kind.ts';
import { fromPointer, toPointer, valueAt } from '../../base/json-pointer.ts';
import {
  definedKeys,
  isJsonArray,
  isJsonNumber,
  isJsonObject,
  jsonEquals,
  type JsonObject,
  type JsonValue,
  objectFrom,
} from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import type { Leave } from '../../core/engine/kind.ts';
import type { KeysAfterPlan } from '../../core/engine/snapshot.ts';
import type { DeclaredFlag, DesiredFlag } from '../desired.ts';
import type { ChangeOfLive, FlagChange, ValueOfOthers } from './change.ts';
import { compareFlag, type DeclaredMatch } from './compare-flag.ts';
import { comparableFields, comparableFlag, writableFields } from './comparison.ts';
import {
  ENCRYPTED_PAYLOAD,
  hasEncryptedPayloads,
  withDeclaredSecrecy,
  withKeptPayloads,
  withMarksReplaced,
} from './model/encrypted-payloads.ts';
import { type Flag, hasOpaque } from './model/flag.ts';
import { toForm } from './model/normal-forms.ts';
import { isWithin, withLiveAt, withoutDifferences } from './model/live-values.ts';
import { partsOfOthers } from './model/fields.ts';
import { sentForm } from './find-changes.ts';
import type { FlagSnapshot } from './snapshot.ts';

/** Any change of a flag, of which a create and a delete leave nothing to others. */
interface ChangeWithOthers {
  readonly body?: JsonObject;
  readonly keeps?: readonly ValueOfOthers[];
}

/** The places about which others decided before the change. */
function formerValuesOfOthers({ keeps = [] }: ChangeWithOthers): readonly ValueOfOthers[] {
  return keeps.filter((keep) => keep.new !== true);
}

/**
 * Both sides of a comparison of a flag with what the plan saw of it, without what others may move. Both are in canonical form,
 * in the places before the change.
 */
export function withoutMoves(
  change: ChangeWithOthers,
  seen: JsonObject,
  now: JsonObject,
): readonly [JsonObject, JsonObject] {
  const free = formerValuesOfOthers(change)
    .map(({ path, live = path, between }) => ({ live, between }))
    .filter(({ live, between }) => [seen, now].every((side) => isFree(valueAt(side, live), between)))
    .map(({ live }) => live);
  const blanked = (side: JsonObject): JsonObject =>
    free.reduce<JsonObject>((fields, pointer) => setAt(fields, pointer, null), side);
  return free.length === 0 ? [seen, now] : [blanked(seen), blanked(now)];
}

/** The body with the values that others have set since the plan was made; the same object if they decide about nothing. */
export function bodyOver(change: ChangeOfLive, live: Flag | undefined, names: KeysAfterPlan): JsonObject {
  const { body } = change;
  if (live === undefined) return body;
  const ofOthers = withParts(formerValuesOfOthers(change), body, live).filter(({ path }) =>
    Object.hasOwn(body, fieldAt(path)),
  );
  if (ofOthers.length === 0) return body;
  const seen = withDeclaredSecrecy(live, change.base.flag);
  const written = writableFields(seen, definedKeys(body), names);
  const marked = hasEncryptedPayloads(seen) ? withKeptPayloads(written, () => true) : written;
  const source = seen === live ? marked : withMarksReplaced(marked, live);
  const canonical = comparableFlag(seen, names);
  const current = ofOthers.reduce<JsonObject>((fields, { path, live: at = path, between }) => {
    if (!isFree(valueAt(canonical, at), between)) return fields;
    // The service keeps its secret for the mark.
    if (valueAt(fields, path) === ENCRYPTED_PAYLOAD) return fields;
    return setAt(fields, path, valueAt(source, at));
  }, body);
  return sentForm(current);
}

/** Written fields, with the values that others decide as a later reading found them. `live` is in canonical form. */
export function withFound(fields: JsonObject, live: JsonObject, change: ChangeWithOthers): JsonObject {
  return withParts(change.keeps ?? [], fields, live)
    .filter(({ path, between }) => Object.hasOwn(fields, fieldAt(path)) && isFree(valueAt(live, path), between))
    .reduce<JsonObject>((found, { path }) => setAt(found, path, valueAt(live, path)), fields);
}

/** The values that revert a change; those that others have moved since stay. `written`: the live form for writing it back. */
export function withMoves(
  former: JsonObject,
  change: ChangeWithOthers & Pick<FlagChange, 'body'>,
  {
    canonical,
    written,
    names,
  }: { readonly canonical: JsonObject; readonly written: JsonObject; readonly names: KeysAfterPlan },
): JsonObject {
  const ofOthers = withParts(formerValuesOfOthers(change), former, canonical).filter(({ path, live = path }) =>
    Object.hasOwn(former, fieldAt(live)),
  );
  if (ofOthers.length === 0) return former;
  const sent = comparableFields(change.body, canonical, names);
  return ofOthers
    .filter(({ path }) => !jsonEquals(valueAt(canonical, path), valueAt(sent, path)))
    .reduce<JsonObject>((fields, { path, live = path }) => setAt(fields, live, valueAt(written, path)), former);
}

/** The same places for the opposite change, which itself decides about those that it changes. */
export function invertedValuesOfOthers(
  change: ChangeWithOthers,
  changed: readonly { readonly path: string }[],
): readonly ValueOfOthers[] {
  return formerValuesOfOthers(change).flatMap(({ path, live = path, between }) => {
    if (changed.some(({ path: pointer }) => `${pointer}/`.startsWith(`${live}/`))) return [];
    return [{ path: live, ...defined({ live: live === path ? undefined : path, between }) }];
  });
}

function isFree(value: JsonValue | undefined, between: ValueOfOthers['between']): boolean {
  return between === undefined || (isJsonNumber(value) && isWithin(value, { between }));
}

/** Includes the parts of live filters that other products have added since. */
function withParts(
  ofOthers: readonly ValueOfOthers[],
  { filters }: JsonObject,
  { filters: live }: JsonObject,
): readonly ValueOfOthers[] {
  if (!isJsonObject(filters) || !isJsonObject(live) || hasOpaque(filters, live)) return ofOthers;
  const added = partsOfOthers(filters, live).map((part) => ({ path: toPointer(['filters', part]) }));
  return [...ofOthers, ...added];
}

/** The value with another one at a pointer, or without it; the value itself where nothing leads there. */
export function setAt<Outer extends JsonValue>(outer: Outer, pointer: string, value: JsonValue | undefined): Outer {
  return setIn(outer, fromPointer(pointer), value) as Outer;
}

function setIn(
  outer: JsonValue | undefined,
  [segment, ...rest]: readonly string[],
  value: JsonValue | undefined,
): JsonValue | undefined {
  if (segment === undefined) return value;
  if (isJsonArray(outer)) {
    const changed = setIn(outer[Number(segment)], rest, value);
    return changed === undefined ? outer : outer.map((one, index) => (index === Number(segment) ? changed : one));
  }
  if (!isJsonObject(outer)) return outer;
  const changed = setIn(Object.hasOwn(outer, segment) ? outer[segment] : undefined, rest, value);
  const others = Object.entries(outer).filter((entry): entry is [string, JsonValue] => entry[1] !== undefined);
  if (changed === undefined) return objectFrom(others.filter(([name]) => name !== segment));
  return Object.hasOwn(outer, segment)
    ? objectFrom(others.map(([name, member]) => [name, name === segment ? changed : member]))
    : objectFrom([...others, [segment, changed]]);
}

/** `undefined` if nothing of the flag is written. */
export function leaveFlag(
  { change, parts, match, by }: Leave<FlagChange, DesiredFlag, Flag>,
  flags: FlagSnapshot,
): DeclaredFlag | undefined {
  const { desired, live } = match;
  // Whether the flag exists, and under which key: no other field can be written without these.
  const isWhole = change.action === 'create' || parts.some(({ path }) => path === '/deleted' || path === '/key');
  if (isWhole || desired.kind === 'retired' || live === undefined) return undefined;
  const names = [...Object.keys(desired.fields), ...fieldsIn(parts)];
  // The keys of payloads of which a part differs.
  const divided = parts.flatMap(({ path }) => {
    const [field, member, key, ...part] = fromPointer(path);
    return field === 'filters' && member === 'payloads' && part.length > 0 ? (key ?? []) : [];
  });
  const fields = withReadPayloads(writableFields(live, [...new Set(names)], flags), divided);
  const wanted = { ...desired, fields: withReadPayloads(desired.fields, divided) };
  const left =
    by === 'unit'
      ? leaveUnits({ ...match, desired: wanted, live }, fields, flags)
      : { ...wanted, fields: withoutDifferences(wanted.fields, fields, parts) };
  // A digest in place of a secret is the live one, which the service keeps.
  return { ...left, fields: withKeptPayloads(left.fields, () => true) };
}

/** Payloads that are JSON text become the mappings and lists that they encode, so that their parts can be mixed. */
function withReadPayloads(fields: JsonObject, keys: readonly string[]): JsonObject {
  const { filters } = fields;
  const payloads = isJsonObject(filters) ? filters['payloads'] : undefined;
  if (keys.length === 0 || !isJsonObject(filters) || !isJsonObject(payloads)) return fields;
  const read = Object.entries(payloads).map(([key, value]): [string, JsonValue | undefined] => {
    const parts = keys.includes(key) && value !== undefined ? toForm('payload', value, payloads) : value;
    return [key, isJsonObject(parts) || isJsonArray(parts) ? parts : value];
  });
  return { ...fields, filters: { ...filters, payloads: Object.fromEntries(read) } };
}

/** Keeps drifted values as they are live. If a canonical form hides a place, the nearest live place around it is left. */
function leaveUnits(match: DeclaredMatch, live: JsonObject, flags: FlagSnapshot): DeclaredFlag {
  const drifted = (desired: DeclaredFlag): readonly { readonly path: string; readonly at?: string }[] =>
    compareFlag({ ...match, desired }, flags).differences.filter(({ divergence }) => divergence === 'drifted');
  const { desired } = match;
  const units = drifted(desired).map(({ path, at = path }) => at);
  let left = { ...desired, fields: withLiveAt(desired.fields, live, units) };
  for (let depth = DEEPEST_UNIT; depth > 0; depth -= 1) {
    const hidden = drifted(left).map(({ path }) => toPointer(fromPointer(path).slice(0, depth)));
    if (hidden.length === 0) return left;
    left = { ...left, fields: withLiveAt(left.fields, live, hidden) };
  }
  return left;
}

/** The number of segments of `/filters/payloads/KEY` and `/filters/groups/0`: deeper ones are not left by themselves. */
const DEEPEST_UNIT = 3;
