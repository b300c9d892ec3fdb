/** Pages with limit and offset, as in Django REST Framework. */

import { stringifyJson } from '../../../src/base/json-text.ts';
import { memberOf, type JsonObject, type JsonValue } from '../../../src/base/json.ts';
import type { Answer, Call } from './call.ts';

const DEFAULT_LIMIT = 100;
/** The sum of two is still a safe integer. */
const HIGHEST = 2 ** 52;

export interface PageRequest {
  readonly limit: number;
  readonly offset: number;
}

/** An invalid `limit` or `offset` counts as absent. There is no maximum. */
export function readPage(query: URLSearchParams, body: JsonObject = {}): PageRequest {
  // The query precedes the body, since links to other pages carry these parameters in the query.
  const sent = (name: string): string =>
    query.get(name) ?? stringifyJson(memberOf(body, name) ?? null).replaceAll('"', '');
  return { limit: wholeNumber(sent('limit')) || DEFAULT_LIMIT, offset: wholeNumber(sent('offset')) };
}

/** Links to the neighboring pages of a list of unknown length: the last page may be empty. */
export function buildLinks(
  call: Call,
  page: PageRequest,
  found: number,
): { next: string | null; previous: string | null } {
  const { limit, offset } = page;
  return {
    next: found >= limit ? linkInPlace(call, { offset: offset + limit }) : null,
    previous: offset >= limit ? linkInPlace(call, { offset: offset - limit }) : null,
  };
}

/** The page of all entries that the call asks for. */
export function answerPage<Entry>(
  call: Call,
  found: readonly Entry[],
  serialize: (entry: Entry) => JsonObject,
): Answer {
  const page = readPage(call.query);
  const results = found.slice(page.offset, page.offset + page.limit).map(serialize);
  return { status: 200, body: buildPage(call, page, { count: found.length, results }) };
}

export function buildPage(
  call: Call,
  page: PageRequest,
  found: { count: number; results: readonly JsonValue[] },
): JsonObject {
  const { count, results } = found;
  const nextOffset = page.offset + page.limit;
  const previousOffset = page.offset - page.limit;
  return {
    count,
    next: nextOffset < count ? linkTo(call, { limit: page.limit, offset: nextOffset }) : null,
    previous:
      page.offset > 0 ? linkTo(call, { limit: page.limit, offset: previousOffset > 0 ? previousOffset : null }) : null,
    results,
  };
}

type LinkParameters = Readonly<Record<string, number | null>>;

/** The call's URL with changed parameters, sorted by name; null removes one. */
export function linkTo(call: Call, parameters: LinkParameters): string {
  const query = withParameters(call.query, parameters);
  query.sort();
  return linkWith(call, query);
}

/** The call's URL with changed parameters, in place; new ones follow in the given order. */
export function linkInPlace(call: Call, parameters: LinkParameters): string {
  return linkWith(call, withParameters(call.query, parameters));
}

function withParameters(query: URLSearchParams, parameters: LinkParameters): URLSearchParams {
  const changed = new URLSearchParams(query);
  for (const [name, value] of Object.entries(parameters)) {
    if (value === null) changed.delete(name);
    else changed.set(name, String(value));
  }
  return changed;
}

function linkWith({ url }: Call, query: URLSearchParams): string {
  const text = query.toString();
  return text === '' ? url : `${url}?${text}`;
}

/** 0 for anything but a whole number. Clamped to what the database can count. */
function wholeNumber(text: string): number {
  if (!/^\s*\+?\d+\s*$/.test(text)) return 0;
  return Math.min(Number(text), HIGHEST);
}
