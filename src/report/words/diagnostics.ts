/** The words for every diagnostic: one table that joins those of the folders. docs/diagnostics.md and docs/diagnostics/configuration.md have a line for each code. */

import type { Diagnostic, DiagnosticOf } from '../../base/diagnostic.ts';
import { describeWith, type WordsFor } from '../../base/wording.ts';
import { type ConfigReadingProblems, CONFIG_READING_WORDS } from '../../config/problems.ts';
import { type ExpectationProblems, EXPECTATION_WORDS } from '../../review/expectations/problems.ts';
import type { ExpectationOutcome } from '../../review/expectations/expectation.ts';
import { type AllManifestProblems, ALL_MANIFEST_WORDS } from '../../posthog/manifests/problems.ts';
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
