/** The value of `serve --rate-limit`: a number of requests per window. */

import { memberOf } from '../../base/json.ts';
import { InvalidArgumentError } from 'commander';
import type { Parameter } from './parameters.ts';

export interface RateLimitOption {
  readonly requests: number;
  readonly windowMs: number;
}

const WINDOWS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000 };

export const RATE_LIMIT: Parameter<RateLimitOption | undefined> = {
  syntax: '--rate-limit <n/unit>',
  description: 'respond with 429 above this rate: 480/m, 10/s, 4800/h',
  parse: parseRateLimit,
};

/** `480/m`: per second, minute or hour. */
function parseRateLimit(text: string): RateLimitOption {
  const [, requests = '', unit = ''] = /^(\d+)\/([smh])$/.exec(text) ?? [];
  const windowMs = memberOf(WINDOWS, unit);
  if (windowMs === undefined || Number(requests) < 1) {
    throw new InvalidArgumentError('It must be a number of requests per second, minute or hour, such as 480/m.');
  }
  return { requests: Number(requests), windowMs };
}
