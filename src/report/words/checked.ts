/** What a validation has read: `2 flags and 1 cohort in 1 file`. */

import type { ReportOf } from '../report.ts';
import { count } from './count.ts';

/** Cohorts are named where there are some. */
export function checkedText({
  files,
  flags,
  cohorts,
}: Pick<ReportOf<'validation'>, 'files' | 'flags' | 'cohorts'>): string {
  const declared = [
    ...(flags === 0 && cohorts > 0 ? [] : [count(flags, 'flag')]),
    ...(cohorts === 0 ? [] : [count(cohorts, 'cohort')]),
  ];
  return `${declared.join(' and ')} in ${count(files, 'file')}`;
}
