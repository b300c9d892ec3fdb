/** Lists of strings, which are read even where the schema found other values among them. */

import { isJsonArray, type JsonValue } from '../base/json.ts';

/** The strings of a list; none when the value is not a list. */
export function stringsOf(value: JsonValue | undefined): string[] {
  return placedStrings(value).map(({ text }) => text);
}

/** The strings of a list with their index. Empty strings name nothing and are left out. */
export function placedStrings(value: JsonValue | undefined): { readonly text: string; readonly index: number }[] {
  if (!isJsonArray(value)) return [];
  return value.flatMap((text, index) => (typeof text === 'string' && text !== '' ? [{ text, index }] : []));
}
