/** A page to forward: one file without scripts, for a browser and for paper. */

import { disarmLines } from '../escape.ts';
import type { ModelledKind } from '../model/model-of.ts';
import type { Renderer } from '../renderer.ts';
import type { ReportOf } from '../report.ts';
import type { View } from '../view.ts';

export const HTML: Renderer = {
  forms: {
    plan: page,
    drift: page,
    result: page,
    undo: page,
    nothing: page,
    validation: page,
    rehearsal: page,
    test: page,
    refs: page,
    stale: page,
    failure: page,
  },
  seal: disarmLines,
};

async function page(report: ReportOf<ModelledKind>, view: View): Promise<string> {
  return (await import('./html/page.ts')).reportPage(report, view);
}
