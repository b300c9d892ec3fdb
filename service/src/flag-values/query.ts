/** Reads the query parameters `groups` and `flag_keys`. */

import { parseJson } from '../../../src/base/json-text.ts';
import { arrayOrEmpty } from '../../../src/base/json.ts';
import type { NamedSubject } from '../evaluation/context.ts';
import { readGroupKeys } from '../evaluation/flags.ts';
import type { Call } from '../handler/call.ts';
import { invalid } from '../handler/envelope.ts';

/** `groups`: a JSON object of group types and group keys. */
export function readGroups(query: URLSearchParams): NamedSubject['groups'] {
  const text = query.get('groups');
  if (text === null || text === '') return {};
  try {
    return readGroupKeys(parseJson(text));
  } catch {
    throw invalid('invalid_input', 'Expected a JSON object of group types and keys.', 'groups');
  }
}

/** `flag_keys`: a JSON list, or keys separated by commas; `undefined` for all flags. */
export function readWantedKeys({ query }: Call): ((key: string) => boolean) | undefined {
  const texts = query.getAll('flag_keys').filter((text) => text !== '');
  if (texts.length === 0) return undefined;
  const keys = new Set(texts.flatMap(readKeys));
  return (key) => keys.has(key);
}

function readKeys(text: string): string[] {
  if (!text.startsWith('[')) return text.split(',').map((key) => key.trim());
  try {
    const list = parseJson(text);
    return arrayOrEmpty(list).filter((key) => typeof key === 'string');
  } catch {
    throw invalid('invalid_input', 'Expected a JSON list of keys.', 'flag_keys');
  }
}
