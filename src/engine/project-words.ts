/** The words for a project that is not configured. */

import { didYouMean, ERROR, quoted, type WordsFor } from '../base/wording.ts';
import type { ProjectProblems } from './problems.ts';

export const PROJECT_WORDS: WordsFor<ProjectProblems> = {
  'project-unknown': {
    title: 'A project is not in the configuration',
    severities: ERROR,
    hint: 'Correct the name, or add the project to flagwright.yaml.',
    message: ({ project }) => `The configuration has no project ${quoted(project)}.`,
    remedy: ({ suggestion }) => didYouMean(suggestion, 'Add it under `projects` in flagwright.yaml.'),
  },
};
