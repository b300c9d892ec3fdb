/** The reason that a run waits, from the client's events, in words for the progress line and the log. */

import type { ServiceEvent } from '../../posthog/client/events.ts';
import { statusOf } from '../../posthog/client/failure-table.ts';
import { escapeLine } from '../../report/escape.ts';
import { count } from '../../report/words/amounts.ts';
import { durationText, wholeSecondsText } from '../../report/words/times.ts';

export interface Waiting {
  note(event: Exclude<ServiceEvent, { readonly kind: 'ahead' }>, now: number): void;
  /** The reason that the run waits; `undefined` while requests are answered. */
  text(now: number): string | undefined;
  /** The rest of the pause that the service asked for. */
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

  const onResponse = (status: number | undefined, now: number): void => {
    inFlight -= 1;
    if (status === undefined) return;
    quietSince = inFlight > 0 ? now : undefined;
    if (status < 500) retry = undefined;
  };

  return {
    note(event, now) {
      switch (event.kind) {
        case 'request':
          inFlight += 1;
          quietSince ??= now;
          break;
        case 'response':
          onResponse(event.status, now);
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
  return `${causeText(why, quietMs)}, attempt ${attempt} of ${attempts}`;
}

function causeText(why: Retry['why'], quietMs: number): string {
  if (why.kind === 'timeout') return quietText(Math.max(why.timeoutMs, quietMs));
  if (why.kind === 'network') return escapeLine(why.code);
  return String(statusOf(why) ?? why.kind);
}
