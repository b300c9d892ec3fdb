/** JUnit XML, which CI systems show as the results of tests. */

import { disarmLines } from '../escape.ts';
import type { Renderer } from '../renderer.ts';
import type { ReportOf } from '../report.ts';
import type { View } from '../view.ts';
import type { RemarkedKind } from './remarks/forms.ts';

export const JUNIT: Renderer = {
  forms: {
    plan: checked,
    undo: checked,
    validation: checked,
    test: async (report, view) => (await import('./junit/suites.ts')).testXml(report, view),
    drift: checked,
    result: async (report, view) => (await import('./junit/suites.ts')).resultXml(report, view),
    nothing: checked,
    refs: checked,
    stale: checked,
    failure: checked,
  },
  seal: disarmLines,
};

async function checked(report: ReportOf<RemarkedKind>, view: View): Promise<string> {
  return (await import('./junit/suites.ts')).checkedXml(report, view);
}
