/** Limits the rate of requests in a sliding window, as Django REST Framework does: refused requests do not count. */

import { throttled } from '../handler/envelope.ts';

export interface RateLimit {
  /** Requests answered within any window; each one beyond is answered 429. */
  readonly requests: number;
  readonly windowMs: number;
  /** Whether a 429 carries `Retry-After`, in whole seconds. Default true. */
  readonly retryAfter?: boolean;
}

/** Returns the check to run before each answer; it throws a 429 once the window is full. */
export function createRateLimit(limit: RateLimit | undefined, now: () => Date): () => void {
  if (limit === undefined) return () => undefined;
  const answered: number[] = [];
  return () => {
    const time = now().getTime();
    while (answered[0] !== undefined && answered[0] <= time - limit.windowMs) answered.shift();
    const oldest = answered[0];
    if (answered.length >= limit.requests) {
      const waitMs = oldest === undefined ? limit.windowMs : oldest + limit.windowMs - time;
      throw throttled(Math.ceil(waitMs / 1000), limit.retryAfter ?? true);
    }
    answered.push(time);
  };
}
