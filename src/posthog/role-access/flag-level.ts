/** The levels that one subject has by rules, for every flag of a project (docs/service.md, "Access rules"). */

import type { JsonPath } from '../../base/json-pointer.ts';
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../base/json.ts';
import { readArray, readObject, readText, UnexpectedShape } from '../client/shape.ts';

export interface FlagLevel {
  readonly flagId: number;
  readonly level: string;
}

/** The list has objects of every kind; only flags count here. */
export function readFlagLevels(value: JsonValue | undefined): readonly FlagLevel[] {
  const results = readArray(readObject(value)['results'], ['results']);
  return results.flatMap((object, index) => readFlagLevel(object, ['results', index]));
}

function readFlagLevel(value: JsonValue, path: JsonPath): FlagLevel[] {
  const object = readObject(value, path);
  if (readText(object['resource'], [...path, 'resource']) !== 'feature_flag') return [];
  const id = readText(object['resource_id'], [...path, 'resource_id']);
  if (!/^\d{1,15}$/.test(id)) throw new UnexpectedShape([...path, 'resource_id'], 'the id of a flag');
  return [{ flagId: Number(id), level: readText(object['access_level'], [...path, 'access_level']) }];
}

/** The ids of the flags that a role of 2023 can edit; `undefined` for a role of today, which does not say. */
export function associatedFlags({ associated_flags: flags }: JsonObject): readonly number[] | undefined {
  if (!isJsonArray(flags)) return undefined;
  const ids = flags.map((flag) => (isJsonObject(flag) ? flag['id'] : undefined));
  return ids.every((id) => typeof id === 'number') ? ids : undefined;
}
