/** Where code reads flags, and which can go, as CSV. */

import type { JsonObject } from '../../../base/json.ts';
import { defined } from '../../../base/optional.ts';
import { type RefsReport, type StaleReport, unknownReadsOf } from '../../../code/references/reports.ts';
import type { View } from '../../view.ts';
import { wholeCsv } from './records.ts';

const REFERENCE_COLUMNS = ['key', 'standing', 'verdict', 'repository', 'file', 'line', 'column', 'form', 'certain'];

/** Where code reads flags: one line for each place, and one for each flag without any. */
export function referencesCsv(report: RefsReport, view: View): string {
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
  return wholeCsv([...read, ...unknown], REFERENCE_COLUMNS, view);
}

const STALE_COLUMNS = ['key', 'next_step', 'owner', 'code', 'calls', 'answer', 'age', 'expiry', 'file', 'line'];

/** Flags that can go: one line for each. */
export function staleCsv({ flags }: StaleReport, view: View): string {
  const records = flags.map(({ key, step, owner, signals, place }) => ({
    key,
    next_step: step,
    ...defined({ owner: owner?.name }),
    ...signals,
    ...place,
  }));
  return wholeCsv(records, STALE_COLUMNS, view);
}
