/** The words for a project that is not configured. */

import { didYouMean, ERROR, listed, quoted, type WordsFor } from '../base/wording.ts';
import type { ProjectProblems } from './problems.ts';

export const PROJECT_WORDS: WordsFor<ProjectProblems> = {
  'project-unknown': {
    title: 'A project is not in the configuration',
    severities: ERROR,
    hint: 'Correct the name, or add the project to flagwright.yaml.',
    message: ({ project }) => `The configuration has no project ${quoted(project)}.`,
    remedy: ({ suggestion, available }) =>
      didYouMean(
        suggestion,
        available === undefined
          ? 'Add it under `projects` in flagwright.yaml.'
          : `Select ${listed(available)}, or add it under \`projects\` in flagwright.yaml.`,
      ),
  },
};
