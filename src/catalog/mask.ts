/** Hides addresses of people: who reads the catalogue need not know whom a flag names. */

import { isJsonArray, isJsonObject, type JsonValue } from '../base/json.ts';

/** The same facts, with each string in them that is or has an e-mail address without it. */
export function maskAddresses<Facts>(facts: Facts): Facts {
  return masked(facts as JsonValue) as Facts;
}

function masked(value: JsonValue): JsonValue {
  if (typeof value === 'string') return value.includes('@') ? value.replaceAll(ADDRESS, HIDDEN) : value;
  if (isJsonArray(value)) {
    const list = value.map(masked);
    return list.some((one, index) => one !== value[index]) ? list : value;
  }
  if (!isJsonObject(value)) return value;
  const members = Object.entries(value) as [string, JsonValue | undefined][];
  const others = members.map(([name, member]) => [name, member === undefined ? member : masked(member)] as const);
  return others.some(([, member], index) => member !== members[index]?.[1]) ? Object.fromEntries(others) : value;
}

/** With a local part: `@acme.com` alone names a company, and no person. */
const ADDRESS = /[^\s@"'<>,;:()[\]]+@[^\s@"'<>,;:()[\]]+\.[^\s@"'<>,;:()[\]]+/g;

const HIDDEN = 'hidden-address';
