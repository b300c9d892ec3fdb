import { expect, test } from 'vitest';
import { sleepUnlessAborted, systemClock } from '../../src/service/clock.ts';

test('the time is that of the world, and does not stand still', async () => {
  const began = systemClock.now();
  expect(Math.abs(began - Date.now())).toBeLessThan(1000);
  await systemClock.sleep(5);
  expect(systemClock.now()).toBeGreaterThan(began);
});

test('a sleep that is longer than any timer does not end at once', async () => {
  const controller = new AbortController();
  setTimeout(() => controller.abort(), 30);
  const began = Date.now();
  await sleepUnlessAborted(systemClock, 1e15, controller.signal);
  expect(Date.now() - began).toBeGreaterThanOrEqual(25);
});

test('an aborted signal ends a sleep, another error passes', async () => {
  await sleepUnlessAborted(systemClock, 60_000, AbortSignal.abort());
  const broken = { now: () => 0, sleep: () => Promise.reject(new Error('broken')) };
  await expect(sleepUnlessAborted(broken, 1, undefined)).rejects.toThrow('broken');
  await expect(sleepUnlessAborted(broken, 1, new AbortController().signal)).rejects.toThrow('broken');
});
