/** Markdown for comments and summaries of CI systems: the summary and what needs attention come first, and the whole fits a limit. */

import { disarmLines } from '../escape.ts';
import type { ModelledKind } from '../model/model-of.ts';
import type { Renderer } from '../renderer.ts';
import type { ReportOf } from '../report.ts';
import type { View } from '../view.ts';

export const MARKDOWN: Renderer = {
  forms: {
    plan: page,
    drift: page,
    undo: page,
    result: page,
    nothing: page,
    validation: page,
    accept: page,
    rehearsal: page,
    test: page,
    doctor: page,
    refs: page,
    stale: async (report, view) =>
      report.tasks ? (await import('./markdown/stale-task.ts')).tasksText(report) : page(report, view),
    failure: page,
  },
  seal: disarmLines,
};

async function page(report: ReportOf<ModelledKind>, view: View): Promise<string> {
  return (await import('./markdown/page.ts')).reportMarkdown(report, view);
}
