/** What a run costs when nothing fails: requests, time, and share of the organisation's request budget. */

import { defined } from '../base/optional.ts';

/** As in the plan's document. */
export interface Forecast {
  /** Reading again, writing and verifying. Exact where a page holds 100 flags, and one page all archived ones. */
  readonly requests: number;
  /** The longer of what budget and latency ask for. */
  readonly seconds: number;
  /** Of what the service allows the organisation per hour; absent where no budget is shared. */
  readonly hour_percent?: number;
}

export interface RunConditions {
  /** Requests in flight. */
  readonly concurrency: number;
  /** Of one request; default 0. */
  readonly latencyMs?: number;
  readonly budget?: ForecastBudget;
}

export interface ForecastBudget {
  readonly requestsPerHour?: number;
  /** The least time in milliseconds until this many requests can have been sent. */
  leastMs(requests: number): number;
}

/** `rounds`: the requests that go side by side, one round after the other. */
export function forecastRounds(rounds: readonly number[], conditions: RunConditions): Forecast {
  const { concurrency, latencyMs = 0, budget } = conditions;
  const requests = rounds.reduce((sum, round) => sum + round, 0);
  const turns = rounds.reduce((sum, round) => sum + Math.ceil(round / concurrency), 0);
  const ms = Math.max(turns * latencyMs, budget?.leastMs(requests) ?? 0);
  const perHour = budget?.requestsPerHour;
  return {
    requests,
    seconds: roundToTenth(ms / 1000),
    ...defined({ hour_percent: perHour === undefined ? undefined : roundToTenth((requests / perHour) * 100) }),
  };
}

function roundToTenth(number: number): number {
  return Math.round(number * 10) / 10;
}
