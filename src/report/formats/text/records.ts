/** Records as a table: aligned, cut at the width of the terminal, and escaped; and the activity of flags as blocks. */

import { definedKeys, isJsonObject, type JsonObject, type JsonValue } from '../../../base/json.ts';
import type { Difference } from '../../../engine/diff.ts';
import type { Labels } from '../../../engine/labels.ts';
import { FLAG_LABELS } from '../../../posthog/flag/labels.ts';
import { actorIn, parseLog } from '../../../posthog/authors/log-entry.ts';
import { cellText, columnValue } from '../../columns.ts';
import { cut, displayWidth, pad } from '../../display-width.ts';
import { escapeLine, escapeWholeLine, quoteShort } from '../../escape.ts';
import { fieldLines } from '../../model/fields.ts';
import type { RecordsReport, ReportOf } from '../../report.ts';
import type { View } from '../../view.ts';
import { viaText } from '../../words/authors.ts';
import { timeText } from '../../words/times.ts';
import { phraseText } from './phrase-text.ts';

type TableView = Pick<View, 'palette' | 'width'>;

const GAP = '  ';
/** No column gets narrower than this to make room for others. */
const NARROWEST = 8;

/** The widths of columns depend on every record, so the whole list is read first. */
export async function recordsText({ records, columns }: RecordsReport, view: View): Promise<string> {
  const all: JsonObject[] = [];
  for await (const record of records) all.push(record);
  return tableText(all, columns, view);
}

/** A line of headings and a line for each record. */
export function tableText(records: readonly JsonObject[], columns: readonly string[], options: TableView): string {
  const rows = records.map((record) => columns.map((column) => escapeLine(cellText(columnValue(record, column)))));
  const headings = columns.map(escapeLine);
  const natural = headings.map((heading, index) => widest([heading, ...rows.map((row) => row[index] as string)]));
  const widths = options.width === undefined ? natural : fit(natural, options.width);
  const line = (cells: readonly string[]): string => joinCells(cells, widths);
  const body = rows.map((row) => `${escapeWholeLine(line(row))}\n`);
  return `${options.palette.strong(line(headings))}\n${body.join('')}`;
}

/** One record: a line for each of its members. */
export function recordText({ record }: Pick<ReportOf<'record'>, 'record'>, { palette, width }: TableView): string {
  const names = definedKeys(record);
  const nameWidth = widest(names.map(escapeLine));
  const room = width === undefined ? Infinity : Math.max(NARROWEST, width - nameWidth - GAP.length);
  return names
    .map((name) => {
      const heading = pad(escapeLine(name), nameWidth);
      return `${palette.strong(heading)}${GAP}${cut(escapeLine(cellText(record[name])), room)}`.trimEnd() + '\n';
    })
    .join('');
}

export function doneText({ text }: Pick<ReportOf<'done'>, 'text'>): string {
  return `${escapeLine(text)}\n`;
}

/** Shrinks the widest columns first, so that short ones stay whole. */
function fit(natural: readonly number[], width: number): number[] {
  const widths = natural.map((wanted) => Math.min(wanted, width));
  const room = width - GAP.length * (widths.length - 1);
  for (let total = sum(widths); total > room; total -= 1) {
    const most = Math.max(...widths);
    if (most <= NARROWEST) break;
    widths[widths.indexOf(most)] = most - 1;
  }
  return widths;
}

function joinCells(cells: readonly string[], widths: readonly number[]): string {
  const shown = cells.map((cell, index) => {
    const width = widths[index] as number;
    return pad(cut(cell, width), width);
  });
  return shown.join(GAP).trimEnd();
}

function widest(texts: readonly string[]): number {
  return texts.reduce((most, text) => Math.max(most, displayWidth(text)), 0);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/**
 * The activity of flags as text: a block for each entry of the log, with what it changed, from → to.
 *
 * `differences`: a member that the command adds to each entry.
 */
export async function activityText({ records }: RecordsReport, view: View): Promise<string> {
  const blocks: string[] = [];
  for await (const record of records) blocks.push([headOf(record, view), ...changesOf(record, view)].join('\n'));
  return blocks.length === 0 ? 'No activity.\n' : `${blocks.join('\n\n')}\n`;
}

function headOf(record: JsonObject, { palette }: View): string {
  const [entry] = parseLog([record]);
  const cell = (column: string): string => quoteShort(cellText(columnValue(record, column)));
  const subject = palette.strong(`${cell('detail.name')}`);
  if (entry === undefined) return [cell('created_at'), subject, cell('activity')].join('  ');
  const by = entry.by === undefined ? '' : `by ${quoteShort(entry.by)}, `;
  const actor = actorIn(entry);
  // No journal is read for this, so it does not say which run it was.
  const how = `${by}${actor.via === 'apply' ? 'with flagwright' : viaText(actor, quoteShort)}`;
  const id = palette.dim(`id ${cell('item_id')}`);
  return [timeText(entry.at), subject, id, escapeLine(entry.activity), palette.dim(how)].join('  ');
}

function changesOf({ differences = [], activity }: JsonObject, view: View): string[] {
  const fields = (differences as readonly JsonValue[]).filter(isJsonObject) as unknown as readonly Difference[];
  if (fields.length === 0) return activity === 'created' ? [] : [`  ${view.palette.dim('the log names no change')}`];
  const labels = FLAG_LABELS as Labels;
  const lines = fieldLines(fields, { labels, verbose: view.verbose, places: false, onlyAfter: activity === 'created' });
  return lines.map(({ phrase, indent = 0 }) => `${' '.repeat(2 + indent)}${phraseText(phrase, view)}`);
}
