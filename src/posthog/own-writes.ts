/** What flagwright itself wrote, as the journal recorded it: to recognise its writes among the edits of users. */

import type { Change } from './plan.ts';

export interface OwnWrite {
  readonly run: string;
  readonly change: Change;
  /** The id of the flag or cohort. */
  readonly id: number;
  /** When the request was sent and answered, ISO 8601, by the clock of this machine. */
  readonly from: string;
  readonly until: string;
}

/** The clocks of the service and of this machine may differ by so much. */
const CLOCK_DIFFERENCE_MS = 60_000;

export function wasWrittenAt({ from, until }: Pick<OwnWrite, 'from' | 'until'>, at: string): boolean {
  const time = Date.parse(at);
  return time >= Date.parse(from) - CLOCK_DIFFERENCE_MS && time <= Date.parse(until) + CLOCK_DIFFERENCE_MS;
}
