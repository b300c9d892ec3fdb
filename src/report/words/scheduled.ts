/** Sentences about what the service will change by itself. */

import type { Quote } from '../../engine/labels.ts';
import type { ScheduledEffects } from '../../impact/scheduled.ts';
import type { FlagImpact } from '../../impact/impact.ts';
import { quoteShort } from '../escape.ts';
import { classesText, effectText } from './effects.ts';
import { impactTexts, throughText } from './impact.ts';
import { timeText } from './times.ts';

/** What it does and to whom, a line each, without full stops. */
export function scheduledTexts(scheduled: ScheduledEffects, quote: Quote = quoteShort): string[] {
  const { until, effects = [], dormant, impact = [], approval } = scheduled;
  return [
    ...(approval === undefined ? [] : [approvalStateText({ ...scheduled, approval }, quote)]),
    ...(until === undefined ? [] : [`repeats until ${quote(timeText(until))}`]),
    ...outcomeTexts(scheduled),
    ...effects.map((effect) => `${classesText(effect.classes)}: ${effectText(effect, quote)}`),
    ...(dormant === true ? ['the flag is disabled before and after: nobody is affected yet'] : []),
    ...impact.flatMap((one) => impactOf(one, scheduled, quote)),
  ];
}

function impactOf(found: FlagImpact, { key }: ScheduledEffects, quote: Quote): string[] {
  const name = found.key === key ? 'impact' : `${quote(found.key)} ${throughText(found)}`;
  return impactTexts(found).map((text) => `${name}: ${text}`);
}

function outcomeTexts({ outcome, effects }: ScheduledEffects): string[] {
  switch (outcome) {
    case 'made':
      return effects?.length === 0 ? ['changes nothing, since the flag will already be so'] : [];
    case 'refused':
      return ['the service will refuse it, since the flag will not allow it'];
    case 'unknown':
      return ['what it changes is not known to this release'];
    case 'not_approved':
      return [];
  }
}

type Bound = ScheduledEffects & Required<Pick<ScheduledEffects, 'approval'>>;

/** `waits for approval: change request 01980c5e of ada@example.org, not decided yet`. */
function approvalStateText({ approval: { request, state }, by, repeats }: Bound, quote: Quote): string {
  const named = `change request ${quote(request)}${by === undefined ? '' : ` of ${quote(by)}`}`;
  if (state === 'pending')
    return `waits for approval: ${named} is not decided yet, and without a decision it is not made`;
  if (state === 'approved') return `approved: ${named}`;
  return `${repeats === undefined ? 'not made' : 'not made the next time'}: ${named} is ${quote(state)}`;
}
