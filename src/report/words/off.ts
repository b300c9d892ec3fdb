/** The sentences about flags that `off` turned off, and about what uses a flag that changes. */

import type { Quote } from '../../engine/labels.ts';
import type { UseAffected } from '../../posthog/flag/change.ts';
import type { PlanWarning } from '../../posthog/plan.ts';
import type { TurnedOff } from '../../posthog/flag/snapshot.ts';
import { experimentsText, keysText, timeText } from './amounts.ts';

/** `"checkout" was turned off by ada@laptop on … with off (run …): "incident 12". The plan would turn it on again.` */
export function turnedOffText(
  { key, deleted, off }: { readonly key: string; readonly deleted?: true; readonly off: TurnedOff },
  quote: Quote,
): string {
  const run = `\`flagwright off\` (run ${quote(off.run)})`;
  const who = off.by === undefined ? undefined : quote(off.by);
  const reason = reasonTail(off, quote);
  // Somebody deleted it afterwards.
  const restores = deleted === true ? 'restore it, now deleted, and ' : '';
  if (off.already === true) {
    return `${quote(key)} was off already when ${who ?? 'somebody'} ran ${run} on ${timeText(off.at)}${reason}. The plan would ${restores}turn it on`;
  }
  const act = off.paths.includes('/active') ? 'turned off' : 'set to 0%';
  return `${quote(key)} was ${act}${who === undefined ? '' : ` by ${who}`} on ${timeText(off.at)} with ${run}${reason}. The plan would ${restores}revert that`;
}

/** `: "incident 12"`. */
export function reasonTail({ reason }: { readonly reason?: string | undefined }, quote: Quote): string {
  return reason === undefined ? '' : `: ${quote(reason)}`;
}

export function offWarningText(warning: Extract<PlanWarning, { code: 'off_affects' }>, quote: Quote): string {
  const { key, encrypted, format } = warning;
  const parts = [
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

export function useText(warning: UseAffected, quote: Quote): string {
  const { key, action, experiments = [], linked = [], surveys = [], replay, enrolment } = warning;
  const [runs, gets] = experiments.length === 1 ? ['runs', 'gets'] : ['run', 'get'];
  const parts = [
    ...(experiments.length === 0 ? [] : [`${experimentsText(experiments)} ${runs} on it${EXPERIMENTS[action](gets)}`]),
    ...(linked.length === 0
      ? []
      : [
          `it is linked to ${experimentsText(linked)}, and the service does not say whether ${linked.length === 1 ? 'it runs' : 'they run'}`,
        ]),
    ...(surveys.length === 0
      ? []
      : [
          `${surveys.length === 1 ? 'the survey' : 'the surveys'} ${keysText(surveys, quote)} ${surveys.length === 1 ? 'is' : 'are'} shown only to people who have it, so to nobody`,
        ]),
    ...(replay === undefined ? [] : [`the settings of session replay name it${REPLAY[action] ?? ''}`]),
    ...(enrolment === undefined
      ? []
      : ['people enrolled under its former key, so they are not enrolled under the new one']),
  ];
  return `${quote(key)}: ${parts.join('; ')}.`;
}

const EXPERIMENTS: Readonly<Record<UseAffected['action'], (gets: string) => string>> = {
  disable: (gets) => ` and ${gets} no new people`,
  delete: () => '',
  rename: () => ': everybody is assigned anew under the new key',
  shares: () => ': its variants get other shares',
};

const REPLAY: Readonly<Partial<Record<UseAffected['action'], string>>> = {
  disable: ', so nobody is recorded because of it',
  rename: ' by its former key',
};
