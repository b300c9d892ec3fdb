/** A person from a line of JSON: `{distinct_id, properties, groups, group_properties, cohorts}`. */

import { isJsonArray, isJsonObject, type JsonValue } from '../../base/json.ts';
import { parseJson } from '../../base/json-text.ts';
import { defined } from '../../base/optional.ts';
import { idText, isGroupType, type Membership, type Person, type Read } from './person.ts';

export function parseJsonPerson(text: string): Read {
  const value = tryParse(text);
  if (!isJsonObject(value)) return { fault: 'malformed' };
  const { distinct_id: distinctId, id, properties = {}, groups = {}, group_properties: ofGroups = {}, cohorts } = value;
  const known = idText(distinctId ?? id ?? '');
  const memberships = readGroups(groups, ofGroups);
  const members = cohorts === undefined ? undefined : idList(cohorts);
  const isReadable = known !== undefined && isJsonObject(properties) && memberships !== undefined;
  if (!isReadable || (cohorts !== undefined && members === undefined)) return { fault: 'malformed' };
  if (known === '') return { fault: 'no_id' };
  const person = { identity: known, distinctIds: [known], properties, groups: memberships } as const;
  return { person: { ...person, ...defined({ cohorts: members }) } };
}

function tryParse(text: string): JsonValue | undefined {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

/** `undefined` for what cannot be read. A key of `null`: the person is in no group of the type. */
function readGroups(keys: JsonValue, properties: JsonValue): Person['groups'] | undefined {
  if (!isJsonObject(keys) || !isJsonObject(properties)) return undefined;
  const types = [...new Set([...Object.keys(keys), ...Object.keys(properties)])];
  const read = types.map((type) => [type, readGroup(keys[type], properties[type])] as const);
  if (!read.every(([type, group]) => isGroupType(type) && group !== 'malformed')) return undefined;
  return Object.fromEntries(read.flatMap(([type, group]) => (isMembership(group) ? [[type, group]] : [])));
}

/** `undefined` where nothing is said. */
function readGroup(
  key: JsonValue | undefined,
  properties: JsonValue | undefined,
): Membership | 'malformed' | undefined {
  if (key === null) return properties === undefined ? 'none' : 'malformed';
  const text = idText(key ?? '');
  if (text === undefined || (properties !== undefined && !isJsonObject(properties))) return 'malformed';
  if (text === '' && properties === undefined) return undefined;
  return { properties: properties ?? {}, ...(text === '' ? {} : { key: text }) };
}

function isMembership(group: Membership | 'malformed' | undefined): group is Membership {
  return group !== undefined && group !== 'malformed';
}

function idList(value: JsonValue): readonly string[] | undefined {
  if (!isJsonArray(value)) return undefined;
  const ids = value.map(idText);
  return ids.every((id) => id !== undefined) ? ids : undefined;
}
