/** Whatever a late run makes of rollouts with `catch_up: latest`, the review judged as a jump or as a step. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { planReview } from '../../../src/posthog/planning/jumps-ahead.ts';
import type { StepAhead } from '../../../src/posthog/planning/steps-ahead.ts';
import type { JsonObject, JsonValue } from '../../../src/base/json.ts';
import { sidesOf } from '../../../src/posthog/flag/snapshot.ts';
import type { FlagChange } from '../../../src/posthog/flag/change.ts';
import type { Flag } from '../../../src/posthog/flag/model/flag.ts';
import { setAt } from '../../../src/posthog/flag/values-of-others.ts';
import { stepAt, valueOf } from '../../../src/core/rollout/position.ts';
import { runs } from '../../helpers/runs.ts';
import { day, decidingOf, momentAt, stateAt, steps } from '../rollouts/stepped.ts';

const jumping = (...all: readonly (readonly [number, number | boolean])[]): string =>
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
  const { judged } = planReview(decidingOf(stateAt(flags, momentAt(0))));
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
    const { judged } = planReview(decidingOf(stateAt(flag, momentAt(0))));
    const last = judged.filter((one) => one.jump_since !== undefined && one.at === day(5));
    expect(last.map((one) => [one.jump_since, ...changesOf(one)])).toEqual([
      [day(1), moveOf(0, 30)],
      [day(2), moveOf(10, 30)],
    ]);
  });

  test('are told with when their first and their last step are due, and the largest of each flag is shown', () => {
    const flag = (key: string): string => `  ${key}: { rollout_percentage: ${jumping([1, 10], [2, 30], [3, 20])} }\n`;
    const { shown } = planReview(decidingOf(stateAt(flag('a') + flag('b'), momentAt(0))));
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
    const [first, ...others] = jumpsOf(both);
    expect(first).toEqual(['active false → true', 'rollout_percentage 0 → 30', 'rollout_percentage 0 → 40']);
    expect(others).toContainEqual(['rollout_percentage 10 → 30', 'rollout_percentage 20 → 40']);
    const { judged } = planReview(decidingOf(stateAt(both, momentAt(0))));
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

describe('rollouts of one flag', () => {
  const both = (active: string, percentage: string): string =>
    `  a: { active: ${active}, rollout_percentage: ${percentage} }\n`;

  test('that a late run makes together are a jump of the flag, although neither skips a step', () => {
    const flag = both(steps([2, true]), `{ from: 10, ${steps([3, 100]).slice(2)}`);
    expect(jumpsOf(flag)).toEqual([['active false → true', 'rollout_percentage 10 → 100']]);
  });

  test('that step at the same times never come apart, so that their steps are no jumps', () => {
    expect(jumpsOf(both(steps([1, true], [3, false]), steps([1, 10], [3, 0])))).toEqual([]);
  });
});

/** The active state and the percentages of a flag. */
type State = readonly JsonValue[];

function stateIn(flag: JsonObject = {}): State {
  const groups = (flag['filters'] as Flag['filters'])?.groups ?? [];
  return [flag['active'] ?? true, ...groups.map((group) => group.rollout_percentage ?? 100)];
}

test('every change that runs make of a flag, whenever they come, was judged', () => {
  const listed = (value: fc.Arbitrary<number | boolean>): fc.Arbitrary<string> =>
    fc
      .record({
        all: fc.uniqueArray(fc.tuple(fc.integer({ min: 1, max: 7 }), value), {
          selector: ([at]) => at,
          minLength: 1,
          maxLength: 4,
        }),
        jumps: fc.boolean(),
      })
      .map(({ all, jumps }) => (jumps ? jumping : steps)(...all.toSorted(([one], [other]) => one - other)));
  const percentage = fc.oneof(fc.constant('20'), listed(fc.constantFrom(0, 10, 30, 60, 100)));
  const flags = fc.record({
    active: fc.oneof(fc.constant('true'), listed(fc.boolean())),
    first: percentage,
    second: percentage,
  });
  const times = fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 12 });
  const seen = { runs: 0, joint: 0 };
  fc.assert(
    fc.property(flags, times, ({ active, first, second }, quarters) => {
      const desired = stateAt(
        `  a:
    active: ${active}
    filters:
      groups:
        - { properties: [{ key: x, type: person, value: [y] }], rollout_percentage: ${first} }
        - { properties: [], rollout_percentage: ${second} }
`,
        momentAt(0),
      );
      const { judged } = planReview(decidingOf(desired));
      const moves = new Set(
        judged.map(({ plan }) => {
          const { before, after } = sidesOf(plan.changes as readonly FlagChange[]);
          return JSON.stringify([stateIn(before), stateIn(after)]);
        }),
      );
      const [flag] = desired.flags;
      const rollouts = flag?.kind === 'declared' ? (flag.rollouts ?? []) : [];
      const begun = flag?.kind === 'declared' ? flag.fields : {};
      let positions = rollouts.map(({ step }) => ({ step, at: day(0) }));
      const stateOf = (): State =>
        stateIn(
          rollouts.reduce(
            (made, one, index) => setAt(made, one.path, valueOf(one, positions[index]?.step ?? -1)),
            begun,
          ),
        );
      for (const quarter of quarters.toSorted((one, other) => one - other)) {
        const moment = momentAt(quarter / 4);
        const before = stateOf();
        const next = rollouts.map((one, index) => stepAt(one, positions[index], moment));
        const made = next.filter((step, index) => step !== positions[index]?.step).length;
        positions = positions.map((one, index) =>
          next[index] === one.step ? one : { step: next[index] ?? -1, at: day(quarter / 4) },
        );
        const move = JSON.stringify([before, stateOf()]);
        if (JSON.stringify(before) === JSON.stringify(stateOf())) continue;
        seen.runs += 1;
        if (made > 1) seen.joint += 1;
        expect(moves).toContain(move);
      }
    }),
    {
      numRuns: runs(400),
      // The percentage is delayed so much that a step of another one comes before its next one.
      examples: [
        [
          { active: steps([1, true], [2, false]), first: steps([1, 100], [3, 0]), second: jumping([1, 100], [7, 0]) },
          [28, 25, 21],
        ],
      ],
    },
  );
  expect(seen.joint).toBeGreaterThan(20);
}, 600_000);
