/** The plan that takes a run back as text, with what it cannot take back and why. */

import type { RefusedInversion } from '../../../posthog/invert-plan.ts';
import type { ReportOf } from '../../report.ts';
import type { View } from '../../view.ts';
import type { Plan } from '../../../posthog/plan.ts';
import { changeLines, changeListLines } from './change.ts';
import { escapeLine } from '../../escape.ts';
import { fieldLines } from './fields.ts';
import { hazardLines } from './hazards.ts';
import { forecastLines, warningLines } from './plan.ts';
import { joinSections, projectLine } from './sections.ts';
import { actionCounts } from '../../words/actions.ts';
import { labelsOfRef } from '../../words/kinds.ts';

const INDENT = ' '.repeat(6);

export function undoText({ run, plan, refused, forecast }: ReportOf<'undo'>, view: View): string {
  return joinSections([
    [projectLine(`Undo of run ${run} in`, plan, view.palette)],
    changeListLines(plan.changes.map((change) => changeLines(change, { ...view, places: false }))),
    refusedLines(refused, view),
    warningLines(plan, view),
    hazardLines(plan, view.palette),
    [...forecastLines(plan, forecast, view), undoSummary(plan, refused)],
  ]);
}

/** Values are shown from what the run wrote to what is live now. */
export function refusedLines(refused: readonly RefusedInversion[], view: View): string[] {
  if (refused.length === 0) return [];
  const { palette } = view;
  const blocks = refused.map(({ ref, key, refusal, moved }) => {
    const labels = labelsOfRef(ref);
    const head = `  ${palette.warning('○')} ${palette.strong(escapeLine(key))}${labels.qualifier}  ${REFUSALS[refusal]}`;
    return [head, ...fieldLines(moved, { ...view, labels, places: false }).map((line) => INDENT + line)];
  });
  return [palette.warning('Not to be taken back:'), ...changeListLines(blocks)];
}

const REFUSALS: Readonly<Record<RefusedInversion['refusal'], string>> = {
  moved: 'it was changed after the run: what the run wrote → what is live',
  gone: 'the service no longer has it',
  secret: 'its former payloads are encrypted, and no journal may hold them',
};

/** `Undo: 1 to update, 2 to delete · 1 not to be taken back`. */
function undoSummary({ changes, summary }: Plan, refused: readonly RefusedInversion[]): string {
  const actions = actionCounts(summary, (action, amount) => `${amount} to ${action}`);
  const head = changes.length === 0 ? 'Undo: nothing to do' : `Undo: ${actions}`;
  return refused.length === 0 ? head : `${head} · ${refused.length} not to be taken back`;
}
