/** The rows of a format that shows remarks: one function renders what every such report comes to. */

import type { Place } from '../../../base/place.ts';
import { escapeLine } from '../../escape.ts';
import { modelOf } from '../../model/model-of.ts';
import { plainText } from '../../phrase.ts';
import type { Remark } from '../../model/remarks/remark.ts';
import type { ReportModel } from '../../model/report-model.ts';
import type { Renderer } from '../../renderer.ts';
import type { ReportOf } from '../../report.ts';
import { repositoryFile, type View } from '../../view.ts';
import { defined } from '../../../base/optional.ts';

/** The reports that have remarks. */
export type RemarkedKind =
  'plan' | 'drift' | 'result' | 'nothing' | 'undo' | 'validation' | 'test' | 'refs' | 'stale' | 'failure';

/** A report as a list. */
export interface RemarkList {
  /** Absent for a failure, which may be that of any. */
  readonly command?: string;
  /** The name of its project; absent if the report is about all of them. */
  readonly project?: string;
  /** Files are named from the root of the repository, where the view knows it. */
  readonly remarks: readonly Remark[];
  /** One line about the whole, without a line break; a failure is nothing but its remarks. */
  readonly summary?: string;
  readonly isFailure: boolean;
}

type Show = (list: RemarkList, view: View) => string;

type RemarkedForm = (report: ReportOf<RemarkedKind>, view: View) => string | Promise<string>;

/** `load`: loads the modules that a report needs, once there is one. */
export function formsOfRemarks(load: () => Promise<Show>): Pick<Renderer['forms'], RemarkedKind> {
  return forRemarked(async (report, view) => {
    const [show, list] = await Promise.all([load(), remarkList(report, view)]);
    return show(list, view);
  });
}

/** The same form for all of them. */
export function forRemarked(form: RemarkedForm): Readonly<Record<RemarkedKind, RemarkedForm>> {
  return {
    plan: form,
    drift: form,
    result: form,
    nothing: form,
    undo: form,
    validation: form,
    test: form,
    refs: form,
    stale: form,
    failure: form,
  };
}

export async function remarkList(report: ReportOf<RemarkedKind>, view: View): Promise<RemarkList> {
  const model = await modelOf(report, view);
  const { command, title, failure, remarks } = model;
  return {
    ...defined({ command, project: title?.project?.name, summary: lineOf(model) }),
    remarks: ((await remarks?.()) ?? []).map((remark) => placedInRepository(remark, view)),
    isFailure: failure !== undefined,
  };
}

/** The title, where it says everything. */
function lineOf({ summary, failure, title }: ReportModel): string | undefined {
  if (failure !== undefined || summary !== undefined || title === undefined) return summary;
  return [plainText(title.words), ...(title.project === undefined ? [] : [escapeLine(title.project.name)])].join(' ');
}

function placedInRepository(remark: Remark, view: Pick<View, 'repositoryFile'>): Remark {
  const { place, source } = remark;
  const placed = (one: Place): Place => ({ ...one, file: repositoryFile(one, view) });
  return {
    ...remark,
    ...(place === undefined ? {} : { place: placed(place) }),
    ...(typeof source === 'object' ? { source: { ...source, place: placed(source.place) } } : {}),
  };
}
