/** The activity of flags as text: a block for each entry of the log, with what it changed, from → to. */

import { isJsonObject, type JsonObject, type JsonValue } from '../../../base/json.ts';
import { FLAG_LABELS } from '../../../posthog/flag/labels.ts';
import type { Difference } from '../../../engine/diff.ts';
import type { Labels } from '../../../engine/labels.ts';
import { actorIn, parseLog } from '../../../posthog/log-entry.ts';
import { cellText, columnValue } from '../../columns.ts';
import { escapeLine, quoteShort } from '../../escape.ts';
import type { RecordsReport } from '../../report.ts';
import type { View } from '../../view.ts';
import { viaText } from '../../words/authors.ts';
import { timeText } from '../../words/times.ts';
import { fieldLines } from '../../model/fields.ts';
import { phraseText } from './phrase-text.ts';

/** `differences`: a member that the command adds to each entry. */
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
  const how = `${by}${viaText(actorIn(entry), quoteShort)}`;
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
