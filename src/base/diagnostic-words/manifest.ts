/** The words for what manifests declare: flags, projects, roles and cohorts. */

import type { Place } from '../place.ts';
import type { DiagnosticEntries } from './entry.ts';
import { didYouMean, EITHER, ERROR, quoted, shown, WARNING } from './entry.ts';

export const MANIFEST_WORDS: DiagnosticEntries<
  | 'flag-duplicate'
  | 'flag-key-invalid'
  | 'flag-key-too-long'
  | 'flag-unknown'
  | 'flag-depends-on-itself'
  | 'flag-depends-on-deleted'
  | 'flag-depends-on-disabled'
  | 'previous-key-taken'
  | 'project-unknown'
  | 'role-unknown'
  | 'cohort-unknown'
  | 'role-glob-matches-nothing'
  | 'role-access-on-deleted'
  | 'field-has-member'
  | 'field-computed'
> = {
  'flag-duplicate': {
    title: 'Two manifests declare the same flag',
    severities: ERROR,
    hint: 'Declare each flag once; say what differs in a project under `projects`.',
    message: ({ key, other }) => `Flag ${quoted(key)} is already declared at ${placeText(other)}.`,
  },
  'flag-key-invalid': {
    title: "A flag's key holds characters that keys cannot have",
    severities: ERROR,
    hint: 'Use letters, digits, `_` and `-`.',
    message: ({ key }) => `${quoted(key)} cannot be the key of a flag.`,
    remedy: ({ key }) => (key === '__proto__' ? 'Choose another key.' : 'Use letters, digits, `_` and `-`.'),
  },
  'flag-key-too-long': {
    title: "A flag's key is too long",
    severities: ERROR,
    hint: 'Use at most 400 characters.',
    message: ({ length }) => `This key has ${length} characters.`,
  },
  'flag-unknown': {
    title: 'A flag is named that no manifest declares',
    severities: EITHER,
    hint: 'Correct the key or declare the flag; as a condition it is a warning, because the service may have the flag.',
    message: ({ key, project }) =>
      `No manifest declares flag ${quoted(key)}${project === undefined ? '' : ` for project ${quoted(project)}`}.`,
    remedy: ({ suggestion }) => didYouMean(suggestion, 'Correct the key, or declare the flag.'),
  },
  'flag-depends-on-itself': {
    title: 'Conditions on flags lead back to the flag',
    severities: ERROR,
    hint: 'Remove one of the conditions on other flags.',
    message: ({ cycle }) =>
      `This flag depends on itself: ${cycle.slice(0, 8).map(shown).join(' → ')}${cycle.length > 8 ? ' …' : ''}.`,
  },
  'flag-depends-on-deleted': {
    title: 'A condition names a flag that is deleted',
    severities: ERROR,
    hint: 'Remove the condition, or keep the flag.',
    message: ({ key }) => `Flag ${quoted(key)} is declared as deleted.`,
  },
  'flag-depends-on-disabled': {
    title: 'An active flag has a condition on a flag that is not active',
    severities: WARNING,
    hint: 'Activate the other flag, or remove the condition; the service may refuse it, and it never matches.',
    message: ({ key }) => `Flag ${quoted(key)} is not active, so this condition never matches.`,
  },
  'previous-key-taken': {
    title: 'A previous key belongs to another flag',
    severities: ERROR,
    hint: 'Remove the previous key, or the flag that has it.',
    message: ({ key, other }) => `${quoted(key)} is in use at ${placeText(other)}, so no flag can be renamed from it.`,
  },
  'project-unknown': {
    title: 'A project is named that the configuration does not have',
    severities: ERROR,
    hint: 'Correct the name, or add the project to flagwright.yaml.',
    message: ({ project }) => `The configuration has no project ${quoted(project)}.`,
    remedy: ({ suggestion }) => didYouMean(suggestion, 'Add it under `projects` in flagwright.yaml.'),
  },
  'role-unknown': {
    title: 'A role is named that the project does not have',
    severities: ERROR,
    hint: 'Correct the name, or add the role under `projects.*.roles` in flagwright.yaml.',
    message: ({ role, project }) => `Project ${quoted(project)} has no role ${quoted(role)}.`,
    remedy: ({ suggestion, project }) =>
      didYouMean(suggestion, `Add it under \`projects.${shown(project)}.roles\` in flagwright.yaml, or give its id.`),
  },
  'cohort-unknown': {
    title: 'A cohort alias is used that the project does not have',
    severities: ERROR,
    hint: 'Correct the alias, or add it under `projects.*.cohorts` in flagwright.yaml.',
    message: ({ cohort, project }) => `Project ${quoted(project)} has no cohort alias ${quoted(cohort)}.`,
    remedy: ({ suggestion, project }) =>
      didYouMean(suggestion, `Add it under \`projects.${shown(project)}.cohorts\` in flagwright.yaml, or give the id.`),
  },
  'role-glob-matches-nothing': {
    title: 'A glob matches no declared flag',
    severities: WARNING,
    hint: 'Correct the glob or remove it.',
    message: ({ glob }) => `No declared flag matches ${quoted(glob)}.`,
  },
  'role-access-on-deleted': {
    title: 'Role access is given to a flag that is deleted',
    severities: WARNING,
    hint: 'Remove the flag from the list.',
    message: ({ key }) => `Flag ${quoted(key)} is declared as deleted, so nobody gets access to it.`,
  },
  'field-has-member': {
    title: '`fields` holds a field that has a place of its own',
    severities: ERROR,
    hint: 'Declare it by its own name.',
    message: ({ field }) => `${quoted(field)} cannot stand under "fields".`,
    remedy: ({ member }) =>
      member === 'flags' ? "Change the flag's key under `flags`." : `Declare it as ${quoted(member)} of the flag.`,
  },
  'field-computed': {
    title: '`fields` holds a field that the service decides about',
    severities: ERROR,
    hint: 'Remove it.',
    message: ({ field }) => `${quoted(field)} is computed by the service and cannot be declared.`,
  },
};

function placeText({ file, line, column }: Place): string {
  return `${shown(file)}:${line}:${column}`;
}
