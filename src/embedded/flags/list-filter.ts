/** Reads the query parameters that filter the list of flags. */

import { parseJson } from '../../base/json-text.ts';
import { isJsonArray, type JsonValue } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import { invalid } from '../handler/envelope.ts';
import type { FlagFilter, FlagType } from '../store/flag-conditions.ts';

const SEARCH_LIMIT = 200;
const TYPES: readonly FlagType[] = ['boolean', 'multivariant', 'experiment', 'remote_config'];
const TRUE_WORDS: readonly string[] = ['true', '1', 'yes'];

type Reader = (text: string, name: string) => FlagFilter;

const READERS: Readonly<Record<string, Reader>> = {
  active: (text) => {
    if (text === 'STALE') return { stale: true };
    return text === 'true' || text === 'false' ? { active: text === 'true' } : {};
  },
  key: (text) => ({ key: text }),
  search: readSearch,
  tags: (text, name) => toFilter('tags', readStrings(text, name)),
  excluded_tags: (text, name) => toFilter('excludedTags', readStrings(text, name)),
  // The name says properties, but the values are keys of flags.
  excluded_properties: (text, name) => toFilter('excludedKeys', readStrings(text, name)),
  type: readType,
  created_by_id: (text, name) => ({ createdBy: readIds(text, name) }),
  evaluation_runtime: (text) => ({ runtime: text }),
  has_evaluation_contexts: (text) => ({ hasContexts: TRUE_WORDS.includes(text.toLowerCase()) }),
};

export const LIST_FILTERS: readonly string[] = Object.keys(READERS);

/** An empty parameter counts as absent. Throws a 400 for a value of the wrong form. */
export function readListFilter(query: URLSearchParams): FlagFilter {
  const parts = Object.entries(READERS).map(([name, read]) => {
    const text = query.get(name) ?? '';
    return text.trim() === '' ? {} : read(text, name);
  });
  return Object.assign({}, ...parts) as FlagFilter;
}

/** Matches a part of key or name; a space matches a space, a dash or an underscore. */
function readSearch(search: string): FlagFilter {
  if (search.length > SEARCH_LIMIT) {
    throw invalid('invalid_input', `search may have at most ${SEARCH_LIMIT} characters.`, 'search');
  }
  const escaped = search.trim().toLowerCase().replace(/[*?[]/g, '[$&]');
  return { glob: `*${escaped.replace(/[ _-]/g, '[ _-]')}*` };
}

function readType(text: string): FlagFilter {
  const type = TYPES.find((name) => name === text);
  return defined({ type });
}

/** An empty list filters nothing. */
function toFilter(member: 'tags' | 'excludedTags' | 'excludedKeys', words: readonly string[]): FlagFilter {
  return words.length === 0 ? {} : { [member]: words };
}

function readStrings(text: string, name: string): readonly string[] {
  const list = tryParse(text);
  if (isJsonArray(list) && list.every((word) => typeof word === 'string')) return list;
  throw invalid('invalid_input', 'Expected a JSON list of strings.', name);
}

/** One id, ids separated by commas, or a JSON list. */
function readIds(text: string, name: string): number[] {
  const list = tryParse(text.trim().startsWith('[') ? text : `[${text}]`);
  const ids = isJsonArray(list) ? list.map(Number) : [];
  if (ids.length > 0 && ids.every(Number.isSafeInteger)) return ids;
  throw invalid('invalid_input', 'Expected ids of users.', name);
}

function tryParse(text: string): JsonValue | undefined {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
