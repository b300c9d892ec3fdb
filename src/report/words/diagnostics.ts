/** The words for every diagnostic: one table that joins those of the folders. docs/diagnostics.md has a row for each code. */

import type { Diagnostic, DiagnosticOf } from '../../base/diagnostic.ts';
import { describeWith, type WordsFor } from '../../base/wording.ts';
import { type ConfigReadingProblems, CONFIG_READING_WORDS } from '../../config/problems.ts';
import { type ExpectationProblems, EXPECTATION_WORDS } from '../../review/expectations/problems.ts';
import type { ExpectationOutcome } from '../../review/expectations/expectation.ts';
import { type AllManifestProblems, ALL_MANIFEST_WORDS } from '../../posthog/manifests/problems.ts';
import { standingOfValidation } from '../report-status.ts';
import type { ReportOf } from '../report.ts';
import { count } from './amounts.ts';

type AllProblems = AllManifestProblems & ConfigReadingProblems & ExpectationProblems;

export type DiagnosticCode = keyof AllProblems;

/** A diagnostic of any folder, with the arguments of its code. */
export type KnownDiagnostic = DiagnosticOf<AllProblems>;

/** Does not compile when a code has no words. */
export const DIAGNOSTIC_WORDS: WordsFor<AllProblems> = {
  ...ALL_MANIFEST_WORDS,
  ...CONFIG_READING_WORDS,
  ...EXPECTATION_WORDS,
};

/** The problem and its fix, one sentence each. Values from files are shortened, escaped and masked. */
export function describe(diagnostic: Diagnostic): { readonly message: string; readonly remedy: string } {
  return describeWith(DIAGNOSTIC_WORDS, diagnostic as KnownDiagnostic);
}

/** Whether the line of the file may be printed: not when it holds a secret, or is not text. */
export function mayShowSource({ code }: Diagnostic): boolean {
  return DIAGNOSTIC_WORDS[code as DiagnosticCode].hidesSource !== true;
}

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

/** `Tests: 3 passed, 1 failed · 2 people, 3 flags, 2 projects in 1 file`. */
export function testedText({ cases, files, people, projects }: ReportOf<'test'>): string {
  const found = (['passed', 'failed', 'undecided'] as const)
    .map((outcome) => ({ outcome, amount: countOutcome(cases, outcome) }))
    .filter(({ amount, outcome }) => amount > 0 || outcome === 'passed')
    .map(({ outcome, amount }) => `${amount} ${outcome}`);
  const flags = new Set(cases.map(({ flag }) => flag)).size;
  const size = [count(people, 'person', 'people'), count(flags, 'flag'), count(projects.length, 'project')];
  return `Tests: ${found.join(', ')} · ${size.join(', ')} in ${count(files, 'file')}`;
}

export function countOutcome(cases: ReportOf<'test'>['cases'], wanted: ExpectationOutcome): number {
  return cases.filter(({ verdict }) => verdict.outcome === wanted).length;
}
