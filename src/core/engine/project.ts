/** The identity of a project in documents, and the problem of one that is not configured, which the configuration and manifests share. */

import { didYouMean, ERROR, listed, quoted, type WordsFor } from '../../base/wording.ts';

export interface ProjectIdentity {
  readonly name: string;
  /** Origin and base path of the service without a trailing slash; `embedded` for the embedded service. */
  readonly host: string;
  readonly project_id: string;
}

export interface ProjectProblems {
  'project-unknown': {
    readonly project: string;
    readonly suggestion?: string;
    /** The projects that a run can select. */
    readonly available?: readonly string[];
  };
}

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
