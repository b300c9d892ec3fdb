/** A person from a line of JSON: `{distinct_id, properties, groups, cohorts}`. */

import { isJsonArray, isJsonObject, objectFrom, type JsonObject, type JsonValue } from '../../base/json.ts';
import { parseJson } from '../../base/json-text.ts';
import { idText, isGroupType, type Read } from './person.ts';

export function parseJsonPerson(text: string): Read {
  const value = tryParse(text);
  if (!isJsonObject(value)) return { fault: 'malformed' };
  const { distinct_id: distinctId, id, properties = {}, groups = {}, cohorts } = value;
  const known = idText(distinctId ?? id ?? '');
  const keys = groupKeys(groups);
  const members = cohorts === undefined ? undefined : idList(cohorts);
  const isReadable = known !== undefined && isJsonObject(properties) && keys !== undefined;
  if (!isReadable || (cohorts !== undefined && members === undefined)) return { fault: 'malformed' };
  if (known === '') return { fault: 'no_id' };
  const person = { distinctId: known, properties, groups: keys };
  return { person: members === undefined ? person : { ...person, cohorts: members } };
}

function tryParse(text: string): JsonValue | undefined {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

function groupKeys(groups: JsonValue): Record<string, string> | undefined {
  if (!isJsonObject(groups)) return undefined;
  const entries = Object.entries(groups as JsonObject).map(([type, key]) => [type, idText(key)] as const);
  const isReadable = entries.every(([type, key]) => isGroupType(type) && key !== undefined);
  return isReadable
    ? (objectFrom(entries.flatMap(([type, key]) => (key ? [[type, key]] : []))) as Record<string, string>)
    : undefined;
}

function idList(value: JsonValue): readonly string[] | undefined {
  if (!isJsonArray(value)) return undefined;
  const ids = value.map(idText);
  return ids.every((id) => id !== undefined) ? ids : undefined;
}
