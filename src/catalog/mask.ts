/** Hides addresses of people: who reads the catalogue need not know whom a flag names. */

import { isJsonArray, isJsonObject, type JsonValue } from '../base/json.ts';

/** The same facts, with each string in them that is or has an e-mail address without it. */
export function maskAddresses<Facts>(facts: Facts): Facts {
  return masked(facts as JsonValue) as Facts;
}

function masked(value: JsonValue): JsonValue {
  if (typeof value === 'string') return value.includes('@') ? value.replaceAll(ADDRESS, HIDDEN) : value;
  if (!hasAddress(value)) return value;
  if (isJsonArray(value)) return value.map(masked);
  if (!isJsonObject(value)) return value;
  const members = Object.entries(value) as [string, JsonValue | undefined][];
  return Object.fromEntries(members.map(([name, member]) => [name, member === undefined ? member : masked(member)]));
}

/** Most facts have none, and stay as they are. */
function hasAddress(value: JsonValue | undefined): boolean {
  if (typeof value === 'string') return value.includes('@') && value.search(ADDRESS) >= 0;
  // All facts of the catalogue pass here: most of them are numbers, or objects of a few members.
  return typeof value === 'object' && value !== null && Object.values(value).some(hasAddress);
}

/** With a local part: `@acme.com` alone names a company, and no person. */
const ADDRESS = /[^\s@"'<>,;:()[\]]+@[^\s@"'<>,;:()[\]]+\.[^\s@"'<>,;:()[\]]+/g;

const HIDDEN = 'hidden-address';
