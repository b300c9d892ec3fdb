/** An apply with a request budget, over HTTP: its rate, its pauses and its deadline. */

import { describe, expect, it, onTestFinished } from 'vitest';
import { FlagwrightError } from '../../src/base/errors.ts';
import { startEmbedded, type EmbeddedOptions } from '../../service/src/index.ts';
import { applyPlan } from '../../src/loop/apply/apply-plan.ts';
import type { ApplyProgress } from '../../src/loop/apply/recorder.ts';
import type { Plan } from '../../src/posthog/plan.ts';
import type { ServiceEvent } from '../../src/posthog/client/events.ts';
import type { ClientOptions } from '../../src/posthog/client/connection.ts';
import { createClient, type ServiceClient } from '../../src/posthog/service-client.ts';
import { declared, desiredState, liveState, planFor } from '../helpers/states.ts';
import { createVirtualTime } from '../helpers/virtual-time.ts';

interface Budgeted {
  readonly client: ServiceClient;
  readonly answers: { readonly status: number; readonly method: string }[];
}

/** A service and a client that share a simulated clock. */
async function startInVirtualTime(
  service: Partial<EmbeddedOptions>,
  options: Partial<ClientOptions>,
): Promise<Budgeted> {
  const { clock, now, onEvent } = createVirtualTime();
  return start({ now, ...service }, { clock, onEvent, ...options });
}

async function start(service: Partial<EmbeddedOptions>, options: Partial<ClientOptions>): Promise<Budgeted> {
  const answers: Budgeted['answers'] = [];
  const started = await startEmbedded({
    data: ':memory:',
    now: () => new Date(),
    randomUuid: () => crypto.randomUUID(),
    onRequest: ({ method, status }) => answers.push({ method, status }),
    ...service,
  });
  const client = createClient({ host: started.url, projectId: '1', apiKey: 'phx_test', ...options });
  onTestFinished(async () => {
    await client.close();
    await started.close();
  });
  return { client, answers };
}

function creates(count: number): Plan {
  const flags = Array.from({ length: count }, (_, index) => declared(`flag-${index}`));
  return planFor(desiredState(...flags), liveState([]));
}

const deadline = new FlagwrightError('deadline', 'The deadline passed.');

describe('the rate', () => {
  it('is kept by a thousand creates, which all succeed', async () => {
    const windowMs = 60_000;
    const { client, answers } = await startInVirtualTime(
      { rateLimit: { requests: 480, windowMs } },
      { windows: [{ requests: 384, durationMs: windowMs }] },
    );
    const result = await applyPlan(creates(1000), client, { concurrency: 10 });
    expect(result.outcomes).toMatchObject({ applied: 1000, failed: 0 });
    expect(answers.filter(({ status }) => status === 429)).toEqual([]);
    expect(client.stats().requests).toBe(answers.length);
  });

  it('of the service alone also ends in success: every worker waits out each 429', async () => {
    const { client, answers } = await startInVirtualTime({ rateLimit: { requests: 40, windowMs: 60_000 } }, {});
    const result = await applyPlan(creates(90), client, { concurrency: 8 });
    expect(result.outcomes).toMatchObject({ applied: 90, failed: 0 });
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(0);
    // Only those in flight at the time, and no burst after the pause.
    expect(refused.length).toBeLessThanOrEqual(3 * 8);
  });

  it('determines the least time that remains', async () => {
    const { client } = await startInVirtualTime({}, { windows: [{ requests: 20, durationMs: 500 }] });
    const reported: ApplyProgress[] = [];
    await applyPlan(creates(50), client, { concurrency: 4, onProgress: (event) => reported.push(event) });
    const least = reported.flatMap((event) => (event.kind === 'started' ? [event.leastMs] : []));
    expect(least[0]).toBeGreaterThan(900);
    expect(least[0]).toBeLessThanOrEqual(1500);
    expect(least.at(-1)).toBeLessThanOrEqual(500);
  });
});

describe('what a run is about to wait', () => {
  const windows = [{ requests: 384, durationMs: 60_000 }];
  const announced = async (changes: number): Promise<unknown[]> => {
    const events: ServiceEvent[] = [];
    const { clock, now, onEvent } = createVirtualTime();
    const { client } = await start(
      { now },
      {
        clock,
        windows,
        onEvent: (event) => {
          events.push(event);
          onEvent(event);
        },
      },
    );
    await applyPlan(creates(changes), client, { concurrency: 10 });
    const first = events.findIndex(({ kind }) => kind === 'budget');
    return events.flatMap((event, index) =>
      event.kind === 'ahead' ? [[event.requests, event.waitMs, index < first]] : [],
    );
  };

  it('is announced before the first wait', async () => {
    expect(await announced(1000)).toEqual([[1000, 120_000, true]]);
  });

  it('is not announced where nothing waits', async () => {
    expect(await announced(380)).toEqual([]);
  });
});

describe('the deadline', () => {
  it('ends the wait for the budget, lets requests in flight finish, and skips the rest', async () => {
    const stop = new AbortController();
    let sent = 0;
    const { client, answers } = await start(
      {},
      {
        windows: [{ requests: 11, durationMs: 86_400_000 }],
        stop: stop.signal,
        onEvent: ({ kind }) => {
          if (kind === 'request' && (sent += 1) === 11) setImmediate(() => stop.abort(deadline));
        },
      },
    );
    const result = await applyPlan(creates(30), client, { concurrency: 4, signal: stop.signal });
    expect(result.outcomes).toMatchObject({ applied: 10, skipped: 20, unknown: 0 });
    expect(reasons(result)).toEqual(new Set(['deadline']));
    expect(answers.filter(({ method }) => method === 'POST')).toHaveLength(10);
  });

  it('ends the pause after a 429', async () => {
    const stop = new AbortController();
    const { client } = await start(
      { rateLimit: { requests: 6, windowMs: 600_000 } },
      {
        stop: stop.signal,
        onEvent: ({ kind }) => {
          if (kind === 'pause') setImmediate(() => stop.abort(deadline));
        },
      },
    );
    const result = await applyPlan(creates(9), client, { concurrency: 2, signal: stop.signal });
    expect(result.outcomes).toMatchObject({ applied: 5, skipped: 4, unknown: 0, failed: 0 });
    expect(reasons(result)).toEqual(new Set(['deadline']));
  });

  it('lets a read continue that looks up a write', async () => {
    const stop = new AbortController();
    const { client } = await start(
      { faults: { faults: [{ match: { operation: 'createFlag' }, reset: { when: 'after' } }] } },
      {
        windows: [{ requests: 2, durationMs: 600 }],
        stop: stop.signal,
        onEvent: ({ kind, operation }) => {
          if (kind === 'response' && operation === 'createFlag') stop.abort(deadline);
        },
      },
    );
    const result = await applyPlan(creates(2), client, { concurrency: 1, signal: stop.signal });
    expect(result.outcomes).toMatchObject({ applied: 1, skipped: 1, unknown: 0 });
  });
});

function reasons(result: Awaited<ReturnType<typeof applyPlan>>): Set<string> {
  return new Set(result.changes.flatMap(({ result: one }) => (one.outcome === 'skipped' ? [one.reason.code] : [])));
}
