/** The tree that decides who is in a dynamic cohort: its filters, or what its groups, the older form, mean. */

import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../../src/base/json.ts';

export function definitionOf(filters: JsonValue | undefined, groups: JsonValue | undefined): JsonObject {
  const properties = isJsonObject(filters) ? filters['properties'] : undefined;
  if (isJsonObject(properties)) return properties;
  if (isJsonArray(properties)) return { type: 'AND', values: properties };
  const meant = isJsonArray(groups) ? groups.filter(isJsonObject) : [];
  return meant.length === 0 ? { type: 'AND', values: [] } : { type: 'OR', values: meant.map(readGroup) };
}

/** Whether filters say who is in the cohort. */
export function hasCriteria(filters: JsonValue | undefined): boolean {
  const { values } = definitionOf(filters, undefined);
  return isJsonArray(values) && values.length > 0;
}

/** A group has properties, all of which must match, or an action or event that the person did. */
function readGroup(group: JsonObject): JsonObject {
  const { properties, action_id: action, event_id: event, days, count, count_operator: operator } = group;
  if (isJsonObject(properties)) {
    const values = Object.entries(properties).map(([key, value]) => exact(key, value ?? null));
    return { type: 'AND', values };
  }
  if (isJsonArray(properties)) return { type: 'AND', values: properties };
  const done: JsonObject = {
    type: 'behavioral',
    key: action ?? event ?? null,
    value: count === undefined ? 'performed_event' : 'performed_event_multiple',
    event_type: action === undefined ? 'events' : 'actions',
    time_interval: 'day',
    time_value: days ?? 365,
    ...(count === undefined ? {} : { operator: operator ?? null, operator_value: count }),
  };
  return { type: 'AND', values: [done] };
}

function exact(key: string, value: JsonValue): JsonObject {
  return { key, type: 'person', operator: 'exact', value };
}
