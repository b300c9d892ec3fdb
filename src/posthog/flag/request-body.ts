/** The body of a request for a flag: the managed fields that change, with `filters` completed as the service requires. */

import { definedKeys, jsonEquals, memberOf, objectOrEmpty, type JsonObject, type JsonValue } from '../../base/json.ts';
import { canonicalFlag, withoutInjected } from './canonical.ts';
import { withCarriedMembers } from './carry-over.ts';
import { sentForm } from './sent-form.ts';

/** The start of a body. */
interface Start {
  /** The fields that are written, as `writableFields` of the live flag. */
  readonly former: JsonObject;
  /** Both sides of the comparison that found the change, in comparable form. */
  readonly canonical: { readonly wanted: JsonObject; readonly live: JsonObject };
}

/**
 * The body of a create. For a flag without conditions it omits `filters`: today's service refuses an empty list of
 * conditions, and creates a list itself. (docs/service.md, "Create")
 */
export function createBody(key: string, fields: JsonObject): JsonObject {
  const { filters, ...others } = fields;
  const isEmpty = jsonEquals(canonicalFlag({ filters: filters ?? null })['filters'], { groups: [] });
  return { key, ...sentForm(isEmpty ? others : withoutInjected(fields)) };
}

/** The body of a PATCH that sets the named top-level fields as wanted. Dependencies stay keys; apply replaces them by ids. */
export function updateBody(fields: readonly string[], wanted: JsonObject, { former, canonical }: Start): JsonObject {
  const written = Object.fromEntries(fields.map((field) => [field, memberOf(wanted, field)]));
  const carried = withCarriedMembers(
    { written, canonical: canonical.wanted },
    { written: former, canonical: canonical.live },
  );
  const body = withoutInjected(carried);
  const whole = fields.includes('filters')
    ? { ...body, filters: wholeFilters(body['filters'], former['filters']) }
    : body;
  return sentForm(whole);
}

/**
 * `filters` is always sent whole and with `groups`: services before 2026 ignore it without. Later ones merge it into
 * what they have, so removing a part takes an explicit null. (docs/service.md, "PATCH")
 */
function wholeFilters(wanted: JsonValue | undefined, live: JsonValue | undefined): JsonObject {
  const declared = objectOrEmpty(wanted);
  const current = objectOrEmpty(live);
  const undeclared = definedKeys(current).filter((part) => !Object.hasOwn(declared, part) && current[part] !== null);
  const removed = undeclared.filter((part) => part !== 'groups').map((part) => [part, null] as const);
  return { groups: [], ...declared, ...Object.fromEntries(removed) };
}
