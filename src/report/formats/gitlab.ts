/** Code Quality reports of GitLab, which show remarks in a merge request. */

import { NO_FORM, type Renderer, NO_DOCUMENTS } from '../renderer.ts';
import { sealJson } from './json/seal.ts';
import { formsOfRemarks } from './remarks/forms.ts';

export const GITLAB: Renderer = {
  forms: {
    ...NO_DOCUMENTS,
    records: NO_FORM,
    record: NO_FORM,
    done: NO_FORM,
    ...formsOfRemarks(async () => (await import('./gitlab/code-quality.ts')).codeQuality),
  },
  seal: sealJson,
};
