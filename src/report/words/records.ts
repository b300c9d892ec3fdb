/** Records as a table, and what a page about them says of the whole. */

import { definedKeys, memberOf, type JsonObject } from '../../base/json.ts';
import { upperFirst } from '../../base/text.ts';
import type { ProjectIdentity } from '../../core/engine/project.ts';
import type { RecordsOrigin, ReportOf } from '../report.ts';
import { joined, type Phrase } from '../phrase.ts';
import { timeText } from './amounts.ts';

export function recordsTitle({ name, source }: RecordsOrigin): Phrase {
  const title = upperFirst(name);
  return source !== undefined && 'project' in source ? [`${title} of `, { code: source.project.name }] : title;
}

export function sourcePhrase({ source }: RecordsOrigin): Phrase | undefined {
  if (source === undefined) return undefined;
  if ('declared' in source) {
    const names = joined(source.declared.map((name) => [{ code: name }]));
    return ['As the manifests declare them for ', ...names, '. The service was not asked.'];
  }
  return [...placePhrase(source.project), `, read on ${timeText(source.at)}`];
}

function placePhrase({ host, project_id: id }: ProjectIdentity): Exclude<Phrase, string> {
  return host === 'embedded' ? ['On the embedded service'] : ['On ', { code: host }, ', project ', { code: id }];
}

export interface RecordsTable {
  readonly columns: readonly string[];
  readonly records: readonly JsonObject[];
}

/** A page is written once all records are read: half of one would look whole. One record is a row for each of its members. */
export async function tableOf(report: ReportOf<'records' | 'record' | 'done'>): Promise<RecordsTable> {
  if (report.kind !== 'records') {
    const { record } = report;
    const members = definedKeys(record).map((name) => ({ name, value: memberOf(record, name) ?? null }));
    return { columns: ['name', 'value'], records: members };
  }
  const records: JsonObject[] = [];
  for await (const record of report.records) records.push(record);
  return { columns: report.columns, records };
}
