/** Clients for tests: a key to search for, and a clock on which waiting takes no time. */

import { setImmediate } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import type { Clock } from '../../../../src/posthog/client/pace.ts';
import type { ClientOptions } from '../../../../src/posthog/client/connection.ts';
import { createClient, type ServiceClient } from '../../../../src/posthog/service-client.ts';
import { ServiceError } from '../../../../src/posthog/client/service-error.ts';

export const KEY = 'phx_planted/key+0123456789';

export interface SkippingClock extends Clock {
  readonly slept: number[];
}

/** Real time without the sleeps. */
export function skippingClock(): SkippingClock {
  const slept: number[] = [];
  let skippedMs = 0;
  return {
    slept,
    now: () => Date.now() + skippedMs,
    sleep: async (ms, signal) => {
      slept.push(ms);
      skippedMs += ms;
      await setImmediate();
      signal?.throwIfAborted();
    },
  };
}

export function clientFor(host: string, options: Partial<ClientOptions> = {}): ServiceClient {
  const client = createClient({ host, projectId: '1', apiKey: KEY, clock: skippingClock(), ...options });
  onTestFinished(() => client.close());
  return client;
}

/** The error of a call that must fail. */
export async function failureOf(call: Promise<unknown>): Promise<ServiceError> {
  const outcome = await call.then(
    () => new Error('the call succeeded'),
    (error: unknown) => error,
  );
  if (outcome instanceof ServiceError) return outcome;
  throw outcome;
}
