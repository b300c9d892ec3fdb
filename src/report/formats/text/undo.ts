/** The plan that reverts a run as text, and the changes that cannot be undone with the reason of each. */

import type { RefusedInversion } from '../../../posthog/invert-plan.ts';
import type { ReportOf } from '../../report.ts';
import type { View } from '../../view.ts';
import type { Action, Change, Plan } from '../../../posthog/plan.ts';
import { brokenRules } from '../../../policy/broken-rules.ts';
import { brokenRuleLines, WOULD_REFUSE } from './broken-rules.ts';
import { changeLines, changeListLines, INDENT as CHANGE_INDENT } from './change.ts';
import { effectLines, effectsByRef, effectsSummary, type EffectsByRef } from './effects.ts';
import { escapeLine } from '../../escape.ts';
import { fieldLines } from './fields.ts';
import { forecastLines, warningLines } from './plan.ts';
import { joinSections, projectLine } from './sections.ts';
import { actionCounts } from '../../words/actions.ts';
import { amountsNote, amountsOf, needsNouns } from '../../words/amounts.ts';
import { labelsOfRef, resourceOfRef } from '../../words/kinds.ts';
import { REFUSALS } from '../../words/refusals.ts';

const INDENT = ' '.repeat(6);

export function undoText({ run, plan, refused, forecast }: ReportOf<'undo'>, view: View): string {
  const effects = effectsByRef(plan);
  return joinSections([
    [projectLine(`Undo of run ${run} in`, plan, view.palette)],
    changeListLines(plan.changes.map((change) => undoneLines(change, effects, view))),
    refusedLines(refused, view),
    warningLines(plan, view),
    brokenRuleLines(brokenRules({ hazards: plan.hazards }), {
      heading: WOULD_REFUSE,
      palette: view.palette,
      project: plan.project.name,
    }),
    [...effectsSummary(effects), ...forecastLines(plan, forecast, view), undoSummary(plan, refused)],
  ]);
}

/** No manifest asks for the change, so it has no place. */
export function undoneLines(change: Change, effects: EffectsByRef, view: View): string[] {
  const told = effectLines(change, effects, view.palette).map((line) => CHANGE_INDENT + line);
  return [...changeLines(change, { ...view, places: false }), ...told];
}

/** Values are shown as the run wrote them → as they are live now. */
export function refusedLines(refused: readonly RefusedInversion[], view: View): string[] {
  if (refused.length === 0) return [];
  const { palette } = view;
  const blocks = refused.map(({ ref, key, refusal, moved }) => {
    const labels = labelsOfRef(ref);
    const head = `  ${palette.warning('○')} ${palette.strong(escapeLine(key))}${labels.qualifier}  ${REFUSALS[refusal]}${SHOWN[refusal] ?? ''}`;
    return [head, ...fieldLines(moved, { ...view, labels, places: false }).map((line) => INDENT + line)];
  });
  return [palette.warning('Cannot be undone:'), ...changeListLines(blocks)];
}

/** How the values below the line read. */
const SHOWN: Partial<Record<RefusedInversion['refusal'], string>> = { moved: ' (shown as written by the run → live)' };

/** `Undo: 1 to update, 2 to delete · 1 cannot be undone`; with cohorts, how many of each kind. */
export function undoSummary({ changes, summary }: Plan, refused: readonly RefusedInversion[]): string {
  const word = (action: Action, amount: number): string => `${amount} to ${action}`;
  const actions = actionCounts(changes, { word, isNamed: needsNouns(summary) });
  const left = refused.length === 0 ? [] : [`${refused.length} cannot be undone${refusedNote(summary, refused)}`];
  const facts = [...(changes.length === 0 ? [] : [actions]), ...left];
  return `Undo: ${facts.length === 0 ? 'nothing to do' : facts.join(' · ')}`;
}

function refusedNote(summary: Plan['summary'], refused: readonly RefusedInversion[]): string {
  const resources = refused.map(({ ref }) => ({ resource: resourceOfRef(ref) }));
  return needsNouns(summary, resources) ? amountsNote(amountsOf(resources)) : '';
}
