/** Progress on stderr: one rewritten line on a terminal, elsewhere a line every ten seconds. */

import type { ApplyProgress } from '../../loop/apply/recorder.ts';
import { startTimer, type Timer } from '../../base/timer.ts';
import type { ServiceEvent } from '../../posthog/client/events.ts';
import { statusOf } from '../../posthog/client/failure-table.ts';
import { escapeLine } from '../../report/escape.ts';
import { finishedText, progressText } from '../../report/formats/text/progress.ts';
import { count, durationText, wholeSecondsText } from '../../report/words/amounts.ts';
import type { Session } from './session.ts';

export interface ProgressReporter {
  /** Clears the rewritten line; call it before printing anything else. */
  readonly clear: () => void;
  /** Clears the line for good: no event shows it again. */
  readonly end: () => void;
  readonly onService: (event: ServiceEvent) => void;
  readonly onApply: (event: ApplyProgress) => void;
  readonly onCounted: (people: number) => void;
}

const REWRITE_MS = 100;
const LOG_LINE_MS = 10_000;
/** A run that waits has no events, so its line is also rewritten at this interval. */
const TICK_MS = 1000;

export function createProgress(session: Session): ProgressReporter {
  const line = statusLine(session);
  const { now } = session.context;
  const counts: Counts = { phase: 'reading', requests: 0, done: 0, total: 0, failed: 0, startedAt: 0, notBefore: 0 };
  const waiting = createWaiting();
  const show = (): void => line.show(stateText(counts, waiting, now()));
  let ticker: Timer | undefined;
  const tick = (): void => {
    ticker = startTimer(TICK_MS, () => (show(), tick()), { unref: true });
  };
  const clear = (): void => {
    ticker?.cancel();
    ticker = undefined;
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
      if (!session.options.quiet && ticker === undefined) tick();
      if (event.kind === 'ahead') line.print(aheadText(event));
      else if (session.options.verbose && event.kind !== 'request') {
        line.print(
          event.kind === 'response'
            ? `${event.method} ${escapeLine(event.path)} ${event.status ?? 'no answer'} ${Math.round(event.ms)} ms`
            : waitText(event),
        );
      }
      show();
    },
    onApply: (event) => {
      countChange(counts, event, now());
      if (event.kind === 'finished' && session.options.verbose) {
        line.print(finishedText(event.change, event.result, session.palette));
      }
      show();
    },
    onCounted: (people) => line.show(`counting · ${count(people, 'person', 'people')}`),
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

function stateText(counts: Counts, waiting: Waiting, now: number): string {
  const waitingFor = waiting.text(now);
  if (counts.phase === 'applying') {
    const { done, total, failed } = counts;
    const leastMs = Math.max(0, counts.notBefore - now);
    const elapsedMs = now - counts.startedAt;
    const pausedMs = waiting.pausedMs(now);
    return `applying · ${progressText({ done, total, failed, elapsedMs, pausedMs, leastMs, waitingFor })}`;
  }
  return [counts.phase, count(counts.requests, 'request'), waitingFor].filter((one) => one !== undefined).join(' · ');
}

interface ProgressLine {
  /** Shows the latest state, if enough time has passed. */
  show(text: string): void;
  /** Prints a line that stays. */
  print(text: string): void;
  readonly clear: () => void;
}

const SILENT: ProgressLine = { show: () => undefined, print: () => undefined, clear: () => undefined };

export function statusLine(session: Session): ProgressLine {
  if (session.options.quiet) return SILENT;
  const {
    context: { stderr, now },
    showLine,
  } = session;
  const interval = showLine ? REWRITE_MS : LOG_LINE_MS;
  let shownAt = showLine ? 0 : now();
  return {
    show: (text) => {
      if (now() - shownAt < interval) return;
      shownAt = now();
      if (showLine) showLine(text.slice(0, stderr.columns - 1));
      else void session.print(`${text}\n`);
    },
    print: (text) => void session.print(`${text}\n`),
    clear: () => void session.print(''),
  };
}

/** The reason that a run waits, from the client's events, in words for the progress line and the log. */
export interface Waiting {
  note(event: Exclude<ServiceEvent, { readonly kind: 'ahead' }>, now: number): void;
  /** The reason that the run waits; `undefined` while requests are answered. */
  text(now: number): string | undefined;
  pausedMs(now: number): number;
}

type Retry = Extract<ServiceEvent, { readonly kind: 'retry' }>;

/** A request without an answer for a shorter time is not worth a word. */
const QUIET_MS = 3000;

export function createWaiting(): Waiting {
  let pausedUntil = 0;
  let budgetUntil = 0;
  let inFlight = 0;
  /** The time of the last answer, or of the first request after it. */
  let quietSince: number | undefined;
  let retry: (Retry & { readonly until: number }) | undefined;

  return {
    note(event, now) {
      switch (event.kind) {
        case 'request':
          inFlight += 1;
          quietSince ??= now;
          break;
        case 'response':
          inFlight -= 1;
          if (event.status === undefined) break;
          quietSince = inFlight > 0 ? now : undefined;
          if (event.status < 500) retry = undefined;
          break;
        case 'retry':
          retry = { ...event, until: now + event.waitMs };
          break;
        case 'pause':
          pausedUntil = Math.max(pausedUntil, now + event.waitMs);
          break;
        case 'budget':
          budgetUntil = Math.max(budgetUntil, now + event.waitMs);
          break;
      }
    },
    text(now) {
      const quietMs = now - (quietSince ?? now);
      if (pausedUntil > now) return pauseText(wholeSecondsText(pausedUntil - now));
      if (retry !== undefined) {
        const wait = retry.until - now;
        return `${attemptText(retry, quietMs)}${wait > 0 ? ` in ${wholeSecondsText(wait)}` : ''}`;
      }
      if (inFlight > 0) return quietMs < QUIET_MS ? undefined : quietText(quietMs);
      return budgetUntil > now ? budgetText(wholeSecondsText(budgetUntil - now)) : undefined;
    },
    pausedMs: (now) => Math.max(0, pausedUntil - now),
  };
}

/** A wait as it begins, for `--verbose`. */
export function waitText(event: Extract<ServiceEvent, { readonly kind: 'retry' | 'pause' | 'budget' }>): string {
  const wait = durationText(event.waitMs);
  switch (event.kind) {
    case 'retry':
      return `${event.operation}: ${attemptText(event, 0)} in ${wait}`;
    case 'pause':
      return pauseText(wait);
    case 'budget':
      return budgetText(wait);
  }
}

/** What a run says before it waits for its own requests. */
export function aheadText({ requests, waitMs }: Extract<ServiceEvent, { readonly kind: 'ahead' }>): string {
  return `About ${count(requests, 'request')} follow, with about ${wholeSecondsText(waitMs)} of waiting under the limit of the service.`;
}

const pauseText = (wait: string): string => `429, waiting ${wait}`;
const budgetText = (wait: string): string => `waiting ${wait} for the request budget`;
const quietText = (ms: number): string => `no answer for ${wholeSecondsText(ms)}`;

/** `503, attempt 2 of 5`, `no answer for 30 s, attempt 2 of 5`. */
function attemptText({ why, attempt, attempts }: Retry, quietMs: number): string {
  const cause =
    why.kind === 'timeout'
      ? quietText(Math.max(why.timeoutMs, quietMs))
      : why.kind === 'network'
        ? escapeLine(why.code)
        : String(statusOf(why) ?? why.kind);
  return `${cause}, attempt ${attempt} of ${attempts}`;
}
