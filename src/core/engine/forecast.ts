/** The cost of a run in which nothing fails: requests, time, and share of the organization's request budget. */

import { defined } from '../../base/optional.ts';

/** The members are those of the plan's document. */
export interface Forecast {
  /** Reading again, writing and verifying. Exact where a page holds 500 flags, and one page all archived ones. */
  readonly requests: number;
  /** The longer of the times that budget and latency require. */
  readonly seconds: number;
  /** Percent of the organization's hourly allowance; absent if no budget is shared. */
  readonly hour_percent?: number;
}

/** Concurrent requests; the rounds follow one after the other. */
export interface RequestRound {
  readonly requests: number;
  /** A page of a list takes longer than one resource. */
  readonly of: 'page' | 'one';
}

export interface RunConditions {
  /** Requests in flight. */
  readonly concurrency: number;
  /** Milliseconds until one resource is read or written; default 0. */
  readonly latencyMs?: number;
  /** Milliseconds until a page of a list is read; default `latencyMs`. */
  readonly pageLatencyMs?: number;
  readonly budget?: ForecastBudget;
}

export interface ForecastBudget {
  readonly requestsPerHour?: number;
  /** The least time in milliseconds until this many requests can have been sent. */
  leastMs(requests: number): number;
}

export function forecastRounds(rounds: readonly RequestRound[], conditions: RunConditions): Forecast {
  const { concurrency, latencyMs = 0, pageLatencyMs = latencyMs, budget } = conditions;
  const requests = rounds.reduce((sum, round) => sum + round.requests, 0);
  const waitMs = rounds.reduce(
    (sum, round) => sum + Math.ceil(round.requests / concurrency) * (round.of === 'page' ? pageLatencyMs : latencyMs),
    0,
  );
  const ms = Math.max(waitMs, budget?.leastMs(requests) ?? 0);
  const perHour = budget?.requestsPerHour;
  return {
    requests,
    seconds: roundToTenth(ms / 1000),
    ...defined({ hour_percent: perHour === undefined ? undefined : roundToTenth((requests / perHour) * 100) }),
  };
}

export function pages(requests: number): RequestRound {
  return { requests, of: 'page' };
}

export function singles(requests: number): RequestRound {
  return { requests, of: 'one' };
}

function roundToTenth(number: number): number {
  return Math.round(number * 10) / 10;
}
