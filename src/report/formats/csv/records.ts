/**
 * Records, and where projects differ, as CSV (RFC 4180) that a spreadsheet opens without running a
 * formula that a user wrote into a value.
 */

import { stringifyJson } from '../../../base/json-text.ts';
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue, objectFrom } from '../../../base/json.ts';
import { columnValue } from '../../columns.ts';
import { escapeLine } from '../../escape.ts';
import { shownRows } from '../../report-facts.ts';
import type { RecordsReport, ReportOf } from '../../report.ts';
import type { RecordStream, View } from '../../view.ts';
import { jsonLine } from '../json/seal.ts';

export function csvRecords({ records, columns, allColumns = columns }: RecordsReport, view: View): RecordStream {
  const shown = lineFor(view);
  return { head: shown(csvHeader(allColumns)), records, line: (record) => shown(csvRecord(record, allColumns)) };
}

export function csvOfOne(record: JsonObject, view: View): RecordStream {
  return csvRecords({ kind: 'records', records: onlyOne(record), columns: Object.keys(record) }, view);
}

async function* onlyOne(record: JsonObject): AsyncGenerator<JsonObject> {
  yield record;
}

/** A file keeps every character; a terminal would obey some of them. */
function lineFor({ terminal }: Pick<View, 'terminal'>): (line: string) => string {
  return terminal ? (line) => `${line.slice(0, -2).split(/\r?\n/).map(escapeLine).join('\n')}\r\n` : (line) => line;
}

/** The line of headings. Lines end in CR LF. */
export function csvHeader(columns: readonly string[]): string {
  return csvLine(columns.map(neutralText));
}

/** The line of one record. Lists and objects are JSON in their cell; null and absent values are empty. */
export function csvRecord(record: JsonObject, columns: readonly string[]): string {
  return csvLine(columns.map((column) => csvCell(columnValue(record, column))));
}

function csvCell(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return neutralText(value);
  return isJsonArray(value) || isJsonObject(value) ? jsonLine(value) : String(value);
}

/** What begins a formula, full-width forms included: an apostrophe makes the cell a string. Some programs drop leading spaces. */
const FORMULA = /^[ ]*[=+\-@\t\r\n＝＋－＠]/;

/** Control characters that a terminal obeys; line breaks and tabs stay. */
const CONTROL = /[^\P{Cc}\t\r\n]/gu;

function neutralText(text: string): string {
  const visible = text.replace(CONTROL, escapeLine);
  return FORMULA.test(visible) ? `'${visible}` : visible;
}

function csvLine(cells: readonly string[]): string {
  const quoted = cells.map((cell) => (/[",\r\n]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell));
  return `${quoted.join(',')}\r\n`;
}

export function parityCsv(report: ReportOf<'parity'>, view: View): string {
  const { projects } = report.parity;
  const isUnread = (name: string | undefined): boolean =>
    report.unread?.some(({ project }) => project === name) === true;
  // A project may have the name of another column.
  const columns = projects.map((_, index) => `project ${index}`);
  const lines = shownRows(report).map(({ key, path, declared, cells }) => {
    // A value as JSON; what is not a value, in brackets.
    const values = cells.map((cell) => (cell.kind === 'value' ? stringifyJson(cell.value) : `(${cell.kind})`));
    const record = { key, path, declared, ...objectFrom(values.map((value, index) => [columns[index] ?? '', value])) };
    return csvRecord(record, ['key', 'path', 'declared', ...columns]);
  });
  const alike = (report.withAlike === true ? report.parity.alike : []).map(({ key }) => {
    const same = columns.map((name, index) => [name, isUnread(projects[index]) ? '(unread)' : '(same)'] as const);
    return csvRecord({ key, ...objectFrom(same) }, ['key', 'path', 'declared', ...columns]);
  });
  return [csvHeader(['key', 'path', 'declared', ...projects]), ...lines, ...alike].map(lineFor(view)).join('');
}

export function wholeCsv(records: readonly JsonObject[], columns: readonly string[], view: View): string {
  return [csvHeader(columns), ...records.map((record) => csvRecord(record, columns))].map(lineFor(view)).join('');
}
