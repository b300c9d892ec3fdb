/** The plan that reverts a run as text, and the changes that cannot be undone with the reason of each. */

import type { RefusedInversion } from '../../../posthog/invert-plan.ts';
import type { ReportOf } from '../../report.ts';
import type { View } from '../../view.ts';
import type { Plan } from '../../../posthog/plan.ts';
import { changeLines, changeListLines } from './change.ts';
import { escapeLine } from '../../escape.ts';
import { fieldLines } from './fields.ts';
import { hazardLines, WOULD_REFUSE } from './hazards.ts';
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
    hazardLines(plan, WOULD_REFUSE, view.palette),
    [...forecastLines(plan, forecast, view), undoSummary(plan, refused)],
  ]);
}

/** Values are shown as the run wrote them → as they are live now. */
export function refusedLines(refused: readonly RefusedInversion[], view: View): string[] {
  if (refused.length === 0) return [];
  const { palette } = view;
  const blocks = refused.map(({ ref, key, refusal, moved }) => {
    const labels = labelsOfRef(ref);
    const head = `  ${palette.warning('○')} ${palette.strong(escapeLine(key))}${labels.qualifier}  ${REFUSALS[refusal]}`;
    return [head, ...fieldLines(moved, { ...view, labels, places: false }).map((line) => INDENT + line)];
  });
  return [palette.warning('Cannot be undone:'), ...changeListLines(blocks)];
}

const REFUSALS: Readonly<Record<RefusedInversion['refusal'], string>> = {
  moved: 'changed after the run (shown as written by the run → live)',
  gone: 'no longer exists in the service',
  secret: 'its previous payloads are encrypted, so the journal does not contain them',
};

/** `Undo: 1 to update, 2 to delete · 1 cannot be undone`. */
export function undoSummary({ changes, summary }: Plan, refused: readonly RefusedInversion[]): string {
  const actions = actionCounts(summary, (action, amount) => `${amount} to ${action}`);
  const head = changes.length === 0 ? 'Undo: nothing to do' : `Undo: ${actions}`;
  return refused.length === 0 ? head : `${head} · ${refused.length} cannot be undone`;
}
