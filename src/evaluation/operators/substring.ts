/** `icontains`, `starts_with`, `ends_with` and `icontains_multi`: parts of a string, ignoring case. */

import { isJsonArray, type JsonValue } from '../../base/json.ts';
import type { OperatorRules } from './rules.ts';

type TextRules = Pick<OperatorRules, 'text' | 'lowerCase'>;
export type PartTest = (text: string, part: string) => boolean;

export const contains: PartTest = (text, part) => text.includes(part);
export const startsWith: PartTest = (text, part) => text.startsWith(part);
export const endsWith: PartTest = (text, part) => text.endsWith(part);

export function matchesPart(
  test: PartTest,
  [found, wanted]: readonly [JsonValue, JsonValue],
  rules: TextRules,
): boolean {
  return test(fold(found, rules), fold(wanted, rules));
}

/** Whether any part of a list occurs; a single value is a list of one. */
export function containsAny(found: JsonValue, wanted: JsonValue, rules: TextRules): boolean {
  const parts = isJsonArray(wanted) ? wanted : [wanted];
  return parts.some((part) => matchesPart(contains, [found, part], rules));
}

function fold(value: JsonValue, { text, lowerCase }: TextRules): string {
  return lowerCase(text(value));
}
