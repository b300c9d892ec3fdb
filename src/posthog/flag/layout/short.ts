/** Omits from written filters what means the same when it is absent, so that no drift is hidden. */

import {
  isJsonArray,
  isJsonObject,
  jsonEquals,
  memberOf,
  type JsonObject,
  type JsonValue,
} from '../../../base/json.ts';
import { TOLERANCES } from '../tolerances.ts';
import { without } from './members.ts';

const CONDITION = '/filters/groups/*';
const PROPERTY = `${CONDITION}/properties/*`;

/** Members of conditions and properties that have the value which the tolerance table gives them when they are absent. */
export function withoutDefaults(filters: JsonValue): JsonValue {
  if (!isJsonObject(filters) || !isJsonArray(filters['groups'])) return filters;
  return { ...filters, groups: filters['groups'].map(shortCondition) };
}

/** A bare `{}` also matches everybody, but looks unfinished. */
function shortCondition(condition: JsonValue): JsonValue {
  if (!isJsonObject(condition)) return condition;
  const { properties } = condition;
  const short = omitDefaults(condition, CONDITION);
  if (Object.keys(short).length === 0) return condition;
  return isJsonArray(properties) ? { ...short, properties: properties.map(shortProperty) } : short;
}

function shortProperty(property: JsonValue): JsonValue {
  return isJsonObject(property) ? omitDefaults(property, PROPERTY) : property;
}

function omitDefaults(object: JsonObject, owner: string): JsonObject {
  const usual = TOLERANCES.flatMap(({ path, treat }) => {
    if (treat.kind !== 'default' || !path.startsWith(`${owner}/`)) return [];
    const member = path.slice(owner.length + 1);
    const { of } = treat;
    const isMeant = of === undefined || of.values.some((value) => value === (memberOf(object, of.member) ?? null));
    return isMeant && jsonEquals(memberOf(object, member) ?? null, treat.value) ? [member] : [];
  });
  return usual.length === 0 ? object : without(object, usual);
}
