/** Flags that can go as CSV: one line for each. */

import { defined } from '../../../base/optional.ts';
import type { StaleReport } from '../../report.ts';
import type { View } from '../../view.ts';
import { csvHeader, csvRecord, lineFor } from './records.ts';

const COLUMNS = ['key', 'next_step', 'owner', 'code', 'calls', 'answer', 'age', 'expiry', 'file', 'line'];

export function staleCsv({ flags }: StaleReport, view: View): string {
  const records = flags.map(({ key, step, owner, signals, place }) => ({
    key,
    next_step: step,
    ...defined({ owner: owner?.name }),
    ...signals,
    ...place,
  }));
  return [csvHeader(COLUMNS), ...records.map((record) => csvRecord(record, COLUMNS))].map(lineFor(view)).join('');
}
