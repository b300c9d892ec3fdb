/** Where code reads flags as CSV: one line for each place, and one for each flag without any. */

import type { JsonObject } from '../../../base/json.ts';
import { defined } from '../../../base/optional.ts';
import { unknownReadsOf } from '../../reference-counts.ts';
import type { ReportOf } from '../../report.ts';
import type { View } from '../../view.ts';
import { csvHeader, csvRecord, lineFor } from './records.ts';

const COLUMNS = ['key', 'standing', 'verdict', 'repository', 'file', 'line', 'column', 'form', 'certain'];

export function referencesCsv(report: ReportOf<'refs'>, view: View): string {
  const read = report.flags.flatMap(({ key, standing, use: { verdict, references } }): JsonObject[] => [
    ...references.map(({ place, form, certain, repository }) => ({
      key,
      standing,
      verdict,
      ...defined({ repository }),
      ...place,
      form,
      certain,
    })),
    ...(references.length === 0 ? [{ key, standing, verdict }] : []),
  ]);
  const unknown = unknownReadsOf(report).map(({ key, place, repository }) => ({
    key,
    standing: 'not_declared',
    verdict: 'read',
    ...defined({ repository }),
    ...place,
  }));
  return [csvHeader(COLUMNS), ...[...read, ...unknown].map((record) => csvRecord(record, COLUMNS))]
    .map(lineFor(view))
    .join('');
}
