/** Code Quality reports of GitLab, which show findings in a merge request. */

import { NO_DOCUMENTS, NO_FORM, type Renderer } from '../renderer.ts';
import { indentedJson, sealJson } from './json/seal.ts';

export const GITLAB: Renderer = {
  forms: {
    ...NO_DOCUMENTS,
    records: NO_FORM,
    record: NO_FORM,
    done: NO_FORM,
    validation: async (report, view) =>
      indentedJson((await import('./gitlab/code-quality.ts')).validationIssues(report, view)),
    failure: async (report, view) =>
      indentedJson((await import('./gitlab/code-quality.ts')).failureIssues(report, view)),
  },
  seal: sealJson,
};
