/** Compares two states of a flag, in canonical form and with dependencies by key: for plans, staleness and verification. */

import { compareStrings } from '../../base/compare-strings.ts';
import {
  canonicalText,
  definedKeys,
  isJsonArray,
  isJsonObject,
  jsonEquals,
  type JsonArray,
  type JsonObject,
  type JsonValue,
  memberOf,
  objectFrom,
  setMember,
} from '../../base/json.ts';
import { diff, type Difference } from '../../core/engine/diff.ts';
import {
  canonicalFlag,
  completeForm,
  type ToleranceRule,
  ruleOf,
  TOLERANCE_TREE,
  withoutInjected,
} from './model/canonical.ts';
import {
  ENCRYPTED_PAYLOAD,
  hasEncryptedPayloads,
  payloadsOf,
  withDeclaredSecrecy,
  withMissingDigests,
  withPayloadDigests,
} from './model/encrypted-payloads.ts';
import { type Flag, type FlagNames, hasOpaque } from './model/flag.ts';
import { withStoredAggregation } from './model/normal-forms.ts';
import { SERVICE_FIELDS, partsOfOthers } from './model/fields.ts';
import { mapReferencesIn, withCohortIds } from './model/references.ts';

/** A flag in comparable form after a write of these fields. */
export function afterWrite(flag: JsonObject, body: JsonObject): JsonObject {
  const sent = new Set(definedKeys(body));
  const kept = Object.fromEntries(Object.entries(flag).filter(([field]) => !sent.has(field)));
  return { ...kept, ...canonicalFlag(body) };
}

/** Every field of a live flag that is ever compared, in canonical form. */
export function comparableFlag(flag: Flag, names: FlagNames): JsonObject {
  return liveFields(flag, names, canonicalFlag);
}

/** The wanted fields of a flag, in canonical form and with dependencies by key; secrets are digests where they are in `live`. */
export function comparableFields(wanted: JsonObject, live: JsonObject, names: FlagNames): JsonObject {
  return presentable(wanted, live, { names, form: canonicalFlag });
}

/** Compares a live flag with its wanted fields; ignores other fields, and what other products decide. */
export function compareFields(wanted: JsonObject, live: JsonObject, names: FlagNames): Difference[] {
  const whole = withPartsOfOthers(wanted, live);
  return findDifferences({ wanted: comparableFields(whole, live, names), live }, whole, names);
}

function withPartsOfOthers(wanted: JsonObject, { filters: live }: JsonObject): JsonObject {
  const { filters } = wanted;
  if (!isJsonObject(filters) || !isJsonObject(live) || hasOpaque(filters, live)) return wanted;
  const parts = partsOfOthers(filters, live).map((part) => [part, memberOf(live, part)] as const);
  return parts.length === 0 ? wanted : { ...wanted, filters: { ...filters, ...Object.fromEntries(parts) } };
}

/** Finds sent values that a stored flag lacks or has changed, also in members that no plan compares. */
export function compareStored(given: JsonObject, stored: Flag, names: FlagNames): Difference[] {
  const sent = withStoredAggregation(given, stored);
  const live = liveFields(stored, names, (fields) => completeForm(withoutInjected(fields)));
  const wanted = presentable(sent, live, { names, form: completeForm });
  const compared = compareFields(sent, comparableFlag(stored, names), names);
  const known = new Set(compared.map(({ path }) => path));
  const lost = findDifferences({ wanted, live }, sent, names).filter(
    ({ path, after }) => after !== undefined && !known.has(path),
  );
  return [...compared, ...lost];
}

/** Brings the fields of a flag into a form in which they can be compared. */
type Form = (fields: JsonObject) => JsonObject;

function liveFields(flag: Flag, names: FlagNames, form: Form): JsonObject {
  const fields: Record<string, JsonValue | undefined> = {};
  for (const field of Object.keys(flag))
    if (!SERVICE_FIELDS.has(field)) setMember(fields, field, memberOf(flag, field));
  const formed = form(mapReferencesIn(fields, { flag: (reference) => keyOnWire(reference, names) }));
  return hasEncryptedPayloads(flag) ? withLiveDigests(formed, names) : formed;
}

/** A payload that the service answers is never taken for a digest, even if it looks like one: it would hide a different payload. */
function withLiveDigests(fields: JsonObject, { hasPayloadDigests }: Pick<FlagNames, 'hasPayloadDigests'>): JsonObject {
  return hasPayloadDigests === true ? withMissingDigests(fields) : withPayloadDigests(fields);
}

/** `wanted` and `live` in comparable form; `written`: the wanted fields as a manifest or a change holds them. */
export function findDifferences(sides: ComparedSides, written: JsonObject, names: FlagNames): Difference[] {
  return differencesIn(pairFields(sides, written, names));
}

export function differencesIn(pairs: readonly FieldPair[]): Difference[] {
  return pairs.flatMap(({ field, before, after }) => diff(before, after, [field]));
}

/** Both in comparable form. */
interface ComparedSides {
  readonly wanted: JsonObject;
  readonly live: JsonObject;
}

/** The live and the wanted value of a compared field. */
export interface FieldPair {
  readonly field: string;
  readonly before: JsonValue | undefined;
  readonly after: JsonValue | undefined;
}

/** Takes the arguments of `findDifferences`. */
export function pairFields({ wanted, live }: ComparedSides, written: JsonObject, names: FlagNames): FieldPair[] {
  const isEncrypted = [wanted, live].some(hasEncryptedPayloads);
  // A service without encryption answers declared secrets in plain text.
  const isOpen = !hasEncryptedPayloads(live) && hasEncryptedPayloads(withDeclaredSecrecy(live, wanted));
  const seen = isOpen ? withLiveDigests(live, names) : live;
  return definedKeys(written).map((field) => {
    const after = memberOf(wanted, field);
    const value = memberOf(seen, field);
    const before = value && ordered(value, after, ruleOf(TOLERANCE_TREE, field));
    return { field, before: isEncrypted && field === 'filters' ? withSamePayloads(before, after) : before, after };
  });
}

/**
 * Fields of a live flag as they would be written back: as they were read, without what is added on reading, with
 * dependencies by key, and with digests in place of secrets.
 */
export function writableFields(flag: Flag, fields: readonly string[], names: FlagNames): JsonObject {
  const raw = Object.fromEntries(fields.flatMap((field) => (Object.hasOwn(flag, field) ? [[field, flag[field]]] : [])));
  const written = mapReferencesIn(withoutInjected(raw), { flag: (reference) => keyOnWire(reference, names) });
  return hasEncryptedPayloads(flag) ? withDigestsOf(written, names) : written;
}

/** Fields of a flag with digests in place of payloads. Only these are in canonical form, since digests are computed from it. */
export function withDigestsOf(fields: JsonObject, names: Pick<FlagNames, 'hasPayloadDigests'>): JsonObject {
  const { filters } = fields;
  if (!isJsonObject(filters) || !isJsonObject(filters['payloads'])) return fields;
  return { ...fields, filters: { ...filters, payloads: payloadsOf(withLiveDigests(canonicalFlag(fields), names)) } };
}

/** Wanted fields with dependencies and cohorts named as in a live flag's comparable form. */
export function withManifestKeys(wanted: JsonObject, names: FlagNames): JsonObject {
  const { cohortIdOf } = names;
  const named = mapReferencesIn(wanted, { flag: (reference) => keyInManifest(reference, names) });
  return cohortIdOf === undefined ? named : withCohortIds(named, cohortIdOf);
}

/** Wanted fields in a form, fit to be shown: encrypted payloads are digests, as they are in `live`. */
function presentable(
  wanted: JsonObject,
  live: JsonObject,
  { names, form }: { readonly names: FlagNames; readonly form: Form },
): JsonObject {
  const formed = form(withManifestKeys(wanted, names));
  const decides = Object.hasOwn(wanted, 'has_encrypted_payloads') ? wanted : live;
  return hasEncryptedPayloads(decides) ? withMissingDigests(formed) : formed;
}

/**
 * `filters` with the other side's payload where either is unknown, so that the two count as equal: the service hides an encrypted payload,
 * or a manifest keeps it. Only for flags with encryption: elsewhere the mark is an ordinary payload.
 */
export function withSamePayloads(filters: JsonValue | undefined, other: JsonValue | undefined): JsonValue | undefined {
  const before = isJsonObject(filters) ? filters['payloads'] : undefined;
  const after = isJsonObject(other) ? other['payloads'] : undefined;
  if (!isJsonObject(filters) || !isJsonObject(before) || !isJsonObject(after)) return filters;
  const payloads = definedKeys(before).map((key) => {
    const isUnknown = Object.hasOwn(after, key) && [before[key], after[key]].includes(ENCRYPTED_PAYLOAD);
    return [key, isUnknown ? after[key] : before[key]] as const;
  });
  return { ...filters, payloads: Object.fromEntries(payloads) };
}

/** A dependency is an id on the wire, written as a string. An unknown id becomes a number, which no key can equal. */
export function keyOnWire(reference: string | number, names: FlagNames): string | number {
  if (typeof reference === 'string' && !/^[0-9]{1,15}$/.test(reference)) return reference;
  return names.keyOf(Number(reference)) ?? Number(reference);
}

/** A string in a manifest is a key, and a number is the id of a flag that no manifest names. */
export function keyInManifest(reference: string | number, names: FlagNames): string | number {
  return typeof reference === 'number' ? (names.keyOf(reference) ?? reference) : reference;
}

/**
 * Puts the elements of unordered lists in the order of the other side, where both hold the same elements. Other lists stay as they are, so
 * that a report shows them so. Both sides are in canonical form, which keeps the order: pointers, places in files and ownership name
 * elements by their index.
 */
export function inOrderOf(
  fields: JsonObject,
  other: JsonObject,
  tolerances: ToleranceRule = TOLERANCE_TREE,
): JsonObject {
  return ordered(fields, other, tolerances) as JsonObject;
}

function ordered(value: JsonValue, other: JsonValue | undefined, rule: ToleranceRule | undefined): JsonValue {
  if (rule?.holdsUnordered !== true || jsonEquals(value, other)) return value;
  if (isJsonArray(value) && isJsonArray(other)) {
    if (rule.unordered) return textWithoutOrder(value) === textWithoutOrder(other) ? other : value;
    // The comparison of lists compares the elements at the same index.
    return value.map((one, index) => ordered(one, other[index], rule.children.get('*')));
  }
  if (!isJsonObject(value) || !isJsonObject(other)) return value;
  return objectFrom(
    definedKeys(value).map((name) => [
      name,
      ordered(value[name] as JsonValue, memberOf(other, name), ruleOf(rule, name)),
    ]),
  );
}

function textWithoutOrder(list: JsonArray): string {
  return canonicalText(list.map(canonicalText).toSorted(compareStrings));
}
