/** SARIF 2.1.0, which code scanning services and editors show next to the lines of files. */

import { type Renderer } from '../renderer.ts';
import { sealJson } from './json/seal.ts';
import { formsOfRemarks } from './remarks/forms.ts';

export const SARIF: Renderer = {
  forms: {
    ...formsOfRemarks(async () => (await import('./sarif/log.ts')).sarifLog),
  },
  seal: sealJson,
};
