/** The problems of test files, and their words. */

import type { DiagnosticOf, NoArgs, OfProjects } from '../../base/diagnostic.ts';
import { defined } from '../../base/optional.ts';
import type { Place } from '../../base/place.ts';
import { type ShapeProblems, SHAPE_WORDS } from '../../base/shape/problems.ts';
import { didYouMean, ERROR, listed, projectsText, quoted, type WordsFor, docsPage } from '../../base/wording.ts';
import { type YamlProblems, YAML_WORDS } from '../../base/yaml/problems.ts';
import { type ProjectProblems, PROJECT_WORDS } from '../../core/engine/project.ts';
import { type ManifestProblems, placeText, MANIFEST_WORDS } from '../../core/manifest/problems.ts';

export interface ExpectationProblems {
  'tests-none': { readonly patterns: readonly string[] };
  'person-unknown': { readonly person: string; readonly suggestion?: string };
  'person-duplicate': { readonly person: string; readonly other: Place };
  'person-cohort-unknown': { readonly cohort: string; readonly suggestion?: string };
  /** `project` is absent if no project declares the flag. */
  'expected-flag-unknown': { readonly flag: string; readonly suggestion?: string } & Partial<OfProjects>;
  /** `variants`: those of the flag. `project` is absent if no project has the variant. */
  'expected-variant-unknown': {
    readonly flag: string;
    readonly variant: string;
    readonly variants: readonly string[];
  } & Partial<OfProjects>;
  'expected-payload-of-off': NoArgs;
  'expected-time-invalid': { readonly time: string };
}

/** Everything that reading test files may report. */
export type ExpectationReadingProblems = YamlProblems &
  ShapeProblems &
  ProjectProblems &
  Pick<ManifestProblems, 'file-outside'> &
  ExpectationProblems;

export type ExpectationDiagnostic = DiagnosticOf<ExpectationReadingProblems>;

export const EXPECTATION_WORDS: WordsFor<ExpectationProblems> = {
  'tests-none': {
    title: 'No file matches `tests`',
    severities: ERROR,
    hint: `Write a first test (${docsPage('testing')}), or correct \`tests\` in flagwright.yaml.`,
    message: ({ patterns }) => `No file with \`people\` or \`expect\` matches ${listed(patterns)}.`,
  },
  'person-unknown': {
    title: 'An expectation names a person that no test file has',
    severities: ERROR,
    hint: 'Correct the name, or add the person under `people`.',
    message: ({ person }) => `No test file has a person ${quoted(person)}.`,
    remedy: ({ suggestion }) => didYouMean(suggestion, 'Add the person under `people`, in this or another test file.'),
  },
  'person-duplicate': {
    title: 'Two people have the same name',
    severities: ERROR,
    hint: 'Rename or remove one of them: all test files share their people.',
    message: ({ person, other }) => `${quoted(person)} is already a person at ${placeText(other)}.`,
  },
  'person-cohort-unknown': {
    title: 'A person is in a cohort that no project has',
    severities: ERROR,
    hint: 'Correct the alias, declare the cohort, or add it to `cohorts` of a project in flagwright.yaml.',
    message: ({ cohort }) => `No project has a cohort ${quoted(cohort)}.`,
    remedy: ({ suggestion }) =>
      didYouMean(suggestion, 'Declare the cohort, or add it to `cohorts` of a project in flagwright.yaml.'),
  },
  'expected-flag-unknown': {
    title: 'An expectation names a flag that is not declared',
    severities: ERROR,
    hint: 'Correct the key, declare the flag, or limit the expectation to `projects` that have it.',
    message: ({ flag, project, others }) =>
      project === undefined
        ? `No manifest declares flag ${quoted(flag)}.`
        : `No manifest declares flag ${quoted(flag)} for ${projectsText({ project, ...defined({ others }) })}.`,
    remedy: ({ suggestion, project, others }) =>
      didYouMean(
        suggestion,
        project === undefined
          ? 'Declare the flag, or remove the expectation.'
          : others === undefined
            ? 'Declare the flag for the project, or remove the project from `projects`.'
            : 'Declare the flag for these projects, or remove them from `projects`.',
      ),
  },
  'expected-variant-unknown': {
    title: 'An expectation names a variant that the flag does not have',
    severities: ERROR,
    hint: 'Write one of the variants, `true` for on, or `false` for off.',
    message: ({ flag, variant, project, others, variants }) => {
      const where = project === undefined ? '' : ` in ${projectsText({ project, ...defined({ others }) })}`;
      return variants.length === 0
        ? `${quoted(flag)} has no variants${where}, so it never returns ${quoted(variant)}.`
        : `${quoted(flag)} has no variant ${quoted(variant)}${where}.`;
    },
    remedy: ({ variants }) =>
      variants.length === 0
        ? 'Write `true` for on, or `false` for off.'
        : `Write ${listed(variants)}, \`true\` for any variant, or \`false\` for off.`,
  },
  'expected-payload-of-off': {
    title: 'An expectation expects a payload from a flag that is off',
    severities: ERROR,
    hint: 'Remove `payload`, or expect the flag to be on.',
    message: () => 'A flag that is off has no payload.',
  },
  'expected-time-invalid': {
    title: 'The time of an expectation does not exist',
    severities: ERROR,
    hint: 'Write a time with a UTC offset, such as `2026-12-31T09:00:00Z`.',
    message: ({ time }) => `${quoted(time)} is not a time.`,
  },
};

export const EXPECTATION_READING_WORDS: WordsFor<ExpectationReadingProblems> = {
  ...YAML_WORDS,
  ...SHAPE_WORDS,
  ...PROJECT_WORDS,
  'file-outside': MANIFEST_WORDS['file-outside'],
  ...EXPECTATION_WORDS,
};
