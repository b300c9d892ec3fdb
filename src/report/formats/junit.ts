/** JUnit XML, which CI systems show as the results of tests. */

import { disarmLines } from '../escape.ts';
import { NO_DOCUMENTS, NO_FORM, type Renderer } from '../renderer.ts';

export const JUNIT: Renderer = {
  forms: {
    ...NO_DOCUMENTS,
    records: NO_FORM,
    record: NO_FORM,
    done: NO_FORM,
    plan: async (report) => (await import('./junit/cases.ts')).checkedXml(report),
    undo: async (report) => (await import('./junit/cases.ts')).checkedXml(report),
    validation: async (report) => (await import('./junit/cases.ts')).checkedXml(report),
    test: async (report) => (await import('./junit/test.ts')).testXml(report),
    drift: async (report) => (await import('./junit/cases.ts')).checkedXml(report),
    result: async (report) => (await import('./junit/cases.ts')).resultXml(report),
    nothing: async (report) => (await import('./junit/cases.ts')).checkedXml(report),
    failure: async (report) => (await import('./junit/cases.ts')).checkedXml(report),
  },
  seal: disarmLines,
};
