/** Reads the query parameters that filter the list of flags, as leniently as PostHog does. */

import { plainText, tryParseJson } from '../../../src/base/json-text.ts';
import { arrayOrEmpty, isJsonObject } from '../../../src/base/json.ts';
import { defined } from '../../../src/base/optional.ts';
import { invalidInput } from '../handler/envelope.ts';
import type { StoredFlag } from '../store/flag.ts';
import type { FlagSqlFilter, FlagTest, FlagType } from '../store/flags.ts';
import { isListedAsStale } from './staleness.ts';

const SEARCH_LIMIT = 200;
const TYPES: readonly FlagType[] = ['boolean', 'multivariant', 'experiment', 'remote_config'];
const TRUE_WORDS: readonly string[] = ['y', 'yes', 't', 'true', 'on', '1'];

/** Each returns the filter of a parameter that is present, perhaps with an empty value. */
const READERS: Readonly<Record<string, (text: string, now: Date) => FlagSqlFilter>> = {
  active: (text, now) => {
    if (text === 'STALE') return { tests: [(flag) => isListedAsStale(flag, now)] };
    // Any other value means false.
    return { active: text.toLowerCase() === 'true' };
  },
  archived: (text) => ({ archived: isTrue(text) }),
  key: (text) => (text.trim() === '' ? {} : { key: text.trim() }),
  search: readSearch,
  tags: (text) => toFilter('tags', readStrings(text)),
  excluded_tags: (text) => toFilter('excludedTags', readStrings(text)),
  // The name says properties, but the values are keys of flags.
  excluded_properties: (text) => toFilter('excludedKeys', readStrings(text)),
  type: (text) => defined({ type: TYPES.find((name) => name === text) }),
  created_by_id: readIds,
  evaluation_runtime: (text) => ({ runtime: text }),
  eligible_for_experiment: (text) => (isTrue(text) ? { eligible: true } : {}),
  has_evaluation_contexts: (text) => ({ hasContexts: isTrue(text) }),
};

export const LIST_FILTERS: readonly string[] = Object.keys(READERS);

/** The last value of a repeated parameter counts. */
export function readListFilter(query: URLSearchParams, now: Date): FlagSqlFilter {
  const filters = Object.entries(READERS).map(([name, read]) => {
    const text = query.getAll(name).at(-1);
    return text === undefined ? {} : read(text, now);
  });
  const tests = filters.flatMap((filter) => filter.tests ?? []);
  return { ...(Object.assign({}, ...filters) as FlagSqlFilter), ...(tests.length > 0 && { tests }) };
}

/**
 * Matches a part of the key, the name or the name of an experiment, in any case. A space matches any number of spaces, dashes and
 * underscores, also none; other characters match themselves.
 */
function readSearch(text: string): FlagSqlFilter {
  const search = text.trim();
  if (search === '') return {};
  if (search.length > SEARCH_LIMIT) {
    throw invalidInput(`search may have at most ${SEARCH_LIMIT} characters.`);
  }
  const pattern = search.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&').replaceAll(' ', '[\\s_-]*');
  const regex = new RegExp(pattern, 'iu');
  const test: FlagTest = (flag) => [flag.key, flag.name, ...experimentNames(flag)].some((name) => regex.test(name));
  return { tests: [test] };
}

function experimentNames({ fields }: StoredFlag): string[] {
  const experiments = arrayOrEmpty(fields['experiment_set_metadata']).filter(isJsonObject);
  return experiments.map(({ name }) => name).filter((name) => typeof name === 'string');
}

/** An empty list does not filter. */
function toFilter(member: 'tags' | 'excludedTags' | 'excludedKeys', words: readonly string[]): FlagSqlFilter {
  return words.length === 0 ? {} : { [member]: words };
}

function readStrings(text: string): readonly string[] {
  const list = tryParseJson(text);
  return arrayOrEmpty(list).filter((word) => typeof word === 'string');
}

/** One id, ids separated by commas, or a JSON list. Parts that are not ids are ignored; so is a list that is not JSON. */
function readIds(text: string): FlagSqlFilter {
  const parts = text.trim().startsWith('[') ? arrayOrEmpty(tryParseJson(text)) : text.split(',');
  const texts = parts.map((part) => plainText(part));
  const ids = texts.filter((part) => /^\s*\d{1,15}\s*$/.test(part)).map(Number);
  return ids.length === 0 ? {} : { createdBy: ids };
}

function isTrue(text: string): boolean {
  return TRUE_WORDS.includes(text.toLowerCase());
}
