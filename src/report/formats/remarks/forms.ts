/** The rows of a format that shows remarks: one function renders what every such report comes to. */

import type { Renderer } from '../../renderer.ts';
import type { ReportOf } from '../../report.ts';
import type { View } from '../../view.ts';
import type { RemarkedKind, Told } from './remarks-of.ts';

type Show = (told: Told, view: View) => string;

/** `load`: the modules that a report needs are loaded when there is one. */
export function formsOfRemarks(load: () => Promise<Show>): Pick<Renderer['forms'], RemarkedKind> {
  const form = async (report: ReportOf<RemarkedKind>, view: View): Promise<string> => {
    const [show, { tell }] = await Promise.all([load(), import('./remarks-of.ts')]);
    return show(tell(report, view), view);
  };
  return {
    plan: form,
    drift: form,
    result: form,
    nothing: form,
    undo: form,
    validation: form,
    test: form,
    failure: form,
  };
}
