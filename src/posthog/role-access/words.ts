/** The words for the problems of declared role access. */

import { didYouMean, ERROR, quoted, shown, WARNING, type WordsFor } from '../../base/wording.ts';
import type { RoleAccessProblems } from './problems.ts';

export const ROLE_ACCESS_WORDS: WordsFor<RoleAccessProblems> = {
  'role-unknown': {
    title: 'A role is not configured for the project',
    severities: ERROR,
    hint: 'Correct the name, or add the role under `projects.*.roles` in flagwright.yaml.',
    message: ({ role, project }) => `Project ${quoted(project)} has no role ${quoted(role)}.`,
    remedy: ({ suggestion, project }) =>
      didYouMean(suggestion, `Add it under \`projects.${shown(project)}.roles\` in flagwright.yaml, or give its id.`),
  },
  'role-glob-matches-nothing': {
    title: 'A glob matches no declared flag',
    severities: WARNING,
    hint: 'Correct or remove the glob.',
    message: ({ glob }) => `No declared flag matches ${quoted(glob)}.`,
  },
  'role-access-on-deleted': {
    title: 'Role access is granted on a flag that is declared as deleted',
    severities: WARNING,
    hint: 'Remove the flag from the list.',
    message: ({ key }) => `Flag ${quoted(key)} is declared as deleted, so no role gets access to it.`,
  },
};
