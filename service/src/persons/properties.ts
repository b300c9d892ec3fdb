/** Lists the properties that persons have, and the values of one. */

import { compareStrings } from '../../../src/base/compare-strings.ts';
import { parseJson } from '../../../src/base/json-text.ts';
import { definedKeys, isJsonArray, isJsonObject, type JsonValue } from '../../../src/base/json.ts';
import { pythonJson } from '../format/python-json.ts';
import type { Answer, Call, ServiceContext } from '../handler/call.ts';

/** The maximum of the real service. */
const MOST_VALUES = 20;

export function personProperties({ store }: ServiceContext, { projectId }: Call): Answer {
  return { status: 200, body: store.propertyCounts.keys(projectId).map(({ name, count }) => ({ name, count })) };
}

/** The list is empty without a key. */
export function personValues({ store }: ServiceContext, { projectId, query }: Call): Answer {
  const key = query.get('key') ?? '';
  if (key === '') return { status: 200, body: [] };
  const found = store.propertyCounts.values(projectId, { key, part: query.get('value') ?? '', limit: MOST_VALUES });
  return { status: 200, body: found.map(({ name, count }) => ({ name: nameOf(name), count })) };
}

/** Lists and objects are shown with sorted keys, as Python writes JSON. */
function nameOf(value: string): string {
  if (!/^[[{]/.test(value)) return value;
  try {
    return pythonJson(sortKeys(parseJson(value)));
  } catch {
    return value;
  }
}

function sortKeys(value: JsonValue): JsonValue {
  if (isJsonArray(value)) return value.map(sortKeys);
  if (!isJsonObject(value)) return value;
  const keys = definedKeys(value).toSorted(compareStrings);
  return Object.fromEntries(keys.map((key) => [key, sortKeys(value[key] ?? null)]));
}
