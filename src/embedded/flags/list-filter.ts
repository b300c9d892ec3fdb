/** Reads the query parameters that filter the list of flags. */

import { parseJson, stringifyJson } from '../../base/json-text.ts';
import { isJsonArray, type JsonValue } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import { invalid } from '../handler/envelope.ts';
import type { FlagFilter, FlagType } from '../store/flag-conditions.ts';

const SEARCH_LIMIT = 200;
const TYPES: readonly FlagType[] = ['boolean', 'multivariant', 'experiment', 'remote_config'];
const TRUE_WORDS: readonly string[] = ['true', '1', 'yes'];

type Reader = (text: string) => FlagFilter;

const READERS: Readonly<Record<string, Reader>> = {
  active: (text) => {
    if (text === 'STALE') return { stale: true };
    return text === 'true' || text === 'false' ? { active: text === 'true' } : {};
  },
  key: (text) => ({ key: text }),
  search: readSearch,
  tags: (text) => toFilter('tags', readStrings(text)),
  excluded_tags: (text) => toFilter('excludedTags', readStrings(text)),
  // The name says properties, but the values are keys of flags.
  excluded_properties: (text) => toFilter('excludedKeys', readStrings(text)),
  type: readType,
  created_by_id: readIds,
  evaluation_runtime: (text) => ({ runtime: text }),
  eligible_for_experiment: (text) => (TRUE_WORDS.includes(text.toLowerCase()) ? { eligible: true } : {}),
  has_evaluation_contexts: (text) => ({ hasContexts: TRUE_WORDS.includes(text.toLowerCase()) }),
};

export const LIST_FILTERS: readonly string[] = Object.keys(READERS);

/** An empty parameter counts as absent, and so does a value of the wrong form. */
export function readListFilter(query: URLSearchParams): FlagFilter {
  const parts = Object.entries(READERS).map(([name, read]) => {
    const text = query.get(name) ?? '';
    return text.trim() === '' ? {} : read(text);
  });
  return Object.assign({}, ...parts) as FlagFilter;
}

/** Matches a part of key or name; a space matches a space, a dash or an underscore. */
function readSearch(search: string): FlagFilter {
  if (search.length > SEARCH_LIMIT) {
    throw invalid('invalid_input', `search may have at most ${SEARCH_LIMIT} characters.`, null);
  }
  const escaped = search.trim().toLowerCase().replace(/[*?[]/g, '[$&]');
  return { glob: `*${escaped.replace(/[ _-]/g, '[ _-]')}*` };
}

function readType(text: string): FlagFilter {
  const type = TYPES.find((name) => name === text);
  return defined({ type });
}

/** An empty list does not filter. */
function toFilter(member: 'tags' | 'excludedTags' | 'excludedKeys', words: readonly string[]): FlagFilter {
  return words.length === 0 ? {} : { [member]: words };
}

function readStrings(text: string): readonly string[] {
  const list = tryParse(text);
  if (isJsonArray(list) && list.every((word) => typeof word === 'string')) return list;
  return [];
}

/** One id, ids separated by commas, or a JSON list. Parts that are not ids are ignored. */
function readIds(text: string): FlagFilter {
  const list = tryParse(text);
  const parts = isJsonArray(list) ? list : text.split(',');
  const texts = parts.map((part) => (typeof part === 'string' ? part : stringifyJson(part)));
  const ids = texts.filter((part) => /^\s*\d{1,15}\s*$/.test(part)).map(Number);
  return ids.length === 0 ? {} : { createdBy: ids };
}

function tryParse(text: string): JsonValue | undefined {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
