/** The writes of flagwright that the journal recorded, to recognise them among the edits of users. */

import type { ResourceId } from '../../engine/snapshot.ts';
import type { Change } from '../plan.ts';

export interface OwnWrite {
  readonly run: string;
  readonly change: Change;
  /** The id of the resource. */
  readonly id: ResourceId;
  /** When the request was sent and answered, ISO 8601, by the clock of this machine. */
  readonly from: string;
  readonly until: string;
}

/** The clocks of the service and of this machine may differ by so much. */
const CLOCK_DIFFERENCE_MS = 60_000;

type Times = Pick<OwnWrite, 'from' | 'until'>;

export function wasWrittenAt(write: Times, at: string): boolean {
  return distanceTo(write, at) <= CLOCK_DIFFERENCE_MS;
}

/** The milliseconds between a time and the write; 0 while it took place. */
export function distanceTo({ from, until }: Times, at: string): number {
  const time = Date.parse(at);
  return Math.max(0, Date.parse(from) - time, time - Date.parse(until));
}
