/** Lists with limit and offset, as in Django REST Framework: their pages, the texts of those that repeat, and their form as CSV. */

import { stringifyJson, plainText } from '../../../src/base/json-text.ts';
import {
  memberOf,
  type JsonObject,
  type JsonValue,
  isJsonObject,
  arrayOrEmpty,
  isJsonArray,
} from '../../../src/base/json.ts';
import type { Answer, Call, Handler } from './call.ts';
import { notFound } from './envelope.ts';

const DEFAULT_LIMIT = 100;
/** The sum of two is still a safe integer. */
const HIGHEST = 2 ** 52;

interface PageRequest {
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

const kept = new WeakMap<JsonObject, string>();

export function bodyText(body: JsonValue): string {
  return (isJsonObject(body) ? kept.get(body) : undefined) ?? stringifyJson(body);
}

/** Keeps the text of a final body as long as the body itself is kept. */
export function keepText(body: JsonObject): string {
  const text = bodyText(body);
  kept.set(body, text);
  return text;
}

/** A page that was answered. Its results are final, so the same ones have the same text. */
interface AnsweredPage {
  readonly results: readonly JsonObject[];
  readonly text: string;
}

/** Clients read a list again and again, in pages of their size. The text of each may have megabytes. */
const MOST_PAGES = 8;
/** Answered pages by the text of the other members, the latest answer last. */
const answered = new Map<string, AnsweredPage>();

/** Keeps the text of a page, made of those of its `results`, which come last. Each of them keeps its own. */
export function keepPageText(page: JsonObject, results: readonly JsonObject[]): JsonObject {
  const { results: _results, ...rest } = page;
  const start = stringifyJson(rest).slice(0, -1);
  const known = answered.get(start);
  const text =
    known !== undefined && isSameList(known.results, results)
      ? known.text
      : `${start},"results":[${results.map(keepText).join()}]}`;
  kept.set(page, text);
  answered.delete(start);
  answered.set(start, { results, text });
  const [oldest] = answered.keys();
  if (answered.size > MOST_PAGES && oldest !== undefined) answered.delete(oldest);
  return page;
}

function isSameList(one: readonly JsonObject[], other: readonly JsonObject[]): boolean {
  return one.length === other.length && one.every((result, index) => result === other[index]);
}

/** Throws a 404 for an unknown format, as the real service does. */
export function wantsCsv({ query }: Call): boolean {
  const format = query.get('format') || 'json';
  if (format !== 'csv' && format !== 'json') throw notFound();
  return format === 'csv';
}

/** Adds `format=csv` to a handler: converts its answer to a table, unless it is one already. */
export function withCsv(handler: Handler): Handler {
  return (service, call) => {
    const isCsv = wantsCsv(call);
    const answer = handler(service, call);
    return isCsv ? asCsv(answer) : answer;
  };
}

function asCsv(answer: Answer): Answer {
  const { body, ...rest } = answer;
  if (body === undefined) return answer;
  const rows = listRows(body);
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const lines = rows.map((row) => csvLine(columns.map((column) => row[column])));
  return { ...rest, text: { type: 'text/csv', chunks: [csvLine(columns) + lines.join('')] } };
}

/** One line with its line break. Strings are written as they are, lists and objects as JSON, null as an empty cell. */
export function csvLine(cells: readonly (JsonValue | undefined)[]): string {
  return `${cells.map(writeCell).join(',')}\r\n`;
}

function writeCell(value: JsonValue | undefined): string {
  const text = value === null || value === undefined ? '' : plainText(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** The persons of an analysis, the results of a page, the elements of a list, or the object itself. */
function listRows(body: JsonValue): JsonObject[] {
  const list = isJsonObject(body) ? (body['results'] ?? body['result'] ?? [body]) : body;
  const rows = arrayOrEmpty(list).filter(isJsonObject);
  const people = rows[0]?.['people'];
  return isJsonArray(people) ? people.filter(isJsonObject) : rows;
}
