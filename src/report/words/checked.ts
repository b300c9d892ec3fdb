/** What a validation has read: `2 flags and 1 cohort in 1 file, 3 test files`. */

import type { ReportOf } from '../report.ts';
import { count } from './count.ts';

/** Cohorts and test files are named where there are some; manifests are not, where only test files were named. */
export function checkedText({
  files,
  flags,
  cohorts,
  tests,
}: Pick<ReportOf<'validation'>, 'files' | 'flags' | 'cohorts' | 'tests'>): string {
  if (files === 0 && tests > 0) return count(tests, 'test file');
  const declared = [
    ...(flags === 0 && cohorts > 0 ? [] : [count(flags, 'flag')]),
    ...(cohorts === 0 ? [] : [count(cohorts, 'cohort')]),
  ];
  const manifests = `${declared.join(' and ')} in ${count(files, 'file')}`;
  return tests === 0 ? manifests : `${manifests}, ${count(tests, 'test file')}`;
}
