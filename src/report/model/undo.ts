/** The model of an undo: the plan that reverts a run, and the changes that it leaves out. */

import type { RefusedInversion } from '../../posthog/invert-plan.ts';
import type { Change } from '../../posthog/plan.ts';
import { escapeLine } from '../escape.ts';
import type { ReportOf } from '../report.ts';
import { labelsOfRef } from '../words/kinds.ts';
import { REFUSALS } from '../words/refusals.ts';
import { undoSummary } from '../words/summaries.ts';
import { changeEntry, BLOCKS } from './change.ts';
import { effectLines, effectsByRef, effectFacts } from './effects.ts';
import { fieldLines } from './fields.ts';
import { toned } from './phrase.ts';
import type { Entry, Group, Page, ReportModel } from './report-model.ts';
import { warningNotice, refusalNotices } from './rules.ts';
import { undoRemarks } from './remarks/plan.ts';
import { withLines, changesGroup, toAction } from './changes.ts';
import { costFacts } from './plan.ts';

export function undoModel(report: ReportOf<'undo'>, verbose: boolean): ReportModel {
  const { run, plan, refused } = report;
  return {
    command: 'undo',
    title: { words: ['Undo of run ', { code: run }, ' in'], project: plan.project },
    summary: undoSummary(plan, refused),
    page: () => undoPage(report, verbose),
    remarks: () => undoRemarks(report),
  };
}

/** No manifest asks for the changes, so they have no places. */
function undoPage({ plan, refused, forecast }: ReportOf<'undo'>, verbose: boolean): Page {
  const effects = effectsByRef(plan);
  const toEntry = (change: Change): Entry =>
    withLines(changeEntry(change, { verbose, places: false }), effectLines(change, effects));
  return {
    facts: [...effectFacts(effects), ...costFacts(plan, forecast)],
    notices: [...refusalNotices(plan), warningNotice(plan, verbose)],
    groups: [refusedGroup(refused, verbose), changesGroup(plan.changes, { plan, effects, toEntry, word: toAction })],
  };
}

/** Changes of a run that cannot be undone. Values are shown as the run wrote them → as they are live now. */
export function refusedGroup(refused: readonly RefusedInversion[], verbose: boolean): Group {
  return {
    about: 'refused',
    title: 'Cannot be undone',
    isHeaded: true,
    isGrave: true,
    tone: 'warning',
    ...BLOCKS,
    spacing: 'around',
    entries: refused.map(({ ref, key, refusal, moved }) => {
      const labels = labelsOfRef(ref);
      const shown = refusal === 'moved' ? ' (shown as written by the run → live)' : '';
      return {
        head: [
          toned('warning', '○'),
          ' ',
          toned('strong', escapeLine(key)),
          `${labels.qualifier}  ${REFUSALS[refusal]}${shown}`,
        ],
        lines: fieldLines(moved, { verbose, labels, places: false }),
      };
    }),
  };
}
