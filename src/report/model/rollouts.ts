/** Shows the rollouts of a plan or of drift that have steps left, and why each of them waits. */

import { ifGiven } from '../../base/optional.ts';
import { findEffects } from '../../review/effects/find-effects.ts';
import type { KnownRequest } from '../../core/engine/change-request.ts';
import type { Impact } from '../../review/effects/impact.ts';
import type { Change, Plan } from '../../posthog/plan.ts';
import type { StepAhead } from '../../posthog/planning/steps-ahead.ts';
import type { StepSoon } from '../../posthog/rollouts/rollouts-in-review.ts';
import { isHeldByGuard, isRemarkable, waitingFlags } from '../../posthog/rollouts/rollouts.ts';
import type { PlannedRollout, RolloutChange } from '../../core/rollout/rollout.ts';
import { escapeLine, quoteShort } from '../escape.ts';
import { type Phrase, type Span, spansOf, toned } from '../phrase.ts';
import { count, timeText } from '../words/amounts.ts';
import { standingText } from '../words/authors.ts';
import { impactFacts, throughText } from '../words/effects.ts';
import { readingText } from '../words/guards.ts';
import { labelsOf } from '../words/kinds.ts';
import {
  formerStepText,
  jumpText,
  laterText,
  lateText,
  rolloutText,
  SOON,
  WAITS,
  waitText,
} from '../words/rollouts.ts';
import { requestPhrases } from './three-way.ts';
import { DORMANT, effectLines, effectsByRef, type EffectsByRef, impactLines, linesOf } from './change.ts';
import type { Plot, ReportEntry, ReportGroup, ReportLine } from './report-model.ts';

const STEPS = { form: 'list', indent: { head: 2, lines: 4 } } as const;

/** `isMade`: the changes are what the plan writes, not what others did. */
export function rolloutsGroup(
  plan: Pick<Plan, 'changes' | 'left' | 'rollouts' | 'project' | 'base' | 'commit'>,
  requests: readonly KnownRequest[] = [],
  { soon = [], isMade = false }: { readonly soon?: readonly StepSoon[] | undefined; readonly isMade?: boolean } = {},
): ReportGroup {
  const shown = (plan.rollouts ?? []).filter((one) => isOpen(one) || one.found_live === true);
  const waiting = waitingFlags(plan);
  const changed = new Set(plan.changes.map(({ ref }) => ref));
  // The requests of a change are in its own entry.
  const ofLeft = requests.filter(({ ref }) => !changed.has(ref));
  const left = new Set((plan.left ?? []).map(({ key }) => key));
  const isReverted = (key: string): boolean => waiting.get(key) === 'edited' && isMade && !left.has(key);
  const lines = (rollout: PlannedRollout): ReportLine[] => [
    ...(isRemarkable(rollout) ? waitLines(rollout, isReverted(rollout.key)) : []),
    ...passLines(rollout),
    ...askedLines(rollout, ofLeft),
    ...soonLines(rollout, soon),
  ];
  const entries = [
    ...shown.map((one) => ({ head: [...nameSpans(one), rolloutText(one)], lines: lines(one) })),
    // Steps that the change has removed, maybe with the rollout.
    ...soon
      .filter(({ by }) => by === 'former_plan')
      .map((step) => ({ head: [...nameSpans(step), formerStepText(step)] })),
  ];
  return {
    title: 'Rollouts over time',
    counted: count(entries.length, 'rollout over time', 'rollouts over time'),
    prominence: 'headed',
    ...STEPS,
    entries,
    plots: rolloutPlots(plan),
  };
}

/** The due steps that a run did not make since a guard holds them. */
export function guardedGroup(rollouts: readonly PlannedRollout[]): ReportGroup {
  const held = rollouts.filter(isHeldByGuard);
  return {
    title: `Waiting for a guard (${count(held.length, 'step')})`,
    prominence: 'notice',
    ...STEPS,
    entries: held.map((one) => ({ head: [...nameSpans(one), rolloutText(one)], lines: waitLines(one, false) })),
  };
}

function rolloutPlots({ rollouts = [] }: Pick<Plan, 'rollouts'>): readonly Plot[] {
  return rollouts.filter(isOpen).flatMap(({ key, path, from, steps }): Plot[] => {
    const values = steps.map(({ at, to }) => ({ at: Date.parse(at), to: Number(to) }));
    const [first, last] = [values[0], values.at(-1)];
    if (typeof from !== 'number' || first === undefined || last === undefined) return [];
    const before = { at: first.at - Math.max(HOUR_MS, (last.at - first.at) / 10), to: from };
    const points = [before, ...values].map(({ at, to }) => ({ at, least: to, most: to }));
    return [{ title: `${escapeLine(key)} ${labelsOf({ resource: 'flag' }).field(path)}`, points }];
  });
}

const HOUR_MS = 3_600_000;

function isOpen({ step, steps, applied }: PlannedRollout): boolean {
  return (applied?.step ?? step) < steps.length - 1;
}

/** Shows the future steps that a merge decides, each as a change of its own. */
export function stepsGroup(
  steps: readonly StepAhead[] = [],
  { soon = [], impact }: { readonly soon?: readonly StepSoon[]; readonly impact?: Impact } = {},
): ReportGroup {
  const isSoon = (time: string): boolean => soon.some(({ by, at }) => by === 'change' && at === time);
  return {
    title: 'Steps to come, which this change decides',
    counted: count(steps.filter((step) => step.jump_since === undefined).length, 'step to come', 'steps to come'),
    prominence: 'headed',
    ...STEPS,
    entries: steps.map(({ at, due, jump_since: since, plan }) => {
      const effects = effectsByRef(findEffects(plan));
      const own = impact?.steps?.find((step) => step.at === at && step.due === due && step.jump_since === since);
      const lines = [...plan.changes.flatMap((change) => stepLines(change, effects, own)), ...indirectLines(own)];
      const soonNote = isSoon(at) ? SOON.change : undefined;
      const note = since !== undefined ? jumpText(since) : due === undefined ? soonNote : lateText(at, isSoon(at));
      return { head: [toned('strong', timeText(due ?? at)), ...(note === undefined ? [] : [`  ${note}`])], lines };
    }),
  };
}

function stepLines(change: Change, effects: EffectsByRef, impact: Pick<Impact, 'flags'> | undefined): ReportLine[] {
  const { key, ref } = change;
  // If no manifest says whether the flag is on, only its impact knows that it is off.
  const own = impact?.flags.find((flag) => flag.key === key);
  const isDormant = own?.estimate.kind === 'dormant' && effects.get(ref)?.dormant !== true;
  const lines = [
    ...effectLines(change, effects),
    ...ifGiven(impact, (found) => impactLines(change, effects, found)),
    ...(isDormant ? [{ phrase: [toned('dim', DORMANT)] }] : []),
  ];
  return lines.map(({ phrase, ...line }) => ({ ...line, phrase: [`${escapeLine(key)}: `, ...spansOf(phrase)] }));
}

function indirectLines({ flags }: Pick<Impact, 'flags'> = { flags: [] }): ReportLine[] {
  return flags
    .filter(({ by }) => by !== 'change')
    .flatMap((flag) => {
      const facts = impactFacts(flag);
      const texts = facts.length === 0 ? [] : [throughText(flag), ...facts];
      return linesOf(texts.map((text) => [toned('aside', `${escapeLine(flag.key)}: ${text}`)]));
    });
}

/** Later steps that a plan changes. `areShown`: those to come are shown with their effects, so only those that no longer come are named. */
export function laterGroup(changes: readonly RolloutChange[], areShown: boolean): ReportGroup {
  const entries = changes.flatMap(({ key, before, after }) =>
    [...new Set([...before, ...after].map(({ path }) => path))].flatMap((path): ReportEntry[] => {
      const [former, coming] = [before, after].map((all) => all.find((one) => one.path === path));
      const text = laterText(former, coming, areShown);
      return text === '' ? [] : [{ head: [...nameSpans({ key, path }), text] }];
    }),
  );
  return {
    title: areShown ? 'Steps that no longer come' : 'Later steps that this plan changes',
    counted: count(entries.length, 'rollout with other steps', 'rollouts with other steps'),
    prominence: 'headed',
    ...STEPS,
    entries,
  };
}

function nameSpans({ key, path }: Pick<PlannedRollout, 'key' | 'path'>): Span[] {
  return [toned('strong', escapeLine(key)), ` ${labelsOf({ resource: 'flag' }).field(path)}: `];
}

function soonLines({ key, path }: PlannedRollout, soon: readonly StepSoon[]): ReportLine[] {
  const isSoon = soon.some((one) => one.by === 'plan' && one.key === key && one.path === path);
  return isSoon ? [{ phrase: SOON.plan }] : [];
}

/** What became of the requests for its step, and how to ask again if people rejected it. */
function askedLines({ key }: PlannedRollout, requests: readonly KnownRequest[]): ReportLine[] {
  const own = requests.filter((request) => request.key === key);
  const isRefused = own.some(({ standing }) => standing.kind === 'rejected' || standing.kind === 'withdrawn');
  const phrases: Phrase[] = own.flatMap((request) => requestPhrases(request, standingText(request, quoteShort)));
  const again: Phrase = ['→ ', { code: `flagwright apply --target ${escapeLine(key)}` }, ' asks again'];
  return linesOf([...phrases, ...(isRefused ? [again] : [])]);
}

function waitLines(rollout: PlannedRollout, isReverted: boolean): ReportLine[] {
  const { key, waits } = rollout;
  if (waits === undefined) return [];
  const reverts = ['this plan reverts that, and the next run makes the next step'];
  const way = isReverted ? reverts : WAITS[waits].wayOn(escapeLine(key));
  return linesOf([[toned('warning', waitText(waits, rollout))], ['→ ', ...way]]);
}

/** What lets its step through. */
function passLines({ guard_readings: readings = [], held }: PlannedRollout): ReportLine[] {
  return held === true ? [] : linesOf(readings.map((reading) => [toned('aside', readingText(reading))]));
}
