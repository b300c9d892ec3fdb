/** The service's clock: it runs on from a time, and is moved forward by hand. */

import { FlagwrightError } from '../../../src/base/errors.ts';

/** Moves the time of a running service; it never goes back. What is scheduled for the time in between runs at its time, in order. */
export interface ServiceClock {
  readonly now: () => Date;
  /** Throws `FlagwrightError` with code `usage` for an earlier time, or one more than 366 days ahead. */
  readonly set: (time: Date) => void;
  readonly advance: (milliseconds: number) => void;
}

/** The clock that handlers read, and the move that runs nothing. */
export interface BareClock {
  readonly now: () => Date;
  readonly moveTo: (time: Date) => void;
}

/** A longer step might run a change of every minute for hours. */
const LONGEST_STEP_MS = 366 * 24 * 60 * 60 * 1000;

export function createClock(real: () => Date, startAt?: Date): BareClock {
  let ahead = startAt === undefined ? 0 : startAt.getTime() - real().getTime();
  const now = (): Date => new Date(real().getTime() + ahead);
  return {
    now,
    moveTo: (time) => {
      ahead += Math.max(0, time.getTime() - now().getTime());
    },
  };
}

/** `pass`: moves the clock to the time, through everything that happens until then. */
export function movedByHand({ now }: BareClock, pass: (time: Date) => void): ServiceClock {
  const set = (time: Date): void => {
    const step = time.getTime() - now().getTime();
    if (!(step >= 0)) throw refused(`It is ${now().toISOString()} already, and time only moves forward`);
    if (step > LONGEST_STEP_MS) throw refused('The clock moves at most 366 days at once');
    pass(time);
  };
  return { now, set, advance: (milliseconds) => set(new Date(now().getTime() + milliseconds)) };
}

function refused(message: string): FlagwrightError {
  return new FlagwrightError('usage', `${message}.`);
}
