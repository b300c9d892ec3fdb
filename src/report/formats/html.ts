/** A page to forward: one file without scripts, for a browser and for paper. */

import { disarmLines } from '../escape.ts';
import { NO_DOCUMENTS, NO_FORM, type Renderer } from '../renderer.ts';

export const HTML: Renderer = {
  forms: {
    ...NO_DOCUMENTS,
    records: NO_FORM,
    record: NO_FORM,
    done: NO_FORM,
    plan: async (report, view) => (await import('./html/pages.ts')).planPage(report, view),
    drift: async (report, view) => (await import('./html/pages.ts')).driftPage(report, view),
    result: async (report, view) => (await import('./html/pages.ts')).resultPage(report, view),
    undo: async (report, view) => (await import('./html/pages.ts')).undoPage(report, view),
    nothing: async (report) => (await import('./html/pages.ts')).nothingPage(report),
    validation: async (report, view) => (await import('./html/pages.ts')).validationPage(report, view),
    test: async (report, view) => (await import('./html/pages.ts')).testPage(report, view),
    failure: async (report, view) => (await import('./html/pages.ts')).failurePage(report, view),
  },
  seal: disarmLines,
};
