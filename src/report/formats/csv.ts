/** Records as CSV (RFC 4180) that a spreadsheet can open without running what somebody wrote into a text. */

import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../base/json.ts';
import { columnValue } from './columns.ts';
import { escapeLine } from '../escape.ts';
import { jsonLine } from './json/write.ts';

/** The line of headings. Lines end in CR LF. */
export function csvHeader(columns: readonly string[]): string {
  return csvLine(columns.map(neutralText));
}

/** The line of one record. Lists and objects stand in their cell as JSON text; null and what is absent as nothing. */
export function csvRecord(record: JsonObject, columns: readonly string[]): string {
  return csvLine(columns.map((column) => csvCell(columnValue(record, column))));
}

function csvCell(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return neutralText(value);
  return isJsonArray(value) || isJsonObject(value) ? jsonLine(value) : String(value);
}

/**
 * What spreadsheets take for the beginning of a formula, in full width too; an apostrophe makes it text. Blanks in front
 * do not count, as some programs drop them.
 */
const FORMULA = /^[ ]*[=+\-@\t\r\n＝＋－＠]/;

/** Controls that no text has and a terminal obeys; line breaks and tabs stay. */
const CONTROL = /[^\P{Cc}\t\r\n]/gu;

function neutralText(text: string): string {
  const visible = text.replace(CONTROL, escapeLine);
  return FORMULA.test(visible) ? `'${visible}` : visible;
}

function csvLine(cells: readonly string[]): string {
  return `${cells.map(quoted).join(',')}\r\n`;
}

function quoted(cell: string): string {
  return /[",\r\n]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
