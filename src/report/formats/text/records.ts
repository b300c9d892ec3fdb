/**
 * Answers of commands on resources as text: records as a table, aligned, cut at the width of the terminal, and escaped; the activity of
 * flags as blocks; and a flag by its parts.
 */

import {
  arrayOrEmpty,
  definedKeys,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  memberOf,
  objectOrEmpty,
} from '../../../base/json.ts';
import type { Difference } from '../../../core/engine/diff.ts';
import type { Labels } from '../../../posthog/names/resource-name.ts';
import { actorIn, parseLog } from '../../../posthog/authors/log-entry.ts';
import { FLAG_LABELS } from '../../../posthog/flag/labels.ts';
import { viewFilters } from '../../../posthog/flag/model/flag.ts';
import { cellText, columnValue, cut, displayWidth, pad, wrapText } from '../../columns.ts';
import { escapeLine, escapeWholeLine, quoteShort } from '../../escape.ts';
import { fieldLines } from '../../model/fields.ts';
import type { RecordsReport } from '../../report.ts';
import type { View } from '../../view.ts';
import { viaText } from '../../words/authors.ts';
import { timeText } from '../../words/amounts.ts';
import { conditionText, inlineValue, isEmptyValue, percentText, restText } from '../../words/values.ts';
import { joinSections, phraseText } from './page.ts';

type TableView = Pick<View, 'palette' | 'width'> & Partial<Pick<View, 'verbose'>>;

const GAP = '  ';
/** No column gets narrower than this to make room for others. */
const NARROWEST = 8;

/** The widths of columns depend on every record, so the whole list is read first. */
export async function recordsText({ records, columns }: RecordsReport, view: View): Promise<string> {
  const all: JsonObject[] = [];
  for await (const record of records) all.push(record);
  return tableText(all, columns, view);
}

export function tableText(records: readonly JsonObject[], columns: readonly string[], options: TableView): string {
  const rows = records.map((record) => columns.map((column) => escapeLine(cellText(columnValue(record, column)))));
  const headings = columns.map(escapeLine);
  const natural = headings.map((heading, index) => widest([heading, ...rows.map((row) => row[index] as string)]));
  const widths = options.width === undefined || options.verbose === true ? natural : fit(natural, options.width);
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, index) => pad(cut(cell, widths[index] as number), widths[index] as number))
      .join(GAP)
      .trimEnd();
  const body = rows.map((row) => `${escapeWholeLine(line(row))}\n`);
  return `${options.palette.strong(line(headings))}\n${body.join('')}`;
}

/** A line for each flag, or for each project below its key; then what it is for. */
export async function flagsText({ records, columns }: RecordsReport, view: View): Promise<string> {
  const ofSeveral = columns.includes('project');
  const lines: string[] = [];
  let last: string | undefined;
  for await (const record of records) {
    const cell = (column: string): string => escapeLine(cellText(columnValue(record, column)));
    const key = cell('key');
    const about = ['description', 'tags'].map(cell).filter((text) => text !== '');
    const aside = about.length === 0 ? [] : [`  ${view.palette.dim(about.join(' · '))}`];
    const state = `${cell('on')}, ${cell('for whom')}`;
    if (!ofSeveral) lines.push(escapeWholeLine(`${key}: ${state}`), ...aside);
    else {
      if (key !== last) lines.push(escapeWholeLine(key), ...aside);
      lines.push(`  ${cell('project')}: ${state}`);
      last = key;
    }
  }
  const text = lines.length === 0 ? 'No flags.\n' : `${lines.join('\n')}\n`;
  return view.width === undefined || view.verbose ? text : wrapText(text, view.width);
}

export function recordText(record: JsonObject, { palette, width, verbose }: TableView): string {
  const names = definedKeys(record);
  const nameWidth = widest(names.map(escapeLine));
  const room = width === undefined || verbose === true ? Infinity : Math.max(NARROWEST, width - nameWidth - GAP.length);
  return names
    .map((name) => {
      const heading = pad(escapeLine(name), nameWidth);
      return `${palette.strong(heading)}${GAP}${cut(escapeLine(cellText(record[name])), room)}`.trimEnd() + '\n';
    })
    .join('');
}

/** Shrinks the widest columns first, so that short ones stay whole. */
function fit(natural: readonly number[], width: number): number[] {
  const widths = natural.map((wanted) => Math.min(wanted, width));
  const room = width - GAP.length * (widths.length - 1);
  for (let total = widths.reduce((sum, one) => sum + one, 0); total > room; total -= 1) {
    const most = Math.max(...widths);
    if (most <= NARROWEST) break;
    widths[widths.indexOf(most)] = most - 1;
  }
  return widths;
}

function widest(texts: readonly string[]): number {
  return texts.reduce((most, text) => Math.max(most, displayWidth(text)), 0);
}

/** A block for each entry of the log, with what it changed, from → to: the command adds `differences` to each entry. */
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

/** `--verbose` omits nothing. */
export function flagText(flag: JsonObject, view: View): string {
  const { palette } = view;
  const { id, name, filters, can_edit: canEdit, user_access_level: level } = flag;
  const others = withoutMembers(flag, isJsonObject(filters) ? [...HEAD, 'filters'] : HEAD, view);
  const isActive = flag['active'] === true ? 'active' : 'not active';
  const marks = ['deleted', 'archived'].filter((mark) => memberOf(flag, mark) === true);
  const state = [`id ${escapeLine(cellText(id))}`, isActive, ...marks].join(' · ');
  const words = [
    ...(canEdit === undefined ? [] : [canEdit === true ? 'can edit it' : 'cannot edit it']),
    ...(typeof level === 'string' ? [`${canEdit === undefined ? 'has ' : ''}level ${escapeLine(level)}`] : []),
  ];
  return joinSections([
    [
      `${palette.strong(escapeLine(cellText(flag['key'])))}  ${palette.dim(state)}`,
      ...(name === undefined || isEmptyValue(name) ? [] : cellText(name).split('\n').map(escapeLine)),
    ],
    ...(isJsonObject(filters) ? filterSections(filters, view) : []),
    words.length === 0 ? [] : [`${palette.strong('Access')}  the owner of the API key ${words.join(', ')}`],
    definedKeys(others).length === 0 ? [] : recordText(shortPeople(others), view).trimEnd().split('\n'),
  ]);
}

const HEAD = ['key', 'id', 'name', 'active', 'deleted', 'archived', 'can_edit', 'user_access_level'];

function filterSections(filters: JsonObject, view: View): (readonly string[])[] {
  const { groups, multivariate, payloads } = filters;
  const variants = isJsonObject(multivariate) ? multivariate['variants'] : undefined;
  const titled = (title: string, lines: readonly string[]): string[] =>
    lines.length === 0 ? [] : [view.palette.strong(title), ...lines];
  // Format version 2 has conditions of another shape, which only its own members describe.
  const isOpaque = viewFilters(filters).isOpaque;
  const conditions = !isOpaque && isJsonArray(groups) ? groups : undefined;
  const shownVariants = !isOpaque && isJsonArray(variants) ? variants : undefined;
  const shownPayloads = !isOpaque && isJsonObject(payloads) ? payloads : undefined;
  const rest = withoutMembers(
    filters,
    [
      ...(conditions === undefined ? [] : ['groups']),
      ...(shownVariants === undefined ? [] : ['multivariate']),
      ...(shownPayloads === undefined ? [] : ['payloads']),
    ],
    view,
  );
  const ofVariants = arrayOrEmpty(variants).map((variant) => cellText(objectOrEmpty(variant)['key']));
  return [
    conditions?.length === 0
      ? titled('Conditions', ['  none'])
      : titled(
          'Conditions (the first that matches decides)',
          (conditions ?? []).map((one, index) => `  ${index + 1}  ${conditionText(one, filters, view.verbose)}`),
        ),
    titled(
      'Variants',
      (shownVariants ?? []).map((variant) => variantLine(variant, objectOrEmpty(payloads), view)),
    ),
    // Payloads without a variant.
    titled(
      'Payloads',
      definedKeys(shownPayloads ?? {})
        .filter((key) => !ofVariants.includes(key))
        .map((key) => `  ${escapeLine(key)}  ${payloadText(memberOf(shownPayloads ?? {}, key) ?? null)}`),
    ),
    titled(
      'Other filters',
      definedKeys(rest).map((key) => `  ${escapeLine(key)}  ${inlineValue(rest[key] ?? null)}`),
    ),
  ];
}

function variantLine(variant: JsonValue, payloads: JsonObject, view: View): string {
  if (!isJsonObject(variant)) return `  ${inlineValue(variant)}`;
  const key = cellText(variant['key']);
  const rest = restText(variant, ['key', 'rollout_percentage'], view.verbose);
  const payload = Object.hasOwn(payloads, key) ? `  payload ${payloadText(payloads[key] as JsonValue)}` : '';
  return `  ${escapeLine(key)}  ${percentText(variant['rollout_percentage'])}${rest}${payload}`;
}

/** The service keeps payloads as JSON text. */
function payloadText(payload: JsonValue): string {
  return typeof payload === 'string' ? escapeLine(payload) : inlineValue(payload);
}

/** Omits empty or disabled members without `--verbose`. */
function withoutMembers(object: JsonObject, names: readonly string[], { verbose }: View): JsonObject {
  const left = definedKeys(object).filter(
    (name) => !names.includes(name) && (verbose || !(isEmptyValue(object[name] ?? null) || object[name] === false)),
  );
  return Object.fromEntries(left.map((name) => [name, object[name] ?? null]));
}

/** A person by the mail address: the rest is in `-f json`. */
function shortPeople(record: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(record).map(([name, value]) => {
      const email =
        isJsonObject(value) && ['created_by', 'last_modified_by'].includes(name) ? value['email'] : undefined;
      return [name, typeof email === 'string' ? email : (value ?? null)];
    }),
  );
}
