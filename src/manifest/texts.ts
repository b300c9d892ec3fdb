/** Lists of texts, read also where the schema has found something else among them. */

import { isJsonArray, type JsonValue } from '../base/json.ts';

/** The texts of a list; a value that is no list has none. */
export function textsOf(value: JsonValue | undefined): string[] {
  return placedTexts(value).map(({ text }) => text);
}

/** The same, each with its place in the list; an empty text names nothing. */
export function placedTexts(value: JsonValue | undefined): { readonly text: string; readonly index: number }[] {
  if (!isJsonArray(value)) return [];
  return value.flatMap((text, index) => (typeof text === 'string' && text !== '' ? [{ text, index }] : []));
}
