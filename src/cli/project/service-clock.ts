/** The time of the service, from the `Date` of its answers. It decides about steps of rollouts, not the clock of this machine. */

import { FlagwrightError } from '../../base/errors.ts';
import { MOST_OFF_MS } from '../../base/times.ts';
import type { ServiceEvent } from '../../posthog/client/events.ts';
import { quoteShort } from '../../report/escape.ts';
import { spanText, timeText } from '../../report/words/amounts.ts';
import type { Moment, PlannedRollout } from '../../core/rollout/rollout.ts';
import type { AtOption, PlanningOptions } from '../line/options.ts';
import { labeled, type Session } from '../session/session.ts';

export interface ServiceClock {
  readonly onEvent: (event: ServiceEvent) => void;
  /** Milliseconds since 1970, the earliest that an answer allows; the time of this machine until the service answered. */
  readonly now: () => number;
  /** The largest difference between an answer and this machine that is certain, in ms; `undefined` until an answer had a time. */
  readonly differenceMs: () => number | undefined;
}

export function watchServiceClock(here: () => number, onEvent: (event: ServiceEvent) => void): ServiceClock {
  const seen: { readonly lead: number; readonly difference: number }[] = [];
  return {
    onEvent: (event) => {
      if (event.kind === 'response' && event.serviceTime !== undefined) {
        const receivedAt = here();
        const difference = clockDifference({ receivedAt, ms: event.ms }, event.serviceTime);
        seen.push({ lead: event.serviceTime - receivedAt, difference });
      }
      onEvent(event);
    },
    // Hosts behind one address may disagree: a step must not be early by any of them.
    now: () => here() + (seen.length === 0 ? 0 : Math.min(...seen.map(({ lead }) => lead))),
    differenceMs: () => seen.map(({ difference }) => difference).toSorted((a, b) => Math.abs(b) - Math.abs(a))[0],
  };
}

/**
 * The milliseconds by which the service is certainly ahead of this machine; negative: behind; 0 where the clocks may agree. The service
 * wrote its time, cut to a second, at some time between sending and receiving.
 */
export function clockDifference(
  { receivedAt, ms }: { readonly receivedAt: number; readonly ms: number },
  serviceTime: number,
): number {
  const least = serviceTime - receivedAt;
  const most = serviceTime + 1000 - (receivedAt - ms);
  if (least <= 0 && most >= 0) return 0;
  return least > 0 ? least : most;
}

/** @throws {FlagwrightError} `refused` if the time is unknown and the run does nothing but make steps. */
export function momentOf(
  clock: ServiceClock,
  { due, at }: Pick<PlanningOptions, 'due'> & AtOption,
): Pick<Moment, 'now' | 'reach'> {
  if (at !== undefined) return { now: at, reach: 'planned' };
  const why = whyNoStep(clock);
  if (due === true && why !== undefined) throw new FlagwrightError('refused', `${why}.`, { remedy: SET_CLOCK });
  return { now: clock.now(), reach: why === undefined ? 'due' : 'applied' };
}

const SET_CLOCK = 'Set the clock of this machine; `flagwright doctor` compares them.';

function whyNoStep(clock: ServiceClock): string | undefined {
  const difference = clock.differenceMs();
  if (difference === undefined) return 'The answers of the service have no time, so no step of a rollout is made';
  if (Math.abs(difference) <= MOST_OFF_MS) return undefined;
  const seconds = Math.round(Math.abs(difference) / 1000);
  return `The clock of this machine and that of the service differ by ${spanText(seconds)}, so no step of a rollout is made`;
}

/** @throws {FlagwrightError} `refused` if the time is unknown and decides at which step a rollout begins. */
export function refuseToBegin(
  rollouts: readonly PlannedRollout[],
  clock: ServiceClock,
  { at, approvedBy }: Pick<PlanningOptions, 'approvedBy'> & AtOption,
): void {
  const why = at === undefined && approvedBy !== undefined ? whyNoStep(clock) : undefined;
  if (why === undefined || !rollouts.some(({ applied, step }) => applied === undefined && step >= 0)) return;
  throw new FlagwrightError('refused', `${why}.`, { remedy: SET_CLOCK });
}

/** @throws {FlagwrightError} `refused` if a run that does nothing but make steps finds that an earlier run had a wrong clock. */
export function refuseRecordedLater(rollouts: readonly PlannedRollout[], { due }: Pick<PlanningOptions, 'due'>): void {
  const later = rollouts.find((one) => one.recorded_later === true);
  if (due !== true || later === undefined) return;
  const time = timeText(later.applied?.at ?? '');
  const words = `A step of ${quoteShort(later.key)} is recorded as made at ${time}, which is later than now, so no step of a rollout is made.`;
  throw new FlagwrightError('refused', words, {
    remedy:
      'Compare the clocks with `flagwright doctor`; if they are right, `flagwright apply` records it as made now.',
  });
}

export async function noteClock(session: Session, clock: ServiceClock): Promise<void> {
  const why = whyNoStep(clock);
  if (why !== undefined) await session.note(labeled(session, 'warning', `${why}.`, SET_CLOCK));
}
