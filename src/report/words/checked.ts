/** The sentences about what a check has read, and what it found. */

import type { ReportOf } from '../report.ts';
import { standingOfValidation } from '../report-status.ts';
import { count } from './amounts.ts';
import type { ExpectationOutcome } from '../../expectations/verdict.ts';

/** `2 flags in 1 file: 1 error, 2 warnings`, or that there are no problems: only where that is so. */
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
function checkedText({
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

/** `Tests: 3 passed, 1 failed · 2 people, 3 flags, 2 projects in 1 file`. */
export function testedText({ cases, files, people, projects }: ReportOf<'test'>): string {
  const found = ORDER.map((outcome) => ({ outcome, amount: countOutcome(cases, outcome) }))
    .filter(({ amount, outcome }) => amount > 0 || outcome === 'passed')
    .map(({ outcome, amount }) => `${amount} ${outcome}`);
  const flags = new Set(cases.map(({ flag }) => flag)).size;
  const size = [count(people, 'person', 'people'), count(flags, 'flag'), count(projects.length, 'project')];
  return `Tests: ${found.join(', ')} · ${size.join(', ')} in ${count(files, 'file')}`;
}

const ORDER: readonly ExpectationOutcome[] = ['passed', 'failed', 'undecided'];

export function countOutcome(cases: ReportOf<'test'>['cases'], wanted: ExpectationOutcome): number {
  return cases.filter(({ verdict }) => verdict.outcome === wanted).length;
}
