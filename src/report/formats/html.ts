/** A page to forward: one file without scripts, for a browser and for paper. */

import { disarmLines } from '../escape.ts';
import { type Renderer } from '../renderer.ts';

export const HTML: Renderer = {
  forms: {
    plan: async (report, view) => (await import('./html/page.ts')).reportPage(report, view),
    drift: async (report, view) => (await import('./html/page.ts')).reportPage(report, view),
    result: async (report, view) => (await import('./html/page.ts')).reportPage(report, view),
    undo: async (report, view) => (await import('./html/page.ts')).reportPage(report, view),
    nothing: async (report, view) => (await import('./html/page.ts')).reportPage(report, view),
    validation: async (report, view) => (await import('./html/page.ts')).reportPage(report, view),
    rehearsal: async (report, view) => (await import('./html/page.ts')).reportPage(report, view),
    test: async (report, view) => (await import('./html/page.ts')).reportPage(report, view),
    refs: async (report, view) => (await import('./html/page.ts')).reportPage(report, view),
    stale: async (report, view) => (await import('./html/page.ts')).reportPage(report, view),
    failure: async (report, view) => (await import('./html/page.ts')).reportPage(report, view),
  },
  seal: disarmLines,
};
