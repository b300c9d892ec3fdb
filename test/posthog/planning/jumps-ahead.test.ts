/** Whatever a late run makes of rollouts with `catch_up: latest`, the review judged as a jump or as a step. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { planReview } from '../../../src/posthog/planning/jumps-ahead.ts';
import type { StepAhead } from '../../../src/posthog/planning/steps-ahead.ts';
import { stepAt, valueOf } from '../../../src/rollout/position.ts';
import type { Rollout } from '../../../src/rollout/rollout.ts';
import { runs } from '../../helpers/runs.ts';
import { day, momentAt, stateAt, steps } from '../rollouts/stepped.ts';

const jumping = (...all: readonly (readonly [number, number])[]): string =>
  steps(...all).replace('{ steps', '{ catch_up: latest, steps');

function changesOf({ plan }: StepAhead): string[] {
  return plan.changes.flatMap((change) =>
    'fields' in change
      ? change.fields.map(
          ({ path, before, after }) => `${path.split('/').at(-1)} ${JSON.stringify(before)} → ${JSON.stringify(after)}`,
        )
      : [],
  );
}

function moveOf(before: unknown, after: unknown): string {
  return `rollout_percentage ${JSON.stringify(before)} → ${JSON.stringify(after)}`;
}

function jumpsOf(flags: string): string[][] {
  const { judged } = planReview(stateAt(flags, momentAt(0)), undefined);
  return judged.filter((one) => one.jump_since !== undefined).map(changesOf);
}

describe('the jumps of a flag', () => {
  test('go from each step to each later one but the next, the largest first', () => {
    expect(jumpsOf(`  a: { rollout_percentage: ${jumping([1, 10], [2, 30], [3, 100])} }\n`)).toEqual([
      ['rollout_percentage 0 → 100'],
      ['rollout_percentage 10 → 100'],
      ['rollout_percentage 0 → 30'],
    ]);
  });

  test('that differ in their first step alone are one, over most steps', () => {
    const flag = `  a: { rollout_percentage: ${jumping([1, 10], [2, 0], [3, 10], [4, 0], [5, 30])} }\n`;
    const { judged } = planReview(stateAt(flag, momentAt(0)), undefined);
    const last = judged.filter((one) => one.jump_since !== undefined && one.at === day(5));
    expect(last.map((one) => [one.jump_since, ...changesOf(one)])).toEqual([
      [day(1), moveOf(0, 30)],
      [day(2), moveOf(10, 30)],
    ]);
  });

  test('are told with when their first and their last step are due, and the largest of each flag is shown', () => {
    const flag = (key: string): string => `  ${key}: { rollout_percentage: ${jumping([1, 10], [2, 30], [3, 20])} }\n`;
    const { shown } = planReview(stateAt(flag('a') + flag('b'), momentAt(0)), undefined);
    const jumps = shown.filter((one) => one.jump_since !== undefined);
    expect(jumps.map(({ at, jump_since: since, plan }) => [since, at, plan.changes[0]?.key])).toEqual([
      [day(1), day(2), 'a'],
      [day(1), day(2), 'b'],
    ]);
  });

  test('are those that narrow, where none widens', () => {
    expect(jumpsOf(`  a: { rollout_percentage: { from: 100, ${jumping([1, 50], [2, 0]).slice(2)} }\n`)).toEqual([
      ['rollout_percentage 100 → 0'],
    ]);
  });

  test('move all of its rollouts that jump, and leave the others, with the flag on if it may be', () => {
    const both = `  a:
    active: ${steps([1, true], [2, false])}
    filters:
      groups:
        - { properties: [{ key: x, type: person, value: [y] }], rollout_percentage: ${jumping([1, 10], [3, 30])} }
        - { rollout_percentage: ${jumping([1, 20], [3, 40])} }
`;
    expect(jumpsOf(both)).toEqual([['rollout_percentage 0 → 30', 'rollout_percentage 0 → 40']]);
    const { judged } = planReview(stateAt(both, momentAt(0)), undefined);
    expect(judged.at(-1)?.live.flags).toMatchObject([{ active: true }]);
  });

  test.each<[string, string]>([
    ['makes one step at a time', steps([1, 10], [2, 30])],
    ['has one step', jumping([1, 10])],
    ['comes back to where it began', jumping([1, 10], [2, 0])],
  ])('are none of a rollout that %s', (_, plan) => {
    expect(jumpsOf(`  a: { rollout_percentage: ${plan} }\n`)).toEqual([]);
  });
});

test('every change that a late run makes was judged', () => {
  const values = fc.array(fc.integer({ min: 0, max: 100 }), { minLength: 1, maxLength: 6 });
  const times = fc.array(fc.integer({ min: 0, max: 20 }), { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(values, times, (all, days) => {
      const written = jumping(...all.map((value, index) => [index + 1, value] as const));
      const desired = stateAt(`  a: { rollout_percentage: ${written} }\n`, momentAt(0));
      const judged = new Set(planReview(desired, undefined).judged.flatMap(changesOf));
      const [flag] = desired.flags;
      const [rollout] = flag?.kind === 'declared' ? (flag.rollouts ?? []) : [];
      let step = -1;
      for (const at of days.toSorted((one, other) => one - other)) {
        const next = stepAt(rollout as Rollout, { step, at: day(0) }, momentAt(at + 0.5));
        const [before, after] = [step, next].map((one) => valueOf(rollout as Rollout, one));
        if (before !== after) expect(judged).toContain(moveOf(before, after));
        step = next;
      }
    }),
    { numRuns: runs(100) },
  );
});
