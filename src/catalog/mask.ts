/** Hides addresses of people: who reads the catalog need not know whom a flag names. */

import { isJsonArray, isJsonObject, setMember, type JsonArray, type JsonObject, type JsonValue } from '../base/json.ts';

/** The same facts, with each string in them that is or has an e-mail address without it. */
export function maskAddresses<Facts>(facts: Facts): Facts {
  return masked(facts as JsonValue) as Facts;
}

/** Most facts have none, and stay as they are: all of the catalog pass here once, and nothing is made for them. */
function masked(value: JsonValue | undefined): JsonValue | undefined {
  if (typeof value === 'string') return value.includes('@') ? value.replaceAll(ADDRESS, HIDDEN) : value;
  if (typeof value !== 'object' || value === null) return value;
  if (isJsonArray(value)) return maskedList(value);
  return isJsonObject(value) ? maskedMembers(value) : value;
}

function maskedList(list: JsonArray): JsonArray {
  let changed: JsonValue[] | undefined;
  for (let index = 0; index < list.length; index += 1) {
    const other = masked(list[index]);
    if (other !== list[index]) (changed ??= [...list])[index] = other as JsonValue;
  }
  return changed ?? list;
}

function maskedMembers<Members extends JsonObject>(object: Members): JsonObject {
  let changed: Record<string, JsonValue | undefined> | undefined;
  // `Object.keys` makes a list of each object.
  for (const name in object) {
    const member = object[name];
    const other = masked(member);
    if (other !== member) setMember((changed ??= { ...object }), name, other);
  }
  return changed ?? object;
}

/** With a local part: `@acme.com` alone names a company, and no person. */
const ADDRESS = /[^\s@"'<>,;:()[\]]+@[^\s@"'<>,;:()[\]]+\.[^\s@"'<>,;:()[\]]+/g;

const HIDDEN = 'hidden-address';
