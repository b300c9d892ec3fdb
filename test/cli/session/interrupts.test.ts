import { describe, expect, test, vi } from 'vitest';
import { listenForInterrupts } from '../../../src/cli/session/session-parts.ts';
import { holdTimers } from '../../helpers/timers.ts';

describe('interrupts', () => {
  function start(deadlineMs?: number) {
    let fire: () => void = () => undefined;
    const drained: string[] = [];
    const interrupts = listenForInterrupts(
      { onStopSignal: (listener) => ((fire = listener), () => (fire = () => undefined)) },
      { ...(deadlineMs === undefined ? {} : { deadlineMs }), onDrain: ({ code }) => drained.push(code) },
    );
    return { interrupts, drained, signal: () => fire() };
  }

  test('before draining, the first signal ends everything', () => {
    const { interrupts, drained, signal } = start();
    signal();
    expect([interrupts.stop.aborted, interrupts.cut.aborted, drained]).toEqual([true, true, []]);
    interrupts.dispose();
  });

  test('while draining, the first signal stops new work and the second cuts off requests', () => {
    const { interrupts, drained, signal } = start();
    interrupts.drain(true);
    signal();
    expect([interrupts.stop.aborted, interrupts.cut.aborted, drained]).toEqual([true, false, ['interrupted']]);
    signal();
    expect([interrupts.cut.aborted, drained]).toEqual([true, ['interrupted']]);
    interrupts.dispose();
  });

  test('changes that were begun have ten seconds to finish, unless the run ends before', () => {
    const timers = holdTimers();
    const { interrupts, signal } = start();
    interrupts.drain(true);
    signal();
    timers.pass(9999);
    expect(interrupts.cut.aborted).toBe(false);
    timers.pass(1);
    expect(interrupts.cut.reason).toBe(interrupts.stop.reason);
    interrupts.dispose();

    const other = start();
    other.interrupts.drain(true);
    other.interrupts.drain(false);
    other.signal();
    expect([other.interrupts.cut.aborted, other.drained]).toEqual([true, []]);
    const third = start(10);
    third.interrupts.drain(true);
    third.signal();
    third.interrupts.dispose();
    timers.pass(10_000);
    expect([third.interrupts.cut.aborted, third.drained]).toEqual([false, ['interrupted']]);
  });

  // A timer of Node lasts at most 24.8 days; a longer one fires at once.
  test('a deadline in 600 hours does not overflow the timer', () => {
    const timers = holdTimers();
    const { interrupts } = start(600 * 3_600_000);
    timers.pass(600 * 3_600_000 - 1);
    expect(interrupts.stop.aborted).toBe(false);
    timers.pass(1);
    expect(interrupts.stop.aborted).toBe(true);
    interrupts.dispose();
  });

  test('a long computation notices the deadline, although no timer can fire, and a signal', async () => {
    const { interrupts } = start(20_000);
    expect(() => interrupts.checkpoint()).not.toThrow();
    const later = performance.now() + 20_001;
    vi.spyOn(performance, 'now').mockReturnValue(later);
    expect(() => interrupts.checkpoint()).toThrow(expect.objectContaining({ code: 'deadline' }));
    expect([interrupts.stop.aborted, interrupts.cut.aborted]).toEqual([true, true]);
    interrupts.dispose();
    vi.restoreAllMocks();

    const other = start();
    setImmediate(other.signal);
    expect(() => other.interrupts.checkpoint()).not.toThrow();
    await expect(other.interrupts.breathe()).rejects.toMatchObject({ code: 'interrupted' });
    expect(() => other.interrupts.checkpoint()).toThrow(expect.objectContaining({ code: 'interrupted' }));
    other.interrupts.dispose();
  });

  test('the deadline stops with its own reason', () => {
    const timers = holdTimers();
    const { interrupts } = start(10);
    timers.pass(10);
    expect(interrupts.stop.reason).toMatchObject({ code: 'deadline' });
    interrupts.dispose();
  });

  test('after the run, signals have no listener', () => {
    const { interrupts, signal } = start();
    interrupts.dispose();
    signal();
    expect(interrupts.stop.aborted).toBe(false);
  });
});
