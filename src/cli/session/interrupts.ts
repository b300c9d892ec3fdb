/** Ctrl-C, SIGTERM and `--deadline` as two signals: one that starts nothing new, one that ends what is under way. */

import { setImmediate as turn } from 'node:timers/promises';
import { FlagwrightError } from '../../base/errors.ts';
import { startTimer, type Timer } from '../../base/timer.ts';
import type { Context } from './context.ts';

export interface Interrupts {
  /** Aborts at the first signal or at the deadline; the reason is a `FlagwrightError`. */
  readonly stop: AbortSignal;
  /** Ends requests under way: with `stop`, or once draining, at the second signal or after the grace. */
  readonly cut: AbortSignal;
  /** For long computations, during which no timer fires: throws the reason of `stop` once it aborted or the deadline passed. */
  readonly checkpoint: () => void;
  /** The same, after whatever waited for its turn, a signal for example. */
  readonly breathe: () => Promise<void>;
  /** While it holds, `stop` lets what was begun finish; otherwise it ends everything. */
  drain(holds: boolean): void;
  dispose(): void;
}

export interface InterruptOptions {
  readonly deadlineMs?: number;
  /** Called once, when there is something to finish. */
  readonly onDrain: (reason: FlagwrightError) => void;
}

/** How long a change that was begun may take to finish; build systems kill a job soon after. */
const DRAIN_GRACE_MS = 10_000;

export function listenForInterrupts(context: Pick<Context, 'onStopSignal'>, options: InterruptOptions): Interrupts {
  const stop = new AbortController();
  const cut = new AbortController();
  const timers: Timer[] = [];
  let draining = false;

  const halt = (reason: FlagwrightError): void => {
    if (stop.signal.aborted) return cut.abort(stop.signal.reason);
    stop.abort(reason);
    if (!draining) return cut.abort(reason);
    options.onDrain(reason);
    timers.push(startTimer(DRAIN_GRACE_MS, () => cut.abort(reason)));
  };
  const removeListener = context.onStopSignal(() => halt(new FlagwrightError('interrupted', 'Interrupted.')));
  const { deadlineMs = Infinity } = options;
  const ends = performance.now() + deadlineMs;
  if (deadlineMs < Infinity) timers.push(startTimer(deadlineMs, () => halt(deadlinePassed()), { unref: true }));
  const checkpoint = (): void => {
    if (!stop.signal.aborted && performance.now() >= ends) halt(deadlinePassed());
    stop.signal.throwIfAborted();
  };
  return {
    stop: stop.signal,
    cut: cut.signal,
    checkpoint,
    breathe: async () => {
      await turn();
      checkpoint();
    },
    drain: (holds) => {
      draining = holds;
    },
    dispose: () => {
      removeListener();
      for (const timer of timers) timer.cancel();
    },
  };
}

function deadlinePassed(): FlagwrightError {
  return new FlagwrightError('deadline', 'The deadline passed.', { remedy: 'Allow more time with --deadline.' });
}
