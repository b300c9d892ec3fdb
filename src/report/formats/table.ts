/** The text format under the name that commands on resources give it. */

import { NO_FORM, type Renderer } from '../renderer.ts';
import { TEXT } from './text.ts';

const { records, record, done } = TEXT.forms;

export const TABLE: Renderer = {
  forms: {
    plan: NO_FORM,
    drift: NO_FORM,
    result: NO_FORM,
    nothing: NO_FORM,
    undo: NO_FORM,
    resuming: NO_FORM,
    run: NO_FORM,
    history: NO_FORM,
    validation: NO_FORM,
    files: NO_FORM,
    export: NO_FORM,
    service: NO_FORM,
    records,
    record,
    done,
    warnings: NO_FORM,
    diagnostics: NO_FORM,
    failure: NO_FORM,
  },
  seal: TEXT.seal,
};
