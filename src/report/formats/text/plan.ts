/** A plan as text: the changes field by field, warnings, broken safety rules, and a summary line. */

import type { Forecast } from '../../../engine/forecast.ts';
import type { Quote } from '../../../engine/labels.ts';
import type { Change, Plan, PlanSummary } from '../../../posthog/plan.ts';
import { authorLines, refusalLines, type Authors } from './authors.ts';
import { changeLines, changeListLines, INDENT } from './change.ts';
import { escapeLine, quoteShort } from '../../escape.ts';
import { hazardLines, WOULD_REFUSE } from './hazards.ts';
import type { ReportOf } from '../../report.ts';
import type { View } from '../../view.ts';
import { leavesOut } from '../../../posthog/flag/opaque.ts';
import { count } from '../../words/count.ts';
import { actionCounts } from '../../words/actions.ts';
import { forecastText } from '../../words/forecast.ts';
import { foldedWarningText, warningText } from '../../words/warnings.ts';
import { observedLines } from './observed.ts';
import { PLAN_NOTES } from '../../words/three-way.ts';
import { joinSections, projectLine } from './sections.ts';
import { baseLines, LEFT_HEADING, leftLines, overriddenLines, releasedLines } from './three-way.ts';

const MOST_UNMANAGED = 20;
const MOST_ALIKE = 3;

export function planText({ plan, forecast, attributions }: ReportOf<'plan'>, view: View): string {
  const authors = { plan, attributions };
  return joinSections([
    [projectLine('Plan for', plan, view.palette)],
    changeListLines(plan.changes.map((change) => plannedLines(change, view, authors))),
    refusalLines(authors, view.palette),
    leftLines(plan.left, LEFT_HEADING, view),
    warningLines(plan, view),
    overriddenLines(plan, view),
    hazardLines(plan, WOULD_REFUSE, view.palette),
    releasedLines(plan, view),
    view.verbose ? unmanagedLines(plan, view) : [],
    observedLines(plan, view),
    [...forecastLines(plan, forecast, view), ...baseLines(plan), planSummary(plan)],
  ]);
}

/** A change with who made what it undoes. */
function plannedLines(change: Change, view: View, authors: Authors): string[] {
  const undone = authorLines(change, authors, view.palette).map((line) => INDENT + line);
  return [...changeLines(change, { ...view, places: true, notes: PLAN_NOTES }), ...undone];
}

export function warningsText(report: ReportOf<'warnings'>, view: View): string {
  return `${warningLines(report, view).join('\n')}\n`;
}

export function warningLines(plan: Pick<Plan, 'warnings'>, view: View): string[] {
  return warningSentences(plan, view).map((text) => `${view.palette.warning('warning')}  ${text}`);
}

/** Without `--verbose`, warnings that many flags have in common are joined into one sentence. */
export function warningSentences(
  { warnings }: Pick<Plan, 'warnings'>,
  { verbose }: Pick<View, 'verbose'>,
  quote: Quote = quoteShort,
): string[] {
  const folded = new Map<string, string>();
  for (const code of verbose ? [] : new Set(warnings.map((warning) => warning.code))) {
    const keys = [...new Set(warnings.flatMap((warning) => (warning.code === code ? warning.key : [])))];
    const text = keys.length > MOST_ALIKE ? foldedWarningText(code, keys, quote) : undefined;
    if (text !== undefined) folded.set(code, text);
  }
  const single = warnings.filter(({ code }) => !folded.has(code)).map((warning) => warningText(warning, quote));
  return [...single, ...folded.values()];
}

export function unmanagedLines(plan: Pick<Plan, 'unmanaged'>, { palette, verbose }: View): string[] {
  if (plan.unmanaged.length === 0) return [];
  const shown = verbose ? plan.unmanaged : plan.unmanaged.slice(0, MOST_UNMANAGED);
  const hidden = plan.unmanaged.length - shown.length;
  return [
    'Unmanaged (in no manifest):',
    ...shown.map((key) => `  ? ${escapeLine(key)}`),
    ...(hidden === 0 ? [] : [palette.dim(`  … ${hidden} more; --verbose lists all`)]),
  ];
}

export function forecastLines(
  plan: Pick<Plan, 'changes'>,
  forecast: Forecast | undefined,
  { palette }: View,
): string[] {
  return forecast === undefined || plan.changes.length === 0 ? [] : [palette.dim(forecastText(forecast))];
}

/** `Plan: 1 to create, 1 to update · 40 unchanged · 3 unmanaged`, or that nothing differs. */
export function planSummary(plan: Pick<Plan, 'summary' | 'changes' | 'warnings' | 'left'>): string {
  if (plan.changes.length === 0 && plan.left !== undefined) return leftSummary('Nothing to apply', plan);
  if (plan.changes.length === 0) return inSyncText(plan.summary, plan.warnings.filter(leavesOut).length);
  const rest = [`${plan.summary.unchanged} unchanged`, ...unmanagedCount(plan.summary)];
  const actions = actionCounts(plan.summary, (action, amount) => `${amount} to ${action}`);
  return [`Plan: ${actions}`, ...rest].join(' · ');
}

/** `Nothing to apply: 1 flag is left as it is live · 40 unchanged`. */
export function leftSummary(words: string, { summary, left = [] }: Pick<Plan, 'summary' | 'left'>): string {
  const cohorts = left.filter(({ resource }) => resource === 'cohort').length;
  const flags = new Set(left.flatMap(({ resource, key }) => (resource === 'cohort' ? [] : key))).size;
  const named = [...(flags === 0 ? [] : [count(flags, 'flag')]), ...(cohorts === 0 ? [] : [count(cohorts, 'cohort')])];
  const fact = `${named.join(' and ')} ${flags + cohorts === 1 ? 'is left as it is live' : 'are left as they are live'}`;
  return [`${words}: ${fact}`, `${summary.unchanged} unchanged`, ...unmanagedCount(summary)].join(' · ');
}

/** `leftOut`: flags that differ in what no plan can write. */
export function inSyncText(summary: PlanSummary, leftOut = 0): string {
  const matching = summary.unchanged - leftOut;
  const managed = matching === 1 ? '1 flag matches' : `${count(matching, 'flag')} match`;
  const differing = `${leftOut} ${leftOut === 1 ? 'differs' : 'differ'} in what the plan leaves out`;
  const fact =
    leftOut === 0 ? `In sync: ${managed} the manifests` : `Not in sync: ${differing}, ${managed} the manifests`;
  return `${[fact, ...unmanagedCount(summary)].join(' · ')}.`;
}

function unmanagedCount(summary: PlanSummary): string[] {
  return summary.unmanaged === 0 ? [] : [`${summary.unmanaged} unmanaged`];
}
