/** JUnit XML, which CI systems show as the results of tests. */

import { disarmLines } from '../escape.ts';
import { type Renderer } from '../renderer.ts';

export const JUNIT: Renderer = {
  forms: {
    plan: async (report, view) => (await import('./junit/suites.ts')).checkedXml(report, view),
    undo: async (report, view) => (await import('./junit/suites.ts')).checkedXml(report, view),
    validation: async (report, view) => (await import('./junit/suites.ts')).checkedXml(report, view),
    test: async (report, view) => (await import('./junit/suites.ts')).testXml(report, view),
    drift: async (report, view) => (await import('./junit/suites.ts')).checkedXml(report, view),
    result: async (report, view) => (await import('./junit/suites.ts')).resultXml(report, view),
    nothing: async (report, view) => (await import('./junit/suites.ts')).checkedXml(report, view),
    refs: async (report, view) => (await import('./junit/suites.ts')).checkedXml(report, view),
    failure: async (report, view) => (await import('./junit/suites.ts')).checkedXml(report, view),
  },
  seal: disarmLines,
};
