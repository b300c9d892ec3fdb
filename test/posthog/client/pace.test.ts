import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Clock, budgetWindows, createPace, type Window } from '../../../src/posthog/client/pace.ts';
import { holdsAsync } from '../../helpers/runs.ts';

/** Time that passes only while every caller sleeps. */
class VirtualClock implements Clock {
  #now = 1_000_000;
  readonly #sleepers: { at: number; wake: () => void }[] = [];

  now(): number {
    return this.#now;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#sleepers.push({ at: this.#now + ms, wake: resolve });
      signal?.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    });
  }

  async runUntilSettled<T>(work: Promise<T>): Promise<T> {
    let settled = false;
    const end = work.finally(() => {
      settled = true;
    });
    for (;;) {
      // Everything that needs no time runs first.
      await setImmediate();
      if (settled) return end;
      this.#sleepers.sort((a, b) => a.at - b.at);
      const next = this.#sleepers.shift();
      if (next === undefined) throw new Error('everybody waits for nothing');
      this.#now = Math.max(this.#now, next.at);
      next.wake();
    }
  }
}

const SCENARIO = fc.record({
  windows: fc.array(
    fc.record({ requests: fc.integer({ min: 1, max: 12 }), durationMs: fc.integer({ min: 10, max: 2000 }) }),
    { maxLength: 2 },
  ),
  arrivals: fc.array(fc.integer({ min: 0, max: 1500 }), { minLength: 1, maxLength: 60 }),
  pauses: fc.array(fc.record({ at: fc.integer({ min: 0, max: 1500 }), ms: fc.integer({ min: 1, max: 3000 }) }), {
    maxLength: 4,
  }),
  chance: fc.double({ min: 0, max: 0.999, noNaN: true }),
});

test('no window is exceeded, no request is sent during a pause, and every caller gets a turn', async () => {
  await holdsAsync(200, [SCENARIO], async ({ windows, arrivals, pauses, chance }) => {
    const clock = new VirtualClock();
    const pace = createPace({ windows, clock, random: () => chance });
    const sent: number[] = [];
    const paused: { from: number; to: number }[] = [];
    await clock.runUntilSettled(
      Promise.all([
        ...arrivals.map(async (at) => {
          await clock.sleep(at);
          expect(await pace.take()).toBe(true);
          sent.push(clock.now());
        }),
        ...pauses.map(async ({ at, ms }) => {
          await clock.sleep(at);
          pace.pause(ms);
          paused.push({ from: clock.now(), to: clock.now() + ms });
        }),
      ]),
    );
    expect(sent).toHaveLength(arrivals.length);
    for (const window of windows) expect(mostWithin(sent, window)).toBeLessThanOrEqual(window.requests);
    // A request at the moment of the answer may have been sent just before it.
    for (const { from, to } of paused) expect(sent.filter((at) => at > from && at < to)).toEqual([]);
  });
});

function mostWithin(times: readonly number[], window: Window): number {
  return Math.max(...times.map((from) => times.filter((at) => at >= from && at < from + window.durationMs).length));
}

test('the least time never exceeds the actual time, and equals it with one window', async () => {
  await holdsAsync(200, [SCENARIO, fc.integer({ min: 1, max: 60 })], async ({ windows, arrivals, pauses }, count) => {
    const clock = new VirtualClock();
    const pace = createPace({ windows: windows.slice(0, 1), clock, random: () => 0 });
    const measure = async (): Promise<void> => {
      for (const _ of arrivals) await pace.take();
      const pause = pauses[0];
      if (pause !== undefined) pace.pause(pause.ms);
      const promised = pace.leastMs(count);
      const began = clock.now();
      for (let taken = 0; taken < count; taken += 1) await pace.take();
      if (pause === undefined) expect(clock.now() - began).toBeCloseTo(promised, 3);
      else expect(clock.now() - began).toBeGreaterThanOrEqual(promised - 0.001);
    };
    await clock.runUntilSettled(measure());
  });
});

test('the least time is 0 without requests or limits', () => {
  const clock = new VirtualClock();
  const free = createPace({ windows: [], clock, random: () => 0 });
  expect([free.leastMs(0), free.leastMs(100_000)]).toEqual([0, 0]);
  free.pause(2500);
  expect([free.leastMs(0), free.leastMs(1)]).toEqual([0, 2500]);
  const bounded = createPace({ windows: budgetWindows(480), clock, random: () => 0 });
  expect([bounded.leastMs(384), bounded.leastMs(385), bounded.leastMs(3841)]).toEqual([0, 60_000, 3_600_000]);
});

test('a thousand requests keep the rate and continue at full speed after a pause', async () => {
  const pausing = fc.record({ at: fc.integer({ min: 1, max: 2000 }), ms: fc.integer({ min: 1, max: 5000 }) });
  await holdsAsync(20, [fc.array(pausing, { maxLength: 3 })], async (pauses) => {
    const clock = new VirtualClock();
    const began = clock.now();
    const window = { requests: 480, durationMs: 1000 };
    const pace = createPace({ windows: [window], clock, random: () => 0.999 });
    const sent: number[] = [];
    const worker = async (): Promise<void> => {
      while (sent.length < 1000) {
        sent.push(0);
        const mine = sent.length - 1;
        expect(await pace.take()).toBe(true);
        sent[mine] = clock.now();
      }
    };
    await clock.runUntilSettled(
      Promise.all([
        ...Array.from({ length: 8 }, worker),
        ...pauses.map(async ({ at, ms }) => {
          await clock.sleep(at);
          pace.pause(ms);
        }),
      ]),
    );
    const jitterMs = pauses.length * 1000;
    expect(sent).toHaveLength(1000);
    expect(
      mostWithin(
        sent.toSorted((a, b) => a - b),
        window,
      ),
    ).toBeLessThanOrEqual(window.requests);
    // 1,000 of 480 a second need two seconds; pauses add themselves, their jitter, and nothing else.
    expect(clock.now() - began).toBeLessThanOrEqual(2000 + pace.pausedMs() + jitterMs);
  });
});

test('waiting callers use the whole budget', async () => {
  const clock = new VirtualClock();
  const began = clock.now();
  const pace = createPace({ windows: [{ requests: 10, durationMs: 1000 }], clock, random: () => 0 });
  await clock.runUntilSettled(Promise.all(Array.from({ length: 95 }, () => pace.take())));
  expect(clock.now() - began).toBe(9000);
});

test('a window does not end too early', async () => {
  const clock = new VirtualClock();
  const began = clock.now();
  const pace = createPace({ windows: [{ requests: 1, durationMs: 10 }], clock, random: () => 0 });
  const turns = async (): Promise<void> => {
    await pace.take();
    await clock.sleep(9);
    await pace.take();
  };
  await clock.runUntilSettled(turns());
  expect(clock.now() - began).toBe(10);
});

test('callers resume after the pause, and not all at once', async () => {
  const clock = new VirtualClock();
  const began = clock.now();
  let chance = 0;
  const pace = createPace({ windows: [], clock, random: () => (chance += 0.2) % 1 });
  pace.pause(5000);
  const woken: number[] = [];
  const caller = async (): Promise<void> => {
    await pace.take();
    woken.push(clock.now() - began);
  };
  await clock.runUntilSettled(Promise.all([caller(), caller(), caller()]));
  expect(woken).toEqual([5100, 5200, 5300]);
});

test('a shorter pause does not end a longer one, and time is counted once', () => {
  const clock = new VirtualClock();
  const pace = createPace({ windows: [], clock, random: () => 0 });
  pace.pause(1000);
  pace.pause(400);
  pace.pause(1500);
  expect(pace.pausedMs()).toBe(1500);
});

test('an abort ends the wait without a turn', async () => {
  const clock = new VirtualClock();
  const pace = createPace({ windows: [], clock, random: () => 0 });
  pace.pause(1000);
  const controller = new AbortController();
  const turn = pace.take({ signal: controller.signal });
  controller.abort();
  expect(await turn).toBe(false);
  expect(await pace.take({ signal: controller.signal })).toBe(false);
});

test('80% of the budget is used, ten minutes’ worth in an hour', () => {
  expect(budgetWindows(480)).toEqual([
    { requests: 384, durationMs: 60_000 },
    { requests: 3840, durationMs: 3_600_000 },
  ]);
  expect(budgetWindows(1)[0]).toEqual({ requests: 1, durationMs: 60_000 });
});
