/** Every report that has something to say beside the lines of files, as its remarks and one line about the whole. */

import { defined } from '../../../base/optional.ts';
import type { Place } from '../../../base/place.ts';
import { escapeLine } from '../../escape.ts';
import type { NothingReason, ReportOf } from '../../report.ts';
import { repositoryFile, type View } from '../../view.ts';
import { validationSummary } from '../../words/checked.ts';
import { driftSummary } from '../text/drift.ts';
import { reasonText } from '../text/nothing.ts';
import { planSummary } from '../text/plan.ts';
import { nothingSummary, resultSummary } from '../text/result.ts';
import { undoSummary } from '../text/undo.ts';
import { testedText } from '../../words/tested.ts';
import { driftRemarks } from './drift.ts';
import { planRemarks, undoRemarks } from './plan.ts';
import { failureRemarks, validationRemarks } from './problems.ts';
import type { Remark } from './remark.ts';
import { resultRemarks } from './result.ts';
import { testRemarks } from './test.ts';

/** What a report comes to. */
export interface Told {
  readonly kind: RemarkedKind;
  /** Absent for a failure, which may be that of any. */
  readonly command?: string;
  /** The name of its project; absent where the report is about all of them. */
  readonly project?: string;
  readonly remarks: readonly Remark[];
  /** One line about the whole, without a line break; a failure is nothing but its remarks. */
  readonly summary?: string;
}

export type RemarkedKind = keyof typeof TELLERS;

/** The command whose report it is; a failure may be that of any. */
function commandOf(report: ReportOf<RemarkedKind>): string | undefined {
  switch (report.kind) {
    case 'result':
      if (report.result.off !== undefined) return 'off';
      return report.result.undoes === undefined ? 'apply' : 'undo';
    case 'nothing':
      return COMMANDS_OF_NOTHING[report.reason.code];
    case 'validation':
      return 'validate';
    case 'failure':
      return undefined;
    case 'plan':
    case 'drift':
    case 'undo':
    case 'test':
      return report.kind;
  }
}

const COMMANDS_OF_NOTHING: Readonly<Record<NothingReason['code'], string>> = {
  nothing_to_resume: 'apply',
  run_changed_nothing: 'undo',
  already_off: 'off',
};

/** Files are named from the root of the repository, where the view knows it. */
export function tell(report: ReportOf<RemarkedKind>, view: Pick<View, 'repositoryFile'>): Told {
  // A row gets only reports of its own kind.
  const teller = TELLERS[report.kind] as (report: ReportOf<RemarkedKind>) => Omit<Told, 'kind' | 'command'>;
  const told = teller(report);
  return {
    kind: report.kind,
    ...defined({ command: commandOf(report) }),
    ...told,
    remarks: told.remarks.map((remark) => placedInRepository(remark, view)),
  };
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

const TELLERS = {
  plan: (report: ReportOf<'plan'>) => ({
    project: report.plan.project.name,
    remarks: planRemarks(report),
    summary: planSummary(report.plan),
  }),
  drift: (report: ReportOf<'drift'>) => ({
    project: report.plan.project.name,
    remarks: driftRemarks(report),
    summary: driftSummary(report.plan, report.counting),
  }),
  result: (report: ReportOf<'result'>) => ({
    project: report.result.project.name,
    remarks: resultRemarks(report),
    summary: resultLine(report),
  }),
  nothing: ({ project, reason }: ReportOf<'nothing'>) => ({
    project: project.name,
    remarks: [],
    summary: `${reasonText(reason)} ${escapeLine(project.name)}`,
  }),
  undo: (report: ReportOf<'undo'>) => ({
    project: report.plan.project.name,
    remarks: undoRemarks(report),
    summary: undoSummary(report.plan, report.refused),
  }),
  validation: (report: ReportOf<'validation'>) => ({
    remarks: validationRemarks(report),
    summary: validationSummary(report),
  }),
  test: (report: ReportOf<'test'>) => ({ remarks: testRemarks(report), summary: testedText(report) }),
  failure: (report: ReportOf<'failure'>) => ({
    ...defined({ project: report.project?.name }),
    remarks: failureRemarks(report),
  }),
};

function resultLine({ result, durationMs }: ReportOf<'result'>): string {
  return result.changes.length > 0 ? resultSummary(result, durationMs) : nothingSummary(result);
}
