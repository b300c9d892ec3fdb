/** `format=csv`: any answer as a table (RFC 4180), on every person endpoint. */

import { plainText } from '../../../src/base/json-text.ts';
import { arrayOrEmpty, isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../../src/base/json.ts';
import type { Answer, Call, Handler } from './call.ts';
import { notFound } from './envelope.ts';

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
