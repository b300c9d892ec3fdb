/** The time of the service, by the `Date` of its answers. Steps of rollouts are made by it, and not by the clock of the machine that runs. */

import type { ServiceEvent } from '../../posthog/client/events.ts';

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
