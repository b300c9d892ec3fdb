/** Code Quality reports of GitLab, which show remarks in a merge request. */

import { type Renderer } from '../renderer.ts';
import { sealJson } from './json/seal.ts';
import { formsOfRemarks } from './remarks/forms.ts';

export const GITLAB: Renderer = {
  forms: {
    ...formsOfRemarks(async () => (await import('./gitlab/code-quality.ts')).codeQuality),
  },
  seal: sealJson,
};
