/** The columns of a table or of CSV: the value of a record in each cell. */

import { stringifyJson } from '../base/json-text.ts';
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../base/json.ts';

/**
 * The value that a column names: `name`, `user.email`, `properties.$initial_referrer`. The name of a member may contain
 * dots: the longest name wins.
 */
export function columnValue(record: JsonObject, column: string): JsonValue | undefined {
  if (Object.hasOwn(record, column)) return record[column];
  for (let dot = column.lastIndexOf('.'); dot > 0; dot = column.lastIndexOf('.', dot - 1)) {
    const name = column.slice(0, dot);
    const member = Object.hasOwn(record, name) ? record[name] : undefined;
    if (isJsonObject(member)) return columnValue(member, column.slice(dot + 1));
  }
  return undefined;
}

/** A string as it is, a list of plain values separated by commas, anything else as JSON. */
export function cellText(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  if (isJsonArray(value) && value.every((element) => !isJsonArray(element) && !isJsonObject(element))) {
    return value.map(cellText).join(', ');
  }
  return stringifyJson(value);
}
