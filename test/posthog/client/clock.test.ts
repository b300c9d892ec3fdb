import { describe, expect, test } from 'vitest';
import { sleepUnlessAborted, systemClock, waitOut, type Clock } from '../../../src/posthog/client/pace.ts';
import { holdTimers, turns } from '../../helpers/timers.ts';

test('the clock follows real time', async () => {
  const before = Date.now();
  const began = systemClock.now();
  // The machine's two clocks may differ by adjustments since the process started.
  expect(Math.abs(began - before)).toBeLessThan(3_600_000);
  await systemClock.sleep(5);
  expect(systemClock.now()).toBeGreaterThan(began);
});

test('a sleep that is longer than the longest timer does not end at once', async () => {
  const timers = holdTimers();
  const controller = new AbortController();
  let isOver = false;
  const sleeping = sleepUnlessAborted(systemClock, 1e15, controller.signal).then(() => (isOver = true));
  timers.pass(2 ** 40);
  await turns();
  expect(isOver).toBe(false);
  controller.abort();
  await sleeping;
});

test('an aborted signal ends a sleep, and other errors pass through', async () => {
  await sleepUnlessAborted(systemClock, 60_000, AbortSignal.abort());
  const broken = { now: () => 0, sleep: () => Promise.reject(new Error('broken')) };
  await expect(sleepUnlessAborted(broken, 1, undefined)).rejects.toThrow('broken');
  await expect(sleepUnlessAborted(broken, 1, new AbortController().signal)).rejects.toThrow('broken');
});

describe('a wait during a stop', () => {
  /** A clock that advances only by sleeps; `during` is called in the middle of the first one. */
  function standing(during: () => void = () => undefined): Clock & { readonly slept: number[] } {
    let now = 0;
    const slept: number[] = [];
    return {
      slept,
      now: () => now,
      sleep: async (ms, signal) => {
        slept.push(ms);
        if (slept.length === 1) {
          now += ms / 2;
          during();
          signal?.throwIfAborted();
          now += ms / 2;
        } else now += ms;
      },
    };
  }

  test.each<[string, number, 'signal' | 'stop' | undefined, boolean, number[]]>([
    ['is completed', 5000, undefined, true, [5000]],
    ['ends with the signal', 5000, 'signal', false, [5000]],
    ['ends with a stop while much of it is left', 2002, 'stop', false, [2002]],
    ['continues after a stop while little of it is left', 2000, 'stop', true, [2000, 1000]],
  ])('%s', async (_name, ms, ended, isSatOut, slept) => {
    const controllers = { signal: new AbortController(), stop: new AbortController() };
    const clock = standing(() => (ended === undefined ? undefined : controllers[ended].abort()));
    const patience = { signal: controllers.signal.signal, stop: controllers.stop.signal };
    expect(await waitOut(clock, ms, patience)).toBe(isSatOut);
    expect(clock.slept).toEqual(slept);
  });

  test.each([
    [1000, true, [1000]],
    [1001, false, []],
    [0, true, []],
  ])('of %i ms that begins after the stop: %s', async (ms, isSatOut, slept) => {
    const clock = standing();
    expect(await waitOut(clock, ms, { stop: AbortSignal.abort() })).toBe(isSatOut);
    expect(clock.slept).toEqual(slept);
  });

  test('does not begin after an abort, and is completed without signals', async () => {
    const clock = standing();
    expect(await waitOut(clock, 100, { signal: AbortSignal.abort() })).toBe(false);
    expect(clock.slept).toEqual([]);
    expect(await waitOut(clock, 100, {})).toBe(true);
    expect(clock.slept).toEqual([100]);
  });

  test('the rest after a stop also ends with the signal', async () => {
    const signal = new AbortController();
    const stop = AbortSignal.abort();
    const clock = standing(() => signal.abort());
    expect(await waitOut(clock, 500, { signal: signal.signal, stop })).toBe(false);
  });
});

test('a system sleep is never negative', async () => {
  const timers = holdTimers();
  let slept = 0;
  const sleeping = systemClock
    .sleep(-5)
    .then(() => (slept += 1))
    .then(() => systemClock.sleep(20))
    .then(() => (slept += 1));
  timers.pass(0);
  await turns();
  timers.pass(19);
  await turns();
  expect(slept).toBe(1);
  timers.pass(1);
  await sleeping;
});
