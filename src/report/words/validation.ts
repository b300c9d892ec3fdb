/** The summary of a validation, apart from the words of diagnostics, which most validations do not need. */

import { standingOfValidation } from '../report-status.ts';
import type { ReportOf } from '../report.ts';
import { count } from './amounts.ts';

/** `2 flags in 1 file: 1 error, 2 warnings`; it says that there are no problems only if that is true. */
export function validationSummary(report: ReportOf<'validation'>): string {
  const { errors, warnings, refusals, approvals, remarks } = standingOfValidation(report);
  const found = [
    ...(errors === 0 ? [] : [count(errors, 'error')]),
    ...(warnings === 0 ? [] : [count(warnings, 'warning')]),
    ...(refusals === 0 ? [] : [`${count(refusals, 'change')} refused by policies`]),
    ...(approvals === 0 ? [] : [`${count(approvals, 'change')} to approve`]),
    ...(remarks === 0 ? [] : [count(remarks, 'warning of policies', 'warnings of policies')]),
  ];
  return `${checkedText(report)}: ${found.length === 0 ? 'no problems' : found.join(', ')}`;
}

/**
 * `2 flags and 1 cohort in 1 file, 3 test files`. Cohorts and test files are named where there are some; manifests are not, where only test
 * files were named.
 */
function checkedText({ files, flags, cohorts, tests }: ReportOf<'validation'>): string {
  if (files === 0 && tests > 0) return count(tests, 'test file');
  const declared = [
    ...(flags === 0 && cohorts > 0 ? [] : [count(flags, 'flag')]),
    ...(cohorts === 0 ? [] : [count(cohorts, 'cohort')]),
  ];
  const manifests = `${declared.join(' and ')} in ${count(files, 'file')}`;
  return tests === 0 ? manifests : `${manifests}, ${count(tests, 'test file')}`;
}
