/** The body of a request for a flag: the managed fields that change, with `filters` completed as the service requires. */

import { childAt } from '../../base/json-pointer.ts';
import {
  canonicalText,
  definedKeys,
  isJsonArray,
  isJsonObject,
  jsonEquals,
  type JsonObject,
  type JsonValue,
  memberOf,
  objectFrom,
  objectOrEmpty,
} from '../../base/json.ts';
import {
  canonicalFlag,
  impliedMembers,
  isAbsent,
  type ToleranceRule,
  ruleOf,
  TOLERANCE_TREE,
  withoutInjected,
} from './model/canonical.ts';

/**
 * The body of a create. For a flag without conditions it omits `filters`: today's service refuses an empty list of
 * conditions, and creates a list itself. (docs/service.md, "Create")
 */
export function createBody(key: string, fields: JsonObject): JsonObject {
  const { filters, ...others } = fields;
  const isEmpty = jsonEquals(canonicalFlag({ filters: filters ?? null })['filters'], { groups: [] });
  // Of a remote configuration, that list has everybody.
  const own = fields['is_remote_configuration'] === true ? { ...others, filters: { groups: [] } } : others;
  return { key, ...sentForm(isEmpty ? own : withoutInjected(fields)) };
}

/**
 * The body of a PATCH that sets the named top-level fields as wanted. Dependencies stay keys; apply replaces them by ids. `former`: these
 * fields, as `writableFields` of the live flag; `canonical`: both sides of the comparison that found the change.
 */
export function updateBody(
  fields: readonly string[],
  wanted: JsonObject,
  {
    former,
    canonical,
  }: { readonly former: JsonObject; readonly canonical: { readonly wanted: JsonObject; readonly live: JsonObject } },
): JsonObject {
  const written = Object.fromEntries(fields.map((field) => [field, memberOf(wanted, field)]));
  const carried = withCarriedMembers(
    { written, canonical: canonical.wanted },
    { written: former, canonical: canonical.live },
  );
  const body = withoutInjected(carried);
  if (!fields.includes('filters')) return sentForm(body);
  // `filters` is always sent whole and with `groups`: services before 2026 ignore it without. Later ones merge it into
  // what they have, so removing a part takes an explicit null. (docs/service.md, "PATCH")
  const declared = objectOrEmpty(body['filters']);
  const current = objectOrEmpty(former['filters']);
  const undeclared = definedKeys(current).filter((part) => !Object.hasOwn(declared, part) && current[part] !== null);
  const removed = undeclared.filter((part) => part !== 'groups').map((part) => [part, null] as const);
  return sentForm({ ...body, filters: { groups: [], ...declared, ...Object.fromEntries(removed) } });
}

/**
 * Carries over members that no comparison looks at: otherwise every update would remove them, and no plan would show it. The tolerance
 * table lists them. Returns the fields of `ours` with the carried members of their counterparts in `theirs`; a member that `ours` has wins.
 * The counterpart of a list element has an equal canonical form; or else, among those that are left, the same key or, if elements have no
 * key, the same position.
 */
export function withCarriedMembers(ours: Twin<JsonObject>, theirs: Twin<JsonObject>): JsonObject {
  return carriedInto(ours, theirs, TOLERANCE_TREE) as JsonObject;
}

/** A value as it is written, with the canonical form by which it is recognised. */
interface Twin<Value extends JsonValue = JsonValue> {
  readonly written: Value;
  readonly canonical: JsonValue | undefined;
}

function carriedInto(ours: Twin, theirs: Twin, rule: ToleranceRule): JsonValue {
  const [written, live] = [ours.written, theirs.written];
  if (!rule.carries) return written;
  // The canonical form of these lists keeps every element at its index.
  const twin = ({ canonical }: Twin, name: string, value: JsonValue): Twin => ({
    written: value,
    canonical: childAt(canonical, name),
  });
  if (isJsonObject(written) && isJsonObject(live)) {
    const kept = Object.keys(written).map((key): [string, JsonValue] => {
      const child = ruleOf(rule, key);
      const other = memberOf(live, key);
      const value = written[key] as JsonValue;
      if (child === undefined || other === undefined) return [key, value];
      return [key, carriedInto(twin(ours, key, value), twin(theirs, key, other), child)];
    });
    const carried = Object.keys(live).flatMap((key): [string, JsonValue][] => {
      const isCarried = ruleOf(rule, key)?.carried === true && !Object.hasOwn(written, key);
      return isCarried && live[key] !== undefined ? [[key, live[key]]] : [];
    });
    return objectFrom([...kept, ...carried]);
  }
  const element = rule.children.get('*');
  if (!isJsonArray(written) || !isJsonArray(live) || element === undefined) return written;
  const mine = written.map((one, index) => twin(ours, String(index), one));
  const others = live.map((one, index) => twin(theirs, String(index), one));
  const continued = pair(mine, others);
  return mine.map((one, index) => {
    const other = continued[index];
    return other === undefined ? one.written : carriedInto(one, other, element);
  });
}

/** The counterpart in `theirs` of each of `ours`; each is used once. */
function pair(ours: readonly Twin[], theirs: readonly Twin[]): readonly (Twin | undefined)[] {
  const continued: (Twin | undefined)[] = ours.map(() => undefined);
  const left = [...theirs];
  const take = (nameOf: (one: Twin) => string | undefined): void => {
    for (const [index, one] of ours.entries()) {
      const name = continued[index] === undefined ? nameOf(one) : undefined;
      const found = name === undefined ? -1 : left.findIndex((other) => nameOf(other) === name);
      if (found >= 0) [continued[index]] = left.splice(found, 1);
    }
  };
  take(({ canonical }) => (canonical === undefined ? undefined : canonicalText(canonical)));
  take(keyOf);
  const rest = left.filter((other) => keyOf(other) === undefined);
  return ours.map((one, index) => continued[index] ?? (keyOf(one) === undefined ? rest.shift() : undefined));
}

function keyOf({ canonical }: Twin): string | undefined {
  const key = isJsonObject(canonical) ? canonical['key'] : undefined;
  return typeof key === 'string' || typeof key === 'number' ? String(key) : undefined;
}

/**
 * The form of fields in requests: complete, and without spellings that some services refuse. The tolerance table says which values these
 * are (`sent`, `sentAs`), so the form means the same as the fields. Takes some or all fields of a flag, by API name. Idempotent.
 * (docs/service.md, "Filters")
 */
export function sentForm(fields: JsonObject): JsonObject {
  return objectAsSent(fields, TOLERANCE_TREE);
}

function objectAsSent(object: JsonObject, rule: ToleranceRule): JsonObject {
  const members = Object.entries(object).map(([key, value]): [string, JsonValue | undefined] => {
    const child = ruleOf(rule, key);
    return [key, value === undefined || child === undefined ? value : valueAsSent(value, child)];
  });
  const implied = impliedMembers(object, rule).flatMap(([key, { value, sent }]): [string, JsonValue][] =>
    sent === true ? [[key, value]] : [],
  );
  return Object.fromEntries([...members, ...implied]);
}

function valueAsSent(value: JsonValue, rule: ToleranceRule): JsonValue {
  if (rule.sentAs !== undefined && (value === null || isAbsent(value, rule))) return rule.sentAs;
  if (rule.children.size === 0) return value;
  const element = rule.children.get('*');
  if (isJsonArray(value) && element !== undefined) return value.map((one) => valueAsSent(one, element));
  return isJsonObject(value) ? objectAsSent(value, rule) : value;
}
