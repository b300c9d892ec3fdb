import { expect, test } from 'vitest';
import { describeWith } from '../../../src/base/wording.ts';
import { EXPECTATION_WORDS, type ExpectationProblems } from '../../../src/review/expectations/problems.ts';
import type { DiagnosticOf } from '../../../src/base/diagnostic.ts';

test.each<[DiagnosticOf<ExpectationProblems>['code'], object, message: string, remedy: string]>([
  [
    'expected-flag-unknown',
    { flag: 'a' },
    'No manifest declares flag "a".',
    'Declare the flag, or remove the expectation.',
  ],
  [
    'expected-flag-unknown',
    { flag: 'a', project: 'staging' },
    'No manifest declares flag "a" for project "staging".',
    'Declare the flag for the project, or remove the project from `projects`.',
  ],
  [
    'expected-flag-unknown',
    { flag: 'a', project: 'staging', others: ['test'] },
    'No manifest declares flag "a" for the projects "staging" and "test".',
    'Declare the flag for these projects, or remove them from `projects`.',
  ],
  ['expected-flag-unknown', { flag: 'a', suggestion: 'ab' }, 'No manifest declares flag "a".', 'Did you mean "ab"?'],
  [
    'expected-variant-unknown',
    { flag: 'a', variant: 'x', variants: [] },
    '"a" has no variants, so it never returns "x".',
    'Write `true` for on, or `false` for off.',
  ],
  [
    'expected-variant-unknown',
    { flag: 'a', variant: 'x', variants: ['b', 'c'], project: 'staging' },
    '"a" has no variant "x" in project "staging".',
    'Write "b" or "c", `true` for any variant, or `false` for off.',
  ],
  ['person-unknown', { person: 'adda', suggestion: 'ada' }, 'No test file has a person "adda".', 'Did you mean "ada"?'],
  [
    'person-unknown',
    { person: 'adda' },
    'No test file has a person "adda".',
    'Add the person under `people`, in this or another test file.',
  ],
  [
    'person-cohort-unknown',
    { cohort: 'pro' },
    'No project has a cohort "pro".',
    'Declare the cohort, or add it to `cohorts` of a project in flagwright.yaml.',
  ],
])('%s of %j is explained', (code, args, message, remedy) => {
  const problem = { code, severity: 'error', args } as unknown as DiagnosticOf<ExpectationProblems>;
  expect(describeWith(EXPECTATION_WORDS, problem)).toEqual({ message, remedy });
});
