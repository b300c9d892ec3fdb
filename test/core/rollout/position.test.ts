import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { dueAt, progressOf, stepAt, valueOf } from '../../../src/core/rollout/position.ts';
import type { Moment, Progress, Rollout } from '../../../src/core/rollout/rollout.ts';

const HOUR = 3_600_000;
const EVERY = 15 * 60_000;
const START = Date.parse('2026-12-01T08:00:00Z');
const iso = (time: number): string => new Date(time).toISOString();

const rollouts: fc.Arbitrary<Rollout> = fc
  .array(fc.record({ gap: fc.integer({ min: EVERY, max: 200 * HOUR }), to: fc.integer({ min: 0, max: 100 }) }), {
    minLength: 1,
    maxLength: 6,
  })
  .map((steps) => {
    let at = START;
    return { from: 0, steps: steps.map(({ gap, to }) => ({ at: iso((at += gap)), to })) };
  });

/** Runs in order of time; some are missed for long. */
const runs = fc
  .array(fc.oneof(fc.integer({ min: 1, max: 2 * EVERY }), fc.integer({ min: 1, max: 300 * HOUR })), { maxLength: 40 })
  .map((gaps) =>
    gaps.map(
      (
        (at) => (gap: number) =>
          (at += gap)
      )(START),
    ),
  );

interface Made {
  readonly step: number;
  readonly at: number;
}

/** What apply does at each run: it makes the step and records when. */
function follow(rollout: Rollout, times: readonly number[], first: number = START): Made[] {
  let applied = { step: stepAt(rollout, undefined, moment(first, 'due')), at: iso(first) };
  const made: Made[] = [{ step: applied.step, at: first }];
  for (const now of times) {
    const step = stepAt(rollout, applied, moment(now, 'due'));
    if (step === applied.step) continue;
    applied = { step, at: iso(now) };
    made.push({ step, at: now });
  }
  return made;
}

function moment(now: number, reach: Moment['reach']): Omit<Moment, 'progress'> {
  return { now, reach, every: EVERY };
}

describe('the steps that runs make, whenever they run', () => {
  test('are each made once, in order, none is skipped and none is early', () => {
    fc.assert(
      fc.property(rollouts, runs, (rollout, times) => {
        for (const [index, { step, at }] of follow(rollout, times).entries()) {
          expect(step).toBe(index - 1);
          if (step >= 0) expect(at).toBeGreaterThanOrEqual(Date.parse(rollout.steps[step]?.at ?? ''));
        }
      }),
    );
  });

  test('keep the declared distance, but for what a run on time is late', () => {
    fc.assert(
      fc.property(rollouts, runs, ({ steps, ...rollout }, times) => {
        const made = follow({ ...rollout, steps }, times).filter(({ step }) => step >= 0);
        for (const [index, { step, at }] of made.entries()) {
          const next = made[index + 1];
          if (next === undefined) continue;
          const declared = Date.parse(steps[step + 1]?.at ?? '') - Date.parse(steps[step]?.at ?? '');
          expect(next.at - at).toBeGreaterThan(declared - EVERY);
        }
      }),
    );
  });

  test('are all made at last, if runs come often enough', () => {
    fc.assert(
      fc.property(rollouts, (rollout) => {
        const last = Date.parse(rollout.steps.at(-1)?.at ?? '');
        const times = Array.from(
          { length: Math.ceil((last - START) / HOUR) + 1 },
          (_, index) => START + (index + 1) * HOUR,
        );
        // Late by up to an hour each, so the last one may be late by the sum.
        const extra = Array.from({ length: rollout.steps.length }, (_, index) => last + (index + 2) * HOUR);
        expect(follow(rollout, [...times, ...extra]).at(-1)?.step).toBe(rollout.steps.length - 1);
      }),
      { numRuns: 30 },
    );
  });
});

describe('a step', () => {
  const rollout: Rollout = {
    from: 0,
    steps: [
      { at: iso(START), to: 10 },
      { at: iso(START + 48 * HOUR), to: 50 },
      { at: iso(START + 96 * HOUR), to: 100 },
    ],
  };

  test.each<[string, number, Moment['reach'], { step: number; at: number } | undefined, number]>([
    ['nothing was applied: the newest', 50, 'due', undefined, 1],
    ['nothing was applied, before the first', -1, 'due', undefined, -1],
    ['nothing was applied, at the time of the first', 0, 'due', undefined, 0],
    ['due at this very time', 48, 'due', { step: 0, at: 0 }, 1],
    ['what was applied, whatever the time', 400, 'applied', { step: 0, at: 0 }, 0],
    ['one more at most', 400, 'due', { step: 0, at: 0 }, 1],
    ['all, as if each were made when it is due', 400, 'planned', { step: 0, at: 0 }, 2],
    ['late by five hours, and so is the next', 52, 'due', { step: 0, at: 5 }, 0],
    ['late by five hours, and so is the next one', 53, 'due', { step: 0, at: 5 }, 1],
    ['ten minutes late is on time', 48, 'due', { step: 0, at: 1 / 6 }, 1],
    ['recorded later than now: no step', 400, 'due', { step: 0, at: 500 }, 0],
    ['the last one stays', 400, 'due', { step: 2, at: 96 }, 2],
  ])('%s', (_, hours, reach, applied, expected) => {
    const recorded = applied && { step: applied.step, at: iso(START + applied.at * HOUR) };
    expect(stepAt(rollout, recorded, moment(START + hours * HOUR, reach))).toBe(expected);
  });

  test('with catch_up: latest is the newest one, and never goes back', () => {
    const latest: Rollout = { ...rollout, catch_up: 'latest' };
    expect(stepAt(latest, { step: -1, at: iso(START - HOUR) }, moment(START + 200 * HOUR, 'due'))).toBe(2);
    expect(stepAt(latest, { step: 2, at: iso(START) }, moment(START + HOUR, 'due'))).toBe(2);
  });

  test('that somebody made by hand counts as applied from its time on', () => {
    const done: Rollout = {
      ...rollout,
      steps: [...rollout.steps.slice(0, 1), { at: iso(START + 5 * HOUR), to: 33, done: true }],
    };
    const applied = { step: 0, at: iso(START + 4 * HOUR) };
    expect(stepAt(done, applied, moment(START + 5 * HOUR - 1, 'due'))).toBe(0);
    expect(stepAt(done, applied, moment(START + 5 * HOUR, 'due'))).toBe(1);
    expect(stepAt(done, applied, moment(START + 5 * HOUR, 'applied'))).toBe(1);
    const further: Rollout = { ...done, steps: [...done.steps, { at: iso(START + 9 * HOUR), to: 90 }] };
    expect(dueAt(further, applied, moment(START + 6 * HOUR, 'due'))).toBe(START + 9 * HOUR);
  });

  test('as planned is what frequent runs make', () => {
    fc.assert(
      fc.property(rollouts, fc.integer({ min: 0, max: 300 }), (any, hours) => {
        const now = START + hours * HOUR;
        const applied = { step: -1, at: iso(START) };
        const minutes = Array.from({ length: hours * 12 }, (_, index) => START + (index + 1) * 5 * 60_000);
        const made = follow(any, minutes).filter(({ at }) => at <= now - 5 * 60_000);
        const planned = stepAt(any, applied, moment(now - 5 * 60_000, 'planned'));
        expect(planned - (made.at(-1)?.step ?? -1)).toBeLessThanOrEqual(1);
        expect(planned).toBeGreaterThanOrEqual(made.at(-1)?.step ?? -1);
      }),
      { numRuns: 20 },
    );
  });

  test('has the value before the first one until then', () => {
    expect([-1, 0, 2].map((step) => valueOf(rollout, step))).toEqual([0, 10, 100]);
    expect(dueAt(rollout, { step: 2, at: iso(START) }, moment(START, 'due'))).toBeUndefined();
  });
});

describe('what is recorded of a rollout', () => {
  const rollout: Rollout = {
    from: 0,
    steps: [
      { at: iso(START), to: 10 },
      { at: iso(START + HOUR), to: 50 },
    ],
  };
  const recorded: Progress = { ...rollout, key: 'a', pointer: '/rollout_percentage', step: 0, at: iso(START) };
  const named = { keys: ['a'], pointer: '/rollout_percentage' };

  test.each<[string, Rollout, { keys: string[]; pointer: string }, boolean]>([
    ['the same', rollout, named, true],
    ['elsewhere in the flag', rollout, { ...named, pointer: '/filters/groups/0/rollout_percentage' }, true],
    ['under a former key', rollout, { ...named, keys: ['b', 'a'] }, true],
    ['of another flag', rollout, { ...named, keys: ['b'] }, false],
    [
      'with later steps edited',
      {
        ...rollout,
        steps: [
          { at: iso(START), to: 10 },
          { at: iso(START + 9 * HOUR), to: 20 },
        ],
      },
      named,
      true,
    ],
    ['with the rest removed', { ...rollout, steps: rollout.steps.slice(0, 1) }, named, true],
    [
      'with a past step edited',
      { ...rollout, steps: [{ at: iso(START), to: 11 }, ...rollout.steps.slice(1)] },
      named,
      false,
    ],
    [
      'with a step inserted before',
      { ...rollout, steps: [{ at: iso(START - HOUR), to: 1 }, ...rollout.steps] },
      named,
      false,
    ],
    ['from another value', { ...rollout, from: 5 }, named, false],
    ['with the value of a past step edited', { ...rollout, steps: [{ at: iso(START), to: 11 }] }, named, false],
    ['with the time of a past step edited', { ...rollout, steps: [{ at: iso(START + 1), to: 10 }] }, named, false],
  ])('%s', (_, edited, where, expected) => {
    expect(progressOf(edited, [recorded], where) !== undefined).toBe(expected);
  });

  test('is none of a plan that lacks steps that were made', () => {
    const further = { ...recorded, step: 1 };
    expect(progressOf({ ...rollout, steps: rollout.steps.slice(0, 1) }, [further], named)).toBeUndefined();
    const edited = { ...rollout, steps: [...rollout.steps.slice(0, 1), { at: iso(START + HOUR), to: 51 }] };
    expect(progressOf(edited, [further], named)).toBeUndefined();
    expect(progressOf(rollout, [further], named)).toBe(further);
  });

  test('is that at its place, of several that fit', () => {
    const other = { ...recorded, pointer: '/filters/groups/1/rollout_percentage', step: 1 };
    expect(progressOf(rollout, [other, recorded], named)).toBe(recorded);
    expect(progressOf(rollout, [recorded, other], { ...named, pointer: '/elsewhere' })).toBe(other);
  });
});
