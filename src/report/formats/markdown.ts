/** Markdown for comments and summaries of CI systems: the summary and what needs attention come first, and the whole fits a limit. */

import { disarmLines } from '../escape.ts';
import { type Renderer } from '../renderer.ts';

export const MARKDOWN: Renderer = {
  forms: {
    plan: async (report, view) => (await import('./markdown/page.ts')).reportMarkdown(report, view),
    drift: async (report, view) => (await import('./markdown/page.ts')).reportMarkdown(report, view),
    undo: async (report, view) => (await import('./markdown/page.ts')).reportMarkdown(report, view),
    result: async (report, view) => (await import('./markdown/page.ts')).reportMarkdown(report, view),
    nothing: async (report, view) => (await import('./markdown/page.ts')).reportMarkdown(report, view),
    validation: async (report, view) => (await import('./markdown/page.ts')).reportMarkdown(report, view),
    accept: async (report, view) => (await import('./markdown/page.ts')).reportMarkdown(report, view),
    rehearsal: async (report, view) => (await import('./markdown/page.ts')).reportMarkdown(report, view),
    test: async (report, view) => (await import('./markdown/page.ts')).reportMarkdown(report, view),
    doctor: async (report, view) => (await import('./markdown/page.ts')).reportMarkdown(report, view),
    refs: async (report, view) => (await import('./markdown/page.ts')).reportMarkdown(report, view),
    stale: async (report, view) =>
      report.tasks
        ? (await import('../words/stale-task.ts')).tasksText(report)
        : (await import('./markdown/page.ts')).reportMarkdown(report, view),
    failure: async (report, view) => (await import('./markdown/page.ts')).reportMarkdown(report, view),
  },
  seal: disarmLines,
};
