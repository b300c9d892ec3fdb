/** The summary line of each report: a plan, drift, a result, an undo, and a run with nothing to do. */

import { overdueText } from './rollouts.ts';
import { isDueByPlan } from '../../posthog/rollouts/rollouts-in-review.ts';
import { memberOf } from '../../base/json.ts';
import type { ApplyResult } from '../../loop/apply/result.ts';
import type { Amounts } from '../../core/engine/safety.ts';
import type { RefusedInversion } from '../../posthog/planning/invert-plan.ts';
import { nameOfChange } from '../../posthog/kinds.ts';
import { readRef } from '../../posthog/names/resource-name.ts';
import { findUnwritable } from '../../posthog/planning/drift-groups.ts';
import type { Action, Plan, PlanSummary } from '../../posthog/plan.ts';
import { wasAlready } from '../run-record.ts';
import type { NothingReason } from '../report.ts';
import { type StandingFacts } from '../report-status.ts';
import { standingOfDrift } from '../drift-standing.ts';
import {
  actionCounts,
  amountsOf,
  amountsText,
  changesNote,
  count,
  durationText,
  needsNouns,
  resourcesAmong,
  unchangedIn,
} from './amounts.ts';

/**
 * `Plan: 1 to create, 1 to update · 40 unchanged · 3 unmanaged`, or that nothing differs. With cohorts:
 * `Plan: 1 flag and 1 cohort to create · 40 flags and 2 cohorts unchanged · 3 flags unmanaged`.
 */
export function planSummary(
  plan: Pick<Plan, 'summary' | 'changes' | 'warnings' | 'left' | 'rollouts' | 'rollout_changes'>,
): string {
  const { changes, left, rollout_changes: later } = plan;
  const words = later && `no changes now; later steps change for ${count(later.length, 'flag')}`;
  if (changes.length === 0 && left !== undefined)
    return leftSummary(words === undefined ? 'Nothing to apply' : `Plan: ${words}`, plan);
  if (changes.length === 0 && words !== undefined) {
    return [`Plan: ${words}`, ...unchangedCounts(plan.summary, 'unchanged')].join(' · ');
  }
  if (changes.length === 0) {
    const unwritable = resourcesAmong(findUnwritable(plan.warnings));
    // The steps that rollouts have left, which later runs make.
    const ahead = (plan.rollouts ?? []).reduce((sum, { steps, step }) => sum + steps.length - 1 - step, 0);
    return inSyncText(plan.summary, { unwritable, ahead });
  }
  const rest = unchangedCounts(plan.summary, 'unchanged');
  const word = (action: Action, amount: number | string): string => `${amount} to ${action}`;
  const actions = actionCounts(plan.changes, { word, isNamed: needsNouns(plan.summary) });
  return [`Plan: ${actions}${dueText(plan)}`, ...rest].join(' · ');
}

/** `, of which 2 are due by their rollouts`: those that the reviewed change does not bring. */
function dueText({ changes, rollouts }: Pick<Plan, 'changes' | 'rollouts'>): string {
  const due = rollouts === undefined ? 0 : changes.filter((change) => isDueByPlan(change, { rollouts })).length;
  if (due === 0) return '';
  if (due === changes.length) return due === 1 ? ', due by its rollout' : ', all due by their rollouts';
  return `, of which ${due} ${due === 1 ? 'is due by its rollout' : 'are due by their rollouts'}`;
}

/**
 * `Drift: 1 missing, 2 different · 38 in sync · 3 unmanaged`, or that nothing differs. What only the manifests changed is no
 * drift unless it counts: `No drift: 1 flag not applied yet · 40 in sync`.
 */
export function driftSummary(
  plan: Pick<Plan, 'summary' | 'changes' | 'warnings' | 'left' | 'unmanaged' | 'rollouts'>,
  counting?: StandingFacts,
): string {
  const { summary } = plan;
  const standing = standingOfDrift(plan, counting);
  const { drifted, pending, unwritable, unmanaged, overdue, unknown } = standing;
  const out = resourcesAmong(unwritable);
  if (drifted.length + pending.length + unmanaged.length + overdue.length + unknown.length === 0) {
    const isIgnored = plan.left !== undefined && unwritable.length === 0;
    return isIgnored
      ? leftSummary('No other drift', plan, 'ignored')
      : inSyncText(summary, { unwritable: out, of: 'drift' });
  }
  const isNamed = needsNouns(summary);
  const word = (action: Action, amount: number | string): string => `${amount} ${DRIFT_WORDS[action]}`;
  const found = [
    ...(drifted.length === 0 ? [] : [actionCounts(drifted, { word, isNamed })]),
    ...(unwritable.length === 0
      ? []
      : [`${isNamed ? amountsText(out) : unwritable.length} in ways that no plan can change`]),
    ...(unmanaged.length === 0 ? [] : [`${isNamed ? count(unmanaged.length, 'flag') : unmanaged.length} undeclared`]),
    ...(overdue.length === 0 ? [] : [overdueText(overdue.length)]),
    ...(unknown.length === 0 ? [] : [`${count(unknown.length, 'rollout')} at a step that no run made`]),
  ];
  const waiting = pending.length === 0 ? [] : [`${amountsText(resourcesAmong(pending))} not applied yet`];
  const head = found.length === 0 ? [`No drift: ${waiting.join()}`] : [`Drift: ${found.join(', ')}`, ...waiting];
  const changed = new Set(plan.changes.map(nameOfChange));
  const outOnly = resourcesAmong(unwritable.filter(({ key }) => !changed.has(key)));
  return [...head, ...unchangedCounts(lessUnchanged(summary, outOnly), 'in sync', isNamed)].join(' · ');
}

/** Resources with differences that no plan can write are neither changed nor in sync. */
function lessUnchanged(summary: PlanSummary, amounts: Amounts): PlanSummary {
  const { kinds, unchanged } = summary;
  const less = { ...summary, unchanged: unchanged - Object.values(amounts).reduce((sum, amount) => sum + amount, 0) };
  if (kinds === undefined) return less;
  const counted = Object.entries(kinds as Readonly<Record<string, { readonly unchanged?: number }>>);
  const rows = counted.map(([kind, counts]) => [
    kind,
    counts.unchanged === undefined
      ? counts
      : { ...counts, unchanged: counts.unchanged - (memberOf(amounts, kind) ?? 0) },
  ]);
  return { ...less, kinds: Object.fromEntries(rows) as NonNullable<PlanSummary['kinds']> };
}

export const DRIFT_WORDS: Readonly<Record<Action, string>> = {
  create: 'missing',
  update: 'different',
  restore: 'soft-deleted',
  delete: 'not deleted',
  grant: 'without declared role',
  adjust: 'with another level',
  revoke: 'with undeclared role',
};

/** `Undo: 1 to update, 2 to delete · 1 cannot be undone`; with cohorts, how many of each kind. */
export function undoSummary({ changes, summary }: Plan, refused: readonly RefusedInversion[]): string {
  const word = (action: Action, amount: number | string): string => `${amount} to ${action}`;
  const actions = actionCounts(changes, { word, isNamed: needsNouns(summary) });
  const resources = refused.map(({ ref }) => ({ resource: readRef(ref).kind }));
  const amount = needsNouns(summary, resources) ? amountsText(amountsOf(resources)) : refused.length;
  const left = refused.length === 0 ? [] : [`${amount} cannot be undone`];
  const facts = [...(changes.length === 0 ? [] : [actions]), ...left];
  return `Undo: ${facts.length === 0 ? 'nothing to do' : facts.join(' · ')}`;
}

/** `Applied 3 of 5 changes: 1 failed, 1 skipped · 12 requests · 1.2 s`; of an undo, `Undid 3 changes`. */
export function resultSummary(result: ApplyResult, durationMs: number): string {
  if (result.changes.length === 0) {
    return result.left === undefined
      ? inSyncText(result.summary, { unwritable: resourcesAmong(result.unwritable ?? []) })
      : leftSummary('Nothing applied', result);
  }
  const { outcomes } = result;
  const others = (['failed', 'skipped', 'pending', 'unknown'] as const).filter((kind) => outcomes[kind] > 0);
  const tail = others.length === 0 ? '' : `: ${others.map((kind) => `${outcomes[kind]} ${kind}`).join(', ')}`;
  const total = result.changes.length;
  const kinds = changesNote(result.changes.map(({ change }) => change));
  const already = result.changes.filter(wasAlready).length;
  if (already === total) {
    const isDone = result.verified && result.remainder.length === 0;
    return `${isDone ? 'Nothing left to do: ' : ''}${count(total, 'change')}${kinds} already up to date`;
  }
  const verb = result.undoes === undefined ? 'Applied' : 'Undid';
  const head =
    others.length === 0
      ? `${verb} ${count(total, 'change')}${kinds}${already === 0 ? '' : `, ${already} of them already up to date`}`
      : `${verb} ${outcomes.applied} of ${count(total, 'change')}${kinds}`;
  return [`${head}${tail}`, count(result.requests, 'request'), durationText(durationMs)].join(' · ');
}

/** Precedes the name of the project. */
export function nothingText(reason: NothingReason): string {
  if (reason.code === 'run_changed_nothing') return `Run ${reason.run} changed nothing in`;
  return reason.code === 'already_off' ? 'Already off in' : 'Nothing to resume in';
}

/** An example: `Nothing to apply: 1 flag is left as it is · 40 unchanged`. */
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

/** The words about the differences, and about resources without any. */
const NOT_COUNTED = {
  left: ['is left as it is', 'are left as they are', 'unchanged'],
  ignored: ['is ignored', 'are ignored', 'in sync'],
} as const;

/** `unwritable`: resources with differences that no plan can write: drift, but nothing to apply. `ahead`: steps to come. */
export function inSyncText(
  summary: PlanSummary,
  {
    unwritable = {},
    of = 'plan',
    ahead = 0,
  }: { readonly unwritable?: Amounts; readonly of?: 'plan' | 'drift'; readonly ahead?: number } = {},
): string {
  const { flag = summary.unchanged, ...others } = unchangedIn(summary);
  const out = Object.values(unwritable).reduce((sum, amount) => sum + amount, 0);
  const inSync = Object.entries({ flag, ...others }).map(([kind, amount]) => [
    kind,
    amount - (memberOf(unwritable, kind) ?? 0),
  ]);
  const matching = amountsText(Object.fromEntries(inSync) as Amounts);
  const managed = `${matching} ${summary.unchanged - out === 1 ? 'matches' : 'match'}`;
  const differing = `${needsNouns(summary) ? amountsText(unwritable) : out} ${out === 1 ? 'differs' : 'differ'} in ways that no plan can change`;
  const fact =
    out === 0
      ? `In sync: ${managed} the manifests`
      : `${of === 'plan' ? 'Nothing to apply' : 'Not in sync'}: ${differing}, ${managed} the manifests`;
  const steps = ahead === 0 ? [] : [count(ahead, 'step to come', 'steps to come')];
  return `${[fact, ...steps, ...unmanagedCount(summary, needsNouns(summary))].join(' · ')}.`;
}

/** `40 unchanged`, `3 unmanaged`. */
function unchangedCounts(
  summary: PlanSummary,
  words: 'unchanged' | 'in sync',
  isNamed: boolean = needsNouns(summary),
): string[] {
  const unchanged = isNamed && summary.kinds !== undefined ? amountsText(unchangedIn(summary)) : summary.unchanged;
  return [`${unchanged} ${words}`, ...unmanagedCount(summary, isNamed)];
}

function unmanagedCount({ unmanaged }: PlanSummary, isNamed: boolean): string[] {
  return unmanaged === 0 ? [] : [`${isNamed ? count(unmanaged, 'flag') : unmanaged} unmanaged`];
}
