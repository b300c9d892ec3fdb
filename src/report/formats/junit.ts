/** JUnit XML, which CI systems show as the results of tests. */

import { disarmLines } from '../escape.ts';
import { NO_FORM, type Renderer, NO_DOCUMENTS } from '../renderer.ts';

export const JUNIT: Renderer = {
  forms: {
    ...NO_DOCUMENTS,
    records: NO_FORM,
    record: NO_FORM,
    done: NO_FORM,
    plan: async (report, view) => (await import('./junit/cases.ts')).checkedXml(report, view),
    undo: async (report, view) => (await import('./junit/cases.ts')).checkedXml(report, view),
    validation: async (report, view) => (await import('./junit/cases.ts')).checkedXml(report, view),
    test: async (report, view) => (await import('./junit/test.ts')).testXml(report, view),
    drift: async (report, view) => (await import('./junit/cases.ts')).checkedXml(report, view),
    result: async (report, view) => (await import('./junit/cases.ts')).resultXml(report, view),
    nothing: async (report, view) => (await import('./junit/cases.ts')).checkedXml(report, view),
    failure: async (report, view) => (await import('./junit/cases.ts')).checkedXml(report, view),
  },
  seal: disarmLines,
};
