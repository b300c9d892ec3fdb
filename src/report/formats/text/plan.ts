/** A plan as text: the changes field by field, warnings, broken safety rules, and a summary line. */

import { memberOf } from '../../../base/json.ts';
import type { Against } from '../../../posthog/snapshot-file/snapshot-file.ts';
import type { KnownRequest } from '../../../engine/change-request.ts';
import type { Forecast } from '../../../engine/forecast.ts';
import type { Quote } from '../../../engine/labels.ts';
import type { Impact } from '../../../impact/impact.ts';
import type { Action, Change, Plan, PlanSummary } from '../../../posthog/plan.ts';
import { brokenRules, refuses } from '../../../policy/broken-rules.ts';
import { approvalLines } from './approvals.ts';
import { authorLines, refusalLines, type Authors } from './authors.ts';
import { brokenRuleLines, WOULD_REFUSE } from './broken-rules.ts';
import { changeLines, changeListLines, INDENT } from './change.ts';
import { changedAnswerLines } from './changed-answers.ts';
import { effectLines, effectsByRef, effectsSummary, type EffectsByRef } from './effects.ts';
import { alsoAffectedLines, impactLines } from './impact.ts';
import { escapeLine, quoteShort } from '../../escape.ts';
import { findingLines, summaryOf } from './findings.ts';
import type { ReportOf } from '../../report.ts';
import type { Palette, View } from '../../view.ts';
import { findLeftOut } from '../../../posthog/left-out.ts';
import { approvalsSummary } from '../../words/approvals.ts';
import { againstText } from '../../words/against.ts';
import { count } from '../../words/count.ts';
import type { Amounts } from '../../../engine/safety.ts';
import { actionCounts } from '../../words/actions.ts';
import { amountsIn, amountsText, needsNouns, resourcesAmong } from '../../words/amounts.ts';
import { impactReadTexts } from '../../words/impact.ts';
import { forecastText } from '../../words/forecast.ts';
import { foldedWarningText, warningText } from '../../words/warnings.ts';
import { observedLines } from './observed.ts';
import { PLAN_NOTES } from '../../words/three-way.ts';
import { joinSections, projectLine } from './sections.ts';
import type { Showing } from '../../words/base.ts';
import { baseLines, checkoutWarnings, LEFT_HEADING, leftLines, overriddenLines, releasedLines } from './three-way.ts';

const MOST_UNMANAGED = 20;
const MOST_ALIKE = 3;

export function planText(
  { plan, forecast, attributions, judgement, impact, named, requests, against }: ReportOf<'plan'>,
  view: View,
): string {
  const authors = { plan, attributions };
  const effects = effectsByRef(plan);
  return joinSections([
    [projectLine('Plan for', plan, view.palette), ...againstLines(against, view.palette)],
    changeListLines(plan.changes.map((change) => plannedLines(change, view, { authors, effects, impact, requests }))),
    alsoAffectedLines(effects, impact, view.palette),
    changedAnswerLines(named, view),
    refusalLines(authors, view.palette),
    leftLines(plan.left, LEFT_HEADING, { ...view, authors }),
    warningLines(plan, view),
    overriddenLines(plan, view),
    brokenRuleLines(brokenRules({ ...plan, findings: judgement?.findings ?? [] }).filter(refuses), {
      heading: WOULD_REFUSE,
      palette: view.palette,
      project: plan.project.name,
    }),
    findingLines(judgement, view.palette),
    releasedLines(plan, view),
    view.verbose ? unmanagedLines(plan, view) : [],
    observedLines(plan, view),
    [
      ...effectsSummary(effects),
      ...impactReadTexts(impact),
      ...summaryOf(judgement),
      ...approvalsSummary(requests),
      ...forecastLines(plan, forecast, view),
      ...baseLines(plan, 'left'),
      planSummary(plan),
    ],
  ]);
}

/** Below the name of the project, since it qualifies everything that follows. */
function againstLines(against: Against | undefined, palette: Palette): string[] {
  return against === undefined ? [] : [palette.warning(againstText(against))];
}

interface Beside {
  readonly authors: Authors;
  readonly effects: EffectsByRef;
  readonly impact: Impact | undefined;
  readonly requests: readonly KnownRequest[] | undefined;
}

/** A change with what it does, and who made what it undoes. */
function plannedLines(change: Change, view: View, { authors, effects, impact, requests }: Beside): string[] {
  const beside = [
    ...effectLines(change, effects, view.palette),
    ...impactLines(change, effects, impact).map(view.palette.dim),
    ...authorLines(change, authors, view.palette),
    ...approvalLines(change, requests, view.palette),
  ];
  const lines = changeLines(change, { ...view, places: true, notes: PLAN_NOTES });
  return [...lines, ...beside.map((line) => INDENT + line)];
}

export function warningsText(report: ReportOf<'warnings'>, view: View): string {
  return `${warningLines(report, view).join('\n')}\n`;
}

/** What warnings are made of. `showing`: `plan` by default. */
export type Warned = Pick<Plan, 'warnings'> &
  Partial<Pick<Plan, 'base' | 'changes' | 'safety'>> & { readonly showing?: Showing };

export function warningLines(plan: Warned, view: View): string[] {
  return warningSentences(plan, view).map((text) => `${view.palette.warning('warning')}  ${text}`);
}

/**
 * What is about all changes comes first. Without `--verbose`, warnings that many flags have in common are joined into one
 * sentence.
 */
export function warningSentences(
  { warnings, showing = 'plan', ...rest }: Warned,
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
  return [...checkoutWarnings(rest, showing), ...single, ...folded.values()];
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

/**
 * `Plan: 1 to create, 1 to update · 40 unchanged · 3 unmanaged`, or that nothing differs. With cohorts:
 * `Plan: 2 to create (1 flag, 1 cohort) · 40 flags and 2 cohorts unchanged · 3 flags unmanaged`.
 */
export function planSummary(plan: Pick<Plan, 'summary' | 'changes' | 'warnings' | 'left'>): string {
  if (plan.changes.length === 0 && plan.left !== undefined) return leftSummary('Nothing to apply', plan);
  if (plan.changes.length === 0) return inSyncText(plan.summary, resourcesAmong(findLeftOut(plan.warnings)));
  const rest = unchangedCounts(plan.summary, 'unchanged');
  const word = (action: Action, amount: number): string => `${amount} to ${action}`;
  const actions = actionCounts(plan.changes, { word, isNamed: needsNouns(plan.summary) });
  return [`Plan: ${actions}`, ...rest].join(' · ');
}

/** `Nothing to apply: 1 flag is left as it is · 40 unchanged`. */
export function leftSummary(
  words: string,
  { summary, left = [] }: Pick<Plan, 'summary' | 'left'>,
  how: keyof typeof NOT_COUNTED = 'left',
): string {
  const amounts = resourcesAmong(left);
  const [one, several, rest] = NOT_COUNTED[how];
  const isOne = Object.values(amounts).reduce((sum, amount) => sum + amount, 0) === 1;
  const fact = `${amountsText(amounts)} ${isOne ? one : several}`;
  return [`${words}: ${fact}`, ...unchangedCounts(summary, rest, needsNouns(summary, left))].join(' · ');
}

/** What is said of the differences, and of what has none. */
const NOT_COUNTED = {
  left: ['is left as it is', 'are left as they are', 'unchanged'],
  ignored: ['is ignored', 'are ignored', 'in sync'],
} as const;

/** `leftOut`: how many resources of each kind differ in what no plan can write: drift, and nothing to apply. */
export function inSyncText(summary: PlanSummary, leftOut: Amounts = {}, of: 'plan' | 'drift' = 'plan'): string {
  const { flag = summary.unchanged, ...others } = amountsIn(summary, 'unchanged');
  const out = Object.values(leftOut).reduce((sum, amount) => sum + amount, 0);
  const inSync = Object.entries({ flag, ...others }).map(([kind, amount]) => [
    kind,
    amount - (memberOf(leftOut, kind) ?? 0),
  ]);
  const matching = amountsText(Object.fromEntries(inSync) as Amounts);
  const managed = `${matching} ${summary.unchanged - out === 1 ? 'matches' : 'match'}`;
  const differing = `${needsNouns(summary) ? amountsText(leftOut) : out} ${out === 1 ? 'differs' : 'differ'} in what the plan leaves out`;
  const fact =
    out === 0
      ? `In sync: ${managed} the manifests`
      : `${of === 'plan' ? 'Nothing to apply' : 'Not in sync'}: ${differing}, ${managed} the manifests`;
  return `${[fact, ...unmanagedCount(summary, needsNouns(summary))].join(' · ')}.`;
}

/** `40 unchanged`, `3 unmanaged`. */
export function unchangedCounts(
  summary: PlanSummary,
  words: 'unchanged' | 'in sync',
  isNamed: boolean = needsNouns(summary),
): string[] {
  const unchanged =
    isNamed && summary.kinds !== undefined ? amountsText(amountsIn(summary, 'unchanged')) : summary.unchanged;
  return [`${unchanged} ${words}`, ...unmanagedCount(summary, isNamed)];
}

function unmanagedCount({ unmanaged }: PlanSummary, isNamed: boolean): string[] {
  return unmanaged === 0 ? [] : [`${isNamed ? count(unmanaged, 'flag') : unmanaged} unmanaged`];
}
