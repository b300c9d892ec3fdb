import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { pause, startTimer } from '../../src/base/timer.ts';
import { holds } from '../helpers/runs.ts';

const DAY = 86_400_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('startTimer', () => {
  it('fires after its time and never before, whatever the length', () => {
    const length = fc.oneof(
      fc.integer({ min: 1, max: 5000 }),
      fc.integer({ min: 2 ** 31 - 3, max: 2 ** 31 + 3 }),
      fc.integer({ min: 1, max: 400 * DAY }),
    );
    holds(100, [length], (ms) => {
      let fired = 0;
      startTimer(ms, () => (fired += 1));
      vi.advanceTimersByTime(ms - 1);
      expect(fired).toBe(0);
      vi.advanceTimersByTime(1);
      expect(fired).toBe(1);
      vi.advanceTimersByTime(100 * DAY);
      expect([fired, vi.getTimerCount()]).toEqual([1, 0]);
    });
  });

  it.each([0, -5])('fires at once for %i', (ms) => {
    const onTime = vi.fn();
    startTimer(ms, onTime);
    vi.advanceTimersByTime(1);
    expect(onTime).toHaveBeenCalledOnce();
  });

  it('never fires for Infinity', () => {
    const onTime = vi.fn();
    const timer = startTimer(Infinity, onTime);
    vi.advanceTimersByTime(1000 * DAY);
    expect(onTime).not.toHaveBeenCalled();
    timer.cancel();
    expect(vi.getTimerCount()).toBe(0);
  });

  it.each([1, 30 * DAY])('can be cancelled at any time: %i ms before', (ms) => {
    const onTime = vi.fn();
    const timer = startTimer(60 * DAY, onTime);
    vi.advanceTimersByTime(60 * DAY - ms);
    timer.cancel();
    vi.advanceTimersByTime(100 * DAY);
    expect(onTime).not.toHaveBeenCalled();
    expect(vi.getTimerCount()).toBe(0);
  });

  it('keeps the process alive unless told otherwise', () => {
    vi.useRealTimers();
    const before = process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    const idle = startTimer(50 * DAY, () => undefined, { unref: true });
    expect(process.getActiveResourcesInfo().filter((name) => name === 'Timeout')).toHaveLength(before);
    const busy = startTimer(50 * DAY, () => undefined);
    expect(process.getActiveResourcesInfo().filter((name) => name === 'Timeout')).toHaveLength(before + 1);
    idle.cancel();
    busy.cancel();
  });
});

describe('pause', () => {
  it('lasts for its time', async () => {
    let over = false;
    const pausing = pause(40 * DAY).then(() => (over = true));
    await vi.advanceTimersByTimeAsync(40 * DAY - 1);
    expect(over).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    await pausing;
    expect(over).toBe(true);
  });

  it('ends with the signal and leaves no timer behind', async () => {
    const controller = new AbortController();
    const pausing = pause(40 * DAY, controller.signal);
    const reason = new Error('enough');
    controller.abort(reason);
    await expect(pausing).rejects.toBe(reason);
    await expect(pause(1, controller.signal)).rejects.toBe(reason);
    expect(vi.getTimerCount()).toBe(0);
  });
});
