/** Markdown for comments and summaries of CI systems: the summary and what needs attention come first, and the whole fits a limit. */

import { disarmLines } from '../escape.ts';
import { NO_DOCUMENTS, NO_FORM, type Renderer } from '../renderer.ts';

export const MARKDOWN: Renderer = {
  forms: {
    ...NO_DOCUMENTS,
    records: NO_FORM,
    record: NO_FORM,
    done: NO_FORM,
    plan: async (report, view) => (await import('./markdown/runs.ts')).planMarkdown(report, view),
    drift: async (report, view) => (await import('./markdown/runs.ts')).driftMarkdown(report, view),
    undo: async (report, view) => (await import('./markdown/runs.ts')).undoMarkdown(report, view),
    result: async (report, view) => (await import('./markdown/runs.ts')).resultMarkdown(report, view),
    nothing: async (report, view) => (await import('./markdown/runs.ts')).nothingMarkdown(report, view),
    validation: async (report, view) => (await import('./markdown/runs.ts')).validationMarkdown(report, view),
    accept: async (report, view) => (await import('./markdown/accept.ts')).acceptMarkdown(report, view),
    test: async (report, view) => (await import('./markdown/test.ts')).testMarkdown(report, view),
    failure: async (report, view) => (await import('./markdown/runs.ts')).failureMarkdown(report, view),
  },
  seal: disarmLines,
};
