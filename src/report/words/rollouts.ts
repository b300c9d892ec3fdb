/** The words for what changes later: steps of rollouts, and what the service changes by itself. */

import { stringifyJson } from '../../base/json-text.ts';
import type { JsonValue } from '../../base/json.ts';
import type { Quote } from '../../posthog/names/resource-name.ts';
import type { ScheduledEffects } from '../../review/effects/impact.ts';
import type { ShareOn } from '../../review/effects/share.ts';
import { REVIEW_DAYS, type StepSoon } from '../../posthog/rollouts/rollouts-in-review.ts';
import { valueOf } from '../../core/rollout/position.ts';
import type { PlacedRollout, PlannedRollout, WaitReason } from '../../core/rollout/rollout.ts';
import { quoteShort } from '../escape.ts';
import type { Span } from '../phrase.ts';
import { count, keysText, timeText } from './amounts.ts';
import { readingText } from './guards.ts';
import { effectLine, impactTexts, throughText } from './effects.ts';

/** `step 2 of 3: 10% → 50%, due since 2026-12-03 08:00:00 UTC; then 100% on …` */
export function rolloutText(rollout: PlannedRollout): string {
  const { guard, continued } = rollout;
  return [
    progressText(rollout),
    ...(guard === undefined ? [] : [`guarded by ${keysText(guard)}`]),
    ...(continued === undefined ? [] : ['a person continues it (--override)']),
  ].join('; ');
}

function progressText(rollout: PlannedRollout): string {
  const { steps, step, applied, due, overdue, from } = rollout;
  const value = (index: number): string => shown(valueOf(rollout, index));
  const number = `step ${step + 1} of ${steps.length}`;
  const since = due === undefined ? '' : `${overdue === true ? 'overdue' : 'due'} since ${timeText(due)}`;
  if (applied === undefined) {
    return [
      `begins at ${step < 0 ? shown(from) : `${number}, ${value(step)}`}`,
      ...nextText(rollout, rollout.then_due),
    ].join('; ');
  }
  if (step > applied.step) {
    const made = `${number}: ${value(applied.step)} → ${value(step)}${since === '' ? '' : `, ${since}`}`;
    return [made, ...nextText(rollout, rollout.then_due)].join('; ');
  }
  const next = steps[step + 1];
  const isLate = (overdue === true || rollout.held === true) && since !== '' && next !== undefined;
  const late = isLate ? [`the next step, ${shown(next.to)}, is ${since}`] : nextText(rollout, due);
  const now = step < 0 ? `not begun, ${shown(from)}` : `at ${number}, ${value(step)}`;
  const how = rollout.found_live === true ? ', which no apply recorded: it was found in the service' : '';
  return [`${now}${how}`, ...late].join('; ');
}

function nextText({ steps, step }: PlannedRollout, due?: string): string[] {
  const next = steps[step + 1];
  return next === undefined ? [] : [`then ${shown(next.to)} at ${timeText(due ?? next.at)}`];
}

function shown(value: JsonValue): string {
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  return `${stringifyJson(value)}%`;
}

export const DUE_BY_ROLLOUT = 'due by its rollout';
export const DUE_TITLE = 'Due by their rollouts, with or without this change';

/** `10% at 2026-12-03 08:00:00 UTC; no longer 50% at …`; with `isShort` only what no longer comes, of steps and guards. */
export function laterText(
  former: PlacedRollout | undefined,
  coming: PlacedRollout | undefined,
  isShort: boolean,
): string {
  const left = (one: PlacedRollout | undefined): string[] =>
    one?.steps.slice(one.step + 1).map(({ at, to }) => `${shown(to)} at ${timeText(at)}`) ?? [];
  const next = left(coming);
  const gone = left(former).filter((step) => !next.includes(step));
  const { guard = [] } = coming ?? {};
  const unguarded = (former?.guard ?? []).filter((name) => coming !== undefined && !guard.includes(name));
  return [
    ...(isShort || next.length === 0 ? [] : [next.join(', ')]),
    ...(gone.length === 0 ? [] : [`no longer ${gone.join(', ')}`]),
    ...(isShort || guard.length === 0 ? [] : [`guarded by ${keysText(guard)}`]),
    ...(unguarded.length === 0 ? [] : [`no longer guarded by ${keysText(unguarded)} once this is applied`]),
  ].join('; ');
}

/** `50% at 2026-12-03 08:00:00 UTC`, for a step that the change has removed. */
export function formerStepText({ to, at }: StepSoon): string {
  return `${shown(to)} at ${timeText(at)}, ${SOON.former_plan}`;
}

export function jumpText(since: string): string {
  return `in one jump with all steps from ${timeText(since)} on, if no run makes one of them in time`;
}

/** Of a step that is due later than declared. `isSoon`: the change may be applied after the declared time. */
export function lateText(at: string, isSoon: boolean): string {
  const late = `declared for ${timeText(at)}, but its rollout is late`;
  return isSoon ? `${late}; if this change is applied after that, it makes the step at once` : late;
}

export const SOON: Readonly<Record<StepSoon['by'], string>> = {
  plan: `the next step comes within ${REVIEW_DAYS} days, whether this change is applied or not`,
  former_plan: 'by the steps that were applied before, unless this change is applied first',
  change: `within ${REVIEW_DAYS} days: if this change is applied later, it makes the step at once`,
};

/** `waits: checkout-errors holds: the alert "Checkout errors" fires` */
export function waitText(reason: WaitReason, rollout: PlannedRollout): string {
  return `waits: ${waitReason(reason, rollout)}`;
}

/** `somebody changed the flag in the service` */
export function waitReason(reason: WaitReason, { guard_readings: readings = [] }: PlannedRollout): string {
  if (reason !== 'guarded') return WAITS[reason].why;
  return readings
    .filter(({ says }) => says !== 'pass')
    .map(readingText)
    .join('; ');
}

/** Why a step waits, and the way on. `name`: the key of the flag, escaped. */
export const WAITS: Readonly<
  Record<WaitReason, { readonly why: string; readonly wayOn: (name: string) => readonly Span[] }>
> = {
  edited: {
    why: 'somebody changed the flag in the service',
    wayOn: (name) => [
      { code: `flagwright accept ${name}` },
      ' keeps what is live, ',
      { code: `flagwright apply --target ${name} --override ${name}` },
      ' reverts it',
    ],
  },
  held_back: {
    why: 'somebody undid this step or turned the flag off',
    wayOn: (name) => [{ code: `flagwright apply --target ${name} --override ${name}` }, ' continues it'],
  },
  unrecorded: {
    why: 'the last apply skipped the flag, so these steps were not applied',
    wayOn: () => [{ code: 'flagwright apply' }, ' applies them'],
  },
  switched_off: {
    why: 'the flag is switched off in the service, and no manifest declares whether it is on',
    wayOn: () => ['to continue, switch it on in the service, or declare ', { code: 'active: true' }, ' and apply that'],
  },
  recorded_later: {
    why: 'its last step is recorded in the future',
    wayOn: () => [{ code: 'flagwright apply' }, ' records it as made now'],
  },
  unknown_origin: {
    why: 'no recorded run made this step, so somebody may have made it by hand',
    wayOn: (name) => [
      { code: 'done: true' },
      ' at the step in the manifest says that somebody made it, ',
      { code: `flagwright apply --target ${name} --override ${name}` },
      ' reverts it',
    ],
  },
  refused: {
    why: 'a rule refuses its step',
    wayOn: (name) => [{ code: `flagwright apply --target ${name}` }, ' makes it once the rule allows it'],
  },
  guarded: {
    why: 'its guard does not let the next step through',
    wayOn: () => ['the next run looks again; nothing is turned off'],
  },
};

export function rolloutsContinueText(keys: readonly string[]): string {
  return keys.length === 1
    ? `the rollout of ${keysText(keys)} continues`
    : `the rollouts of ${keysText(keys)} continue`;
}

export function overdueText(amount: number): string {
  return `${count(amount, 'rollout')} overdue`;
}

export function shareText({ least, most }: ShareOn): string {
  return least === most ? `${most}% of everyone` : `${least}% to ${most}% of everyone`;
}

/** What it does and to whom, a line each, without full stops. */
export function scheduledTexts(scheduled: ScheduledEffects, quote: Quote = quoteShort): string[] {
  const { key, until, effects = [], dormant, impact = [], approval, outcome } = scheduled;
  return [
    ...(approval === undefined ? [] : [approvalStateText({ ...scheduled, approval }, quote)]),
    ...(until === undefined ? [] : [`repeats until ${quote(timeText(until))}`]),
    ...(outcome === 'made' && scheduled.effects?.length === 0
      ? ['changes nothing, since the flag will already have this value']
      : []),
    ...(outcome === 'refused' ? ['the service will refuse it, since the flag will not allow it'] : []),
    ...(outcome === 'unknown' ? ['what it changes is not known to this release'] : []),
    ...effects.map((effect) => effectLine(effect, quote)),
    ...(dormant === true ? ['the flag is disabled before and after: nobody is affected yet'] : []),
    ...impact.flatMap((found) => {
      const name = found.key === key ? 'impact' : `${quote(found.key)} ${throughText(found)}`;
      return impactTexts(found).map((text) => `${name}: ${text}`);
    }),
  ];
}

/** `waits for approval: change request 01980c5e of ada@example.org, not decided yet`. */
function approvalStateText(
  { approval: { request, state }, by, repeats }: ScheduledEffects & Required<Pick<ScheduledEffects, 'approval'>>,
  quote: Quote,
): string {
  const named = `change request ${quote(request)}${by === undefined ? '' : ` of ${quote(by)}`}`;
  if (state === 'pending')
    return `waits for approval: ${named} is not decided yet, and without a decision it is not made`;
  if (state === 'approved') return `approved: ${named}`;
  return `${repeats === undefined ? 'not made' : 'not made the next time'}: ${named} is ${quote(state)}`;
}
