/** Progress on stderr: one rewritten line on a terminal, elsewhere a line every ten seconds. */

import type { ApplyProgress } from '../../apply/recorder.ts';
import { startTimer, type Timer } from '../../base/timer.ts';
import type { ServiceEvent } from '../../posthog/client/events.ts';
import { escapeLine } from '../../report/escape.ts';
import { finishedText, progressText } from '../../report/formats/text/progress.ts';
import { count } from '../../report/words/amounts.ts';
import type { Session } from './session.ts';
import { aheadText, createWaiting, waitText, type Waiting } from './waiting.ts';

export interface ProgressReporter {
  /** Clears the rewritten line; call it before printing anything else. */
  readonly clear: () => void;
  /** Clears the line for good: no event shows it again. */
  readonly end: () => void;
  readonly onService: (event: ServiceEvent) => void;
  readonly onApply: (event: ApplyProgress) => void;
}

const REWRITE_MS = 100;
const LOG_LINE_MS = 10_000;
/** A run that waits has no events, so its line is also rewritten at this interval. */
const TICK_MS = 1000;

export function createProgress(session: Session): ProgressReporter {
  const line = session.options.quiet ? silentLine() : statusLine(session);
  const { now } = session.context;
  const counts: Counts = {
    phase: 'reading',
    requests: 0,
    done: 0,
    total: 0,
    failed: 0,
    startedAt: 0,
    notBefore: 0,
  };
  const waiting = createWaiting();
  const show = (): void => line.show(stateText(counts, waiting, now()));
  const ticker = createTicker(show);
  const clear = (): void => {
    ticker.stop();
    line.clear();
  };
  let hasEnded = false;
  return {
    clear,
    end: () => {
      hasEnded = true;
      clear();
    },
    onService: (event) => {
      if (hasEnded) return;
      if (event.kind === 'request') counts.requests += 1;
      if (event.kind !== 'ahead') waiting.note(event, now());
      if (!session.options.quiet) ticker.start();
      if (event.kind === 'ahead') line.print(aheadText(event));
      else if (session.options.verbose) line.print(serviceText(event));
      show();
    },
    onApply: (event) => {
      countChange(counts, event, now());
      if (event.kind === 'finished' && session.options.verbose) {
        line.print(finishedText(event.change, event.result, session.palette));
      }
      show();
    },
  };
}

interface Counts {
  phase: 'reading' | 'applying' | 'verifying';
  requests: number;
  done: number;
  total: number;
  failed: number;
  startedAt: number;
  /** The earliest time at which the request budget allows the changes to be done. */
  notBefore: number;
}

function countChange(counts: Counts, event: ApplyProgress, now: number): void {
  switch (event.kind) {
    case 'reading':
    case 'verifying':
      counts.phase = event.kind;
      break;
    case 'started':
      if (counts.phase !== 'applying') counts.startedAt = now;
      counts.phase = 'applying';
      counts.total = event.total;
      counts.notBefore = now + event.leastMs;
      break;
    case 'finished':
      counts.done = event.done;
      counts.notBefore = now + event.leastMs;
      if (event.result.outcome === 'failed') counts.failed += 1;
      break;
  }
}

interface Ticker {
  start(): void;
  stop(): void;
}

function createTicker(tick: () => void): Ticker {
  let timer: Timer | undefined;
  const wait = (): void => {
    timer = startTimer(
      TICK_MS,
      () => {
        tick();
        wait();
      },
      { unref: true },
    );
  };
  return {
    start: () => {
      if (timer === undefined) wait();
    },
    stop: () => {
      timer?.cancel();
      timer = undefined;
    },
  };
}

function stateText(counts: Counts, waiting: Waiting, now: number): string {
  const waitingFor = waiting.text(now);
  if (counts.phase === 'applying') {
    const { done, total, failed } = counts;
    const leastMs = Math.max(0, counts.notBefore - now);
    const elapsedMs = now - counts.startedAt;
    const pausedMs = waiting.pausedMs(now);
    return `applying · ${progressText({ done, total, failed, elapsedMs, pausedMs, leastMs, waitingFor })}`;
  }
  return [counts.phase, count(counts.requests, 'request'), ...(waitingFor === undefined ? [] : [waitingFor])].join(
    ' · ',
  );
}

function serviceText(event: Exclude<ServiceEvent, { readonly kind: 'ahead' }>): string | undefined {
  switch (event.kind) {
    case 'request':
      return undefined;
    case 'response':
      return `${event.method} ${escapeLine(event.path)} ${event.status ?? 'no answer'} ${Math.round(event.ms)} ms`;
    case 'retry':
    case 'pause':
    case 'budget':
      return waitText(event);
  }
}

interface ProgressLine {
  /** Shows the latest state, if enough time has passed. */
  show(text: string): void;
  /** Prints a line that stays. */
  print(text: string | undefined): void;
  readonly clear: () => void;
}

function silentLine(): ProgressLine {
  return { show: () => undefined, print: () => undefined, clear: () => undefined };
}

function statusLine(session: Session): ProgressLine {
  const { stderr, now } = session.context;
  const interval = stderr.isTerminal ? REWRITE_MS : LOG_LINE_MS;
  let shownAt = stderr.isTerminal ? 0 : now();
  let shown = false;
  const erase = (): string => (shown ? '\r\u001b[2K' : '');
  return {
    show: (text) => {
      if (now() - shownAt < interval) return;
      shownAt = now();
      if (!stderr.isTerminal) return void session.print(`${text}\n`);
      void session.print(`${erase()}${text.slice(0, stderr.columns - 1)}`);
      shown = true;
    },
    print: (text) => {
      if (text === undefined) return;
      void session.print(`${erase()}${text}\n`);
      shown = false;
    },
    clear: () => {
      if (shown) void session.print(erase());
      shown = false;
    },
  };
}
