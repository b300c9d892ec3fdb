/** SARIF 2.1.0, which code scanning services and editors show beside the lines of files. */

import { NO_FORM, type Renderer, NO_DOCUMENTS } from '../renderer.ts';
import { sealJson } from './json/seal.ts';
import { formsOfRemarks } from './remarks/forms.ts';

export const SARIF: Renderer = {
  forms: {
    ...NO_DOCUMENTS,
    records: NO_FORM,
    record: NO_FORM,
    done: NO_FORM,
    ...formsOfRemarks(async () => (await import('./sarif/log.ts')).sarifLog),
  },
  seal: sealJson,
};
