/** Lists of texts as the schema lets them through. */

import { isJsonArray, type JsonValue } from '../base/json.ts';

/** The texts of a list; a value that is no list has none. */
export function textsOf(value: JsonValue | undefined): string[] {
  return isJsonArray(value) ? value.filter((element) => typeof element === 'string') : [];
}
