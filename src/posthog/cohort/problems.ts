/** The problems of declared cohorts, and their words. */

import type { Place } from '../../base/place.ts';
import { cycleText, ERROR, quoted, shown, type WordsFor } from '../../base/wording.ts';

export interface CohortProblems {
  'cohort-duplicate': { readonly alias: string; readonly other: Place };
  /** Another declared cohort of the project has the name. */
  'cohort-name-taken': { readonly name: string; readonly alias: string; readonly other: string };
  /** A cohort without a definition would have everybody in it. */
  'cohort-undefined': { readonly alias: string };
  'cohort-definition': { readonly why: DefinitionProblem; readonly member: string };
  /** A flag cannot depend on events. */
  'cohort-behavioral': { readonly key: string; readonly alias: string };
  'cohort-depends-on-itself': { readonly cycle: readonly string[] };
  /** A condition names a cohort that is declared as deleted. */
  'cohort-deleted': { readonly alias: string };
  /** Several live cohorts have the name. */
  'cohort-ambiguous': { readonly alias: string; readonly name: string; readonly ids: readonly number[] };
  /** The configuration gives the alias an id that the project does not have. */
  'cohort-missing': { readonly alias: string; readonly id: number };
}

/**
 * `no_group`: the definition does not begin with AND or OR. `missing`: a leaf lacks the member. `superfluous`: a group, or a
 * leaf of this type, does not have the member.
 */
export type DefinitionProblem = 'no_group' | 'missing' | 'superfluous';

export const COHORT_WORDS: WordsFor<CohortProblems> = {
  'cohort-duplicate': {
    title: 'A cohort is declared twice',
    severities: ERROR,
    hint: 'Remove one of the two, or move what differs between projects to `projects`.',
    message: ({ alias, other }) =>
      `Cohort ${quoted(alias)} is already declared at ${other.file}:${other.line}:${other.column}.`,
  },
  'cohort-name-taken': {
    title: 'Two cohorts are declared with the same name',
    severities: ERROR,
    hint: 'Rename one of them: without an id, a cohort is found by its name.',
    message: ({ name, alias, other }) =>
      `Cohorts ${quoted(other)} and ${quoted(alias)} are both declared with the name ${quoted(name)}.`,
  },
  'cohort-undefined': {
    title: 'A cohort is declared without a definition',
    severities: ERROR,
    hint: 'Declare `filters`. Only dynamic cohorts can be declared.',
    message: ({ alias }) => `Cohort ${quoted(alias)} has no definition: it lacks \`filters\`.`,
    remedy: () => 'Add `filters`, or remove the declaration: a static cohort needs only an alias in flagwright.yaml.',
  },
  'cohort-definition': {
    title: 'The definition of a cohort has an invalid group or filter',
    severities: ERROR,
    hint: 'A group has `type` (AND or OR) and `values`; a filter has the members of its type.',
    message: ({ why, member }) => DEFINITION[why](shown(member)),
  },
  'cohort-behavioral': {
    title: 'A flag uses a cohort that is defined by events',
    severities: ERROR,
    hint: 'Use a cohort that is defined by properties: flags cannot use events.',
    message: ({ key, alias }) =>
      `Flag ${quoted(key)} uses the cohort ${quoted(alias)}, whose definition depends on events. PostHog refuses that.`,
  },
  'cohort-depends-on-itself': {
    title: 'The definitions of cohorts form a cycle',
    severities: ERROR,
    hint: 'Remove one of the conditions.',
    message: ({ cycle }) => `The definitions of cohorts form a cycle: ${cycleText(cycle)}.`,
  },
  'cohort-deleted': {
    title: 'A condition names a cohort that is declared as deleted',
    severities: ERROR,
    hint: 'Remove the condition, or `deleted: true` of the cohort.',
    message: ({ alias }) => `The cohort ${quoted(alias)} is declared as deleted.`,
  },
  'cohort-ambiguous': {
    title: 'Several cohorts in the project have the name of a declared cohort',
    severities: ERROR,
    hint: 'Give the alias the id of the intended one, under `projects.*.cohorts` in flagwright.yaml.',
    message: ({ alias, name, ids }) =>
      `Cohort ${quoted(alias)} is found by its name, but ${ids.length} cohorts of the project are named ${quoted(name)} (ids ${ids.join(', ')}).`,
    remedy: ({ alias, ids }) =>
      `Add the id of the intended one under \`projects.*.cohorts\` in flagwright.yaml, for example \`${shown(alias)}: ${ids[0] ?? ''}\`.`,
  },
  'cohort-missing': {
    title: 'The configuration names a cohort by an id that the project does not have',
    severities: ERROR,
    hint: 'Correct the id, or remove it: apply then creates the cohort.',
    message: ({ alias, id }) =>
      `The configuration gives ${quoted(alias)} the id ${id}, but the project has no such cohort.`,
    remedy: ({ alias }) =>
      `Correct the id under \`projects.*.cohorts\` in flagwright.yaml (\`flagwright cohorts list\` shows all), or remove ${quoted(alias)} there: apply then creates the cohort.`,
  },
};

const DEFINITION: Readonly<Record<DefinitionProblem, (member: string) => string>> = {
  no_group: () => 'The definition of a cohort must begin with a group: `type` AND or OR, and `values`.',
  missing: (member) => `The filter lacks \`${member}\`.`,
  superfluous: (member) => `\`${member}\` does not belong here; PostHog refuses it.`,
};
