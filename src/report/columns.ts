/** The columns of a table or of CSV: which value of a record stands in which cell. */

import { stringifyJson } from '../base/json-text.ts';
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../base/json.ts';

/**
 * The value that a column names: `name`, `user.email`, `properties.$initial_referrer`. A member whose own name has
 * dots is found too: the longest name wins.
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

/** Plain words where the value is one; lists of plain values as they are read aloud; JSON else. */
export function cellText(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  if (isJsonArray(value) && value.every((element) => !isJsonArray(element) && !isJsonObject(element))) {
    return value.map(cellText).join(', ');
  }
  return stringifyJson(value);
}
