/** The sentences about flags that `off` turned off. */

import type { Quote } from '../../engine/labels.ts';
import type { PlanWarning } from '../../posthog/plan.ts';
import type { TurnedOff } from '../../posthog/flag/turned-off.ts';
import { experimentsText } from './amounts.ts';
import { timeText } from './times.ts';

/** `"checkout" was turned off by ada@laptop on … with off (run …): "incident 12". The plan would turn it on again.` */
export function turnedOffText({ key, deleted, off }: ToTell, quote: Quote): string {
  const by = off.by === undefined ? '' : ` by ${quote(off.by)}`;
  const act = isSwitch(off) ? 'turned off' : 'set to 0%';
  const run = `\`flagwright off\` (run ${quote(off.run)})`;
  return `${quote(key)} was ${act}${by} on ${timeText(off.at)} with ${run}${reasonTail(off, quote)}. The plan would ${deleted === true ? 'restore it, now deleted, and ' : ''}revert that`;
}

interface ToTell {
  readonly key: string;
  /** Somebody deleted it afterwards. */
  readonly deleted?: true;
  readonly off: TurnedOff;
}

/** `: "incident 12"`. */
export function reasonTail({ reason }: { readonly reason?: string | undefined }, quote: Quote): string {
  return reason === undefined ? '' : `: ${quote(reason)}`;
}

function isSwitch({ paths }: TurnedOff): boolean {
  return paths.includes('/active');
}

export function offWarningText(warning: Extract<PlanWarning, { code: 'off_affects' }>, quote: Quote): string {
  const { key, experiments, linked, encrypted, format } = warning;
  const parts = [
    ...(experiments === undefined
      ? []
      : [
          `${experimentsText(experiments)} ${experiments.length === 1 ? 'runs on it and gets' : 'run on it and get'} no new people`,
        ]),
    ...(linked === undefined
      ? []
      : [
          `it is linked to ${experimentsText(linked)}, and the service does not say whether ${linked.length === 1 ? 'it runs' : 'they run'}`,
        ]),
    ...(encrypted === undefined
      ? []
      : ['its encrypted payloads stay as they are, and nobody gets them while it is off']),
    ...(format === undefined
      ? []
      : [
          `its filters have format version ${quote(format)}, so the service refuses this while an approval policy is enabled for writes of flags, and opens no change request (disable the policy first); only a project that PostHog has opened for the format can turn it on again`,
        ]),
  ];
  return `${quote(key)}: ${parts.join('; ')}.`;
}
