/** CSV, for the answers of commands on resources. */

import { disarmLines } from '../escape.ts';
import { NO_FORM, type Renderer } from '../renderer.ts';

export const CSV: Renderer = {
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
    records: async (report, view) => (await import('./csv/records.ts')).csvRecords(report, view),
    record: async ({ record }, view) => (await import('./csv/records.ts')).csvOfOne(record, view),
    done: async ({ record }, view) => (await import('./csv/records.ts')).csvOfOne(record, view),
    warnings: NO_FORM,
    diagnostics: NO_FORM,
    failure: NO_FORM,
  },
  seal: disarmLines,
};
