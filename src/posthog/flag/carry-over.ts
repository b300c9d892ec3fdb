/**
 * Carries over members that no comparison looks at: without them every update would remove them, and no plan would show it.
 * The tolerance table lists them.
 */

import {
  canonicalText,
  isJsonArray,
  isJsonObject,
  objectFrom,
  type JsonArray,
  type JsonObject,
  type JsonValue,
} from '../../base/json.ts';
import { ruleOf, TOLERANCE_TREE, type Rule } from './tolerance-tree.ts';

/**
 * The fields of `ours` with the carried members of what they continue in `theirs`; a member that they hold themselves wins.
 * A list element continues the one with an equal canonical form; else a left-over one with the same key, or, where elements
 * have no key, the left-over one at the same position.
 */
export function withCarriedMembers(ours: Twin<JsonObject>, theirs: Twin<JsonObject>): JsonObject {
  return carriedInto(ours, theirs, TOLERANCE_TREE) as JsonObject;
}

/** A value as it is written, with the canonical form by which it is recognised. */
export interface Twin<Value extends JsonValue = JsonValue> {
  readonly written: Value;
  readonly canonical: JsonValue | undefined;
}

function carriedInto(ours: Twin, theirs: Twin, rule: Rule): JsonValue {
  const [written, live] = [ours.written, theirs.written];
  if (!rule.carries) return written;
  if (isJsonObject(written) && isJsonObject(live)) return objectFrom(membersOf(ours, theirs, rule));
  const element = rule.children.get('*');
  if (!isJsonArray(written) || !isJsonArray(live) || element === undefined) return written;
  const [mine, others] = [elementsOf(ours, written), elementsOf(theirs, live)];
  const continued = pair(mine, others);
  return mine.map((one, index) => {
    const other = continued[index];
    return other === undefined ? one.written : carriedInto(one, other, element);
  });
}

function membersOf(ours: Twin, theirs: Twin, rule: Rule): [string, JsonValue][] {
  const [written, live] = [ours.written as JsonObject, theirs.written as JsonObject];
  const kept = Object.keys(written).map((key): [string, JsonValue] => {
    const child = ruleOf(rule, key);
    const other = Object.hasOwn(live, key) ? live[key] : undefined;
    const value = written[key] as JsonValue;
    if (child === undefined || other === undefined) return [key, value];
    return [key, carriedInto(twin(ours, key, value), twin(theirs, key, other), child)];
  });
  const carried = Object.keys(live).flatMap((key): [string, JsonValue][] => {
    const isCarried = ruleOf(rule, key)?.carried === true && !Object.hasOwn(written, key);
    return isCarried && live[key] !== undefined ? [[key, live[key]]] : [];
  });
  return [...kept, ...carried];
}

function twin({ canonical }: Twin, key: string, written: JsonValue): Twin {
  return { written, canonical: isJsonObject(canonical) && Object.hasOwn(canonical, key) ? canonical[key] : undefined };
}

/** The canonical form of these lists keeps every element at its index. */
function elementsOf({ canonical }: Twin, written: JsonArray): Twin[] {
  return written.map((one, index) => ({
    written: one,
    canonical: isJsonArray(canonical) ? canonical[index] : undefined,
  }));
}

/** The one of `theirs` that each of `ours` continues; each is used once. */
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
