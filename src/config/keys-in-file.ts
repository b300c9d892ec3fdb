/** Finds API keys in the configuration, by the name of the member or the form of the value, without repeating them. */

import { looksLikeKey } from '../base/api-key.ts';
import { isJsonArray, isJsonObject, type JsonValue } from '../base/json.ts';
import { toPointer, type JsonPath } from '../base/json-pointer.ts';
import { placeAt, type PlaceTree } from '../base/place.ts';
import type { ConfigDiagnostic } from './problems.ts';

/** Names of secrets, ignoring `_` and `-`; reported with any value. */
const SECRET_NAMES: ReadonlySet<string> = new Set([
  'apikey',
  'personalapikey',
  'projectapikey',
  'token',
  'accesstoken',
  'secret',
  'password',
  'authorization',
]);

export function findKeysInFile(value: JsonValue, places: PlaceTree): ConfigDiagnostic[] {
  return secretPaths(value, []).map((path): ConfigDiagnostic => {
    const pointer = toPointer(path);
    const property = String(path.findLast((segment) => typeof segment === 'string') ?? '');
    const args = { property: looksLikeKey(property) ? 'a name' : property };
    const safePath = looksLikeKey(pointer) ? '' : pointer;
    return { code: 'config-key-in-file', severity: 'error', place: placeAt(places, pointer), path: safePath, args };
  });
}

function secretPaths(value: JsonValue, path: JsonPath): JsonPath[] {
  if (typeof value === 'string') return looksLikeKey(value) ? [path] : [];
  if (isJsonArray(value)) return value.flatMap((element, index) => secretPaths(element, [...path, index]));
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    const here = [...path, name];
    if (SECRET_NAMES.has(name.toLowerCase().replaceAll(/[-_]/g, '')) || looksLikeKey(name)) return [here];
    return secretPaths(member ?? null, here);
  });
}
