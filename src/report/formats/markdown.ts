/** Markdown for comments and summaries of CI systems: the summary and what needs attention come first, and the whole fits a limit. */

import { disarmLines } from '../escape.ts';
import { NO_FORM, type Renderer, NO_DOCUMENTS } from '../renderer.ts';

export const MARKDOWN: Renderer = {
  forms: {
    ...NO_DOCUMENTS,
    records: NO_FORM,
    record: NO_FORM,
    done: NO_FORM,
    plan: async (report, view) => (await import('./markdown/page.ts')).reportMarkdown(report, view),
    drift: async (report, view) => (await import('./markdown/page.ts')).reportMarkdown(report, view),
    undo: async (report, view) => (await import('./markdown/page.ts')).reportMarkdown(report, view),
    result: async (report, view) => (await import('./markdown/page.ts')).reportMarkdown(report, view),
    nothing: async (report, view) => (await import('./markdown/page.ts')).reportMarkdown(report, view),
    validation: async (report, view) => (await import('./markdown/page.ts')).reportMarkdown(report, view),
    accept: async (report, view) => (await import('./markdown/page.ts')).reportMarkdown(report, view),
    test: async (report, view) => (await import('./markdown/page.ts')).reportMarkdown(report, view),
    failure: async (report, view) => (await import('./markdown/page.ts')).reportMarkdown(report, view),
  },
  seal: disarmLines,
};
