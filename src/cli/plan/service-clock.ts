/** The time of the service, by the `Date` of its answers. Steps of rollouts are made by it, and not by the clock of the machine that runs. */

import { FlagwrightError } from '../../base/errors.ts';
import type { ServiceEvent } from '../../posthog/client/events.ts';
import type { Moment } from '../../rollout/rollout.ts';
import type { Session } from '../session/session.ts';
import type { MakingOptions } from './plan-states.ts';

export interface ServiceClock {
  readonly onEvent: (event: ServiceEvent) => void;
  /** Milliseconds since 1970; the time of this machine until the service answered. */
  now(): number;
  /** How far this machine is behind the service, in ms; `undefined` until the service answered with its time. */
  offsetMs(): number | undefined;
}

export function watchServiceClock(here: () => number, onEvent: (event: ServiceEvent) => void): ServiceClock {
  let offset: number | undefined;
  return {
    onEvent: (event) => {
      if (event.kind === 'response' && event.serviceTime !== undefined) offset = event.serviceTime - here();
      onEvent(event);
    },
    now: () => here() + (offset ?? 0),
    offsetMs: () => offset,
  };
}

/** Further off than this, the clock of this machine is wrong, or the service's: then no step is made. */
const MOST_OFF_MS = 60_000;

/** @throws {FlagwrightError} `refused` for a run that only makes steps, and cannot tell the time. */
export function momentOf(
  clock: ServiceClock,
  { due, at }: Pick<MakingOptions, 'due' | 'at'>,
): Pick<Moment, 'now' | 'reach'> {
  if (at !== undefined) return { now: at, reach: 'planned' };
  const why = whyNoStep(clock);
  if (due === true && why !== undefined) throw new FlagwrightError('refused', `${why}.`, { remedy: SET_CLOCK });
  return { now: clock.now(), reach: why === undefined ? 'due' : 'applied' };
}

const SET_CLOCK = 'Set the clock of this machine; `flagwright doctor` compares them.';

function whyNoStep(clock: ServiceClock): string | undefined {
  const offset = clock.offsetMs();
  if (offset === undefined) return 'The service does not say its time, so no step of a rollout is made';
  if (Math.abs(offset) <= MOST_OFF_MS) return undefined;
  const seconds = Math.round(Math.abs(offset) / 1000);
  return `The clock of this machine and that of the service differ by ${seconds} s, so no step of a rollout is made`;
}

export async function noteClock(session: Session, clock: ServiceClock): Promise<void> {
  const why = whyNoStep(clock);
  const { palette } = session;
  if (why !== undefined)
    await session.note(`${palette.warning('warning')}  ${why}.\n  ${palette.dim('→')} ${SET_CLOCK}\n`);
}
