/** What the impact says of a step holds for each person who is evaluated on flags that this test steps itself, with no plan of the steps. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { comparing } from '../../../src/base/compare-strings.ts';
import { arrayOrEmpty, isJsonObject, type JsonObject, objectOrEmpty } from '../../../src/base/json.ts';
import { evaluateFlag } from '../../../src/evaluation/evaluate.ts';
import { findStepImpact } from '../../../src/review/impact/find-impact.ts';
import type { Flag } from '../../../src/posthog/flag/model/flag.ts';
import type { Plan } from '../../../src/posthog/plan.ts';
import { planReview } from '../../../src/posthog/planning/jumps-ahead.ts';
import type { Step } from '../../../src/core/rollout/rollout.ts';
import { holds } from '../../helpers/runs.ts';
import { declared, dependsOn, desiredState, liveFlag, liveState, planFor } from '../../helpers/states.ts';
import { anyChange, peopleOf, type RandomChange } from './arbitraries.ts';
import { CONTEXT, createObserver, expectWithin } from './observe.ts';
import { plannedFrom } from './planned.ts';
import { NOW, summarize } from './support.ts';

const PATH = '/filters/groups/0/rollout_percentage';
const TIMES = ['2026-03-02T08:00:00.000Z', '2026-03-03T08:00:00.000Z', '2026-03-04T08:00:00.000Z'];

/** The values of the first condition of a flag before the steps and after each; some flags step at the same time. */
const values = fc.array(fc.integer({ min: 0, max: 100 }), { minLength: 4, maxLength: 4 });

const steppedFlags = anyChange.chain((change) => {
  const keys = Object.keys(change.after).filter((key) => isStepping(change.after[key]));
  return fc.record({
    flags: fc.constant(change.after),
    values: fc.record(Object.fromEntries(keys.map((key) => [key, values]))),
    people: fc.array(peopleOf(change), { minLength: 12, maxLength: 12 }),
  });
});

type Flags = RandomChange['after'];
type Values = Readonly<Record<string, readonly number[]>>;

function isStepping(flag: JsonObject = {}): boolean {
  return isJsonObject(arrayOrEmpty(objectOrEmpty(flag['filters'])['groups'])[0]);
}

/** The flags after so many of the times. */
function flagsAfter(flags: Flags, all: Values, passed: number): Flags {
  return Object.fromEntries(
    Object.entries(flags).map(([key, flag]) => {
      const percentage = all[key]?.[passed];
      if (percentage === undefined) return [key, flag];
      const filters = objectOrEmpty(flag['filters']);
      const [first, ...others] = arrayOrEmpty(filters['groups']);
      const groups = [{ ...objectOrEmpty(first), rollout_percentage: percentage }, ...others];
      return [key, { ...flag, filters: { ...filters, groups } }];
    }),
  );
}

function stepsOf(own: readonly number[]): readonly Step[] {
  return TIMES.map((at, index) => ({ at, to: own[index + 1] ?? 0 }));
}

it('bounds what each person gets by a step, and names every flag by which one gets something else', () => {
  const seen = { people: 0, affected: 0, told: 0, left: 0, open: 0 };
  holds(60, [steppedFlags], ({ flags, values: all, people }) => {
    const begun = flagsAfter(flags, all, 0);
    const desired = desiredState(
      ...Object.entries(begun)
        .toSorted(comparing(([key]) => key))
        .map(([key, fields]) => {
          const own = all[key];
          if (own === undefined) return declared(key, fields);
          const rollout = { pointer: PATH, path: PATH, from: own[0] ?? 0, steps: stepsOf(own), step: -1 };
          return { ...declared(key, fields), rollouts: [rollout] };
        }),
    );
    const { live, plan } = plannedFrom({ before: begun, after: begun });
    // A plan writes parts of some flags that their declarations imply: the steps begin after it.
    seen.open += plan.changes.length > 0 ? 1 : 0;
    if (plan.changes.length > 0) return;
    const moment = { now: Date.parse('2026-03-01T08:00:00Z'), every: 900_000 };
    const { shown } = planReview({
      ...{ desired, former: undefined, live: liveState([...live]), changes: [], moment },
    });
    const generation = 'rust-2026';
    const told = findStepImpact(shown, { generation, now: NOW });
    for (const [index, at] of TIMES.entries()) {
      const own = plannedFrom({
        before: flagsAfter(flags, all, index),
        after: flagsAfter(flags, all, index + 1),
      });
      const found = told.find((step) => step.at === at)?.flags ?? [];
      const { live: after } = plannedFrom({ before: flagsAfter(flags, all, index + 1), after: {} });
      for (const key of Object.keys(flags)) {
        const impact = found.find((one) => one.key === key);
        const { estimate } = impact ?? {};
        // Parts that other products own may look changed on one side: then nothing is claimed.
        seen[estimate?.kind === 'unknown' && estimate.why === 'left' ? 'left' : 'told'] += 1;
        for (const subject of people) {
          seen.people += 1;
          const [was, is] = [own.live, after].map(
            (side) =>
              evaluateFlag(key, { flags: side, subject, context: { ...CONTEXT, timeZone: 'UTC', generation } })
                ?.value ?? false,
          );
          if (was !== is) {
            seen.affected += 1;
            expect(impact, `${key} at ${at}`).toBeDefined();
            expect(impact?.estimate.kind).not.toBe('dormant');
          }
        }
        if (impact?.estimate.kind !== 'audiences') continue;
        const observe = createObserver(impact, { ...own, generation });
        for (const { shares, audiences } of people.map(observe)) {
          for (const audience of audiences) expectWithin(shares, audience);
        }
      }
    }
  });
  expect(seen.affected).toBeGreaterThan(20);
  expect(seen.left).toBeLessThan(seen.told / 5);
}, 600_000);

describe('two steps of a flag', () => {
  const share = (percentage: number): JsonObject => ({ filters: { groups: [{ rollout_percentage: percentage }] } });
  const [at, later] = TIMES as [string, string, string];
  const rollout = { pointer: PATH, path: PATH, from: 10, step: -1, catch_up: 'latest' } as const;
  const all = [
    { at, to: 40 },
    { at: later, to: 70 },
  ];
  const desired = desiredState({ ...declared('a', share(10)), rollouts: [{ ...rollout, steps: all }] });
  const moment = { now: Date.parse('2026-03-01T08:00:00Z'), every: 900_000 };
  const others = [liveFlag(2, 'of-a', { filters: dependsOn('1') }), liveFlag(3, 'alone', share(50))];
  const impactsOf = (live: readonly Flag[], changes: Plan['changes'] = []): unknown[] =>
    findStepImpact(planReview({ desired, former: undefined, live: liveState(live), changes, moment }).shown, {
      generation: 'rust-2026',
      now: NOW,
    }).map(({ at: time, jump_since: since, flags }) => [
      ...[TIMES.indexOf(time), ...(since === undefined ? [] : ['jump'])],
      ...flags.map((flag) => [
        ...[flag.key, flag.by],
        flag.estimate.kind === 'unknown' ? flag.estimate.why : summarize(flag)['others'],
      ]),
    ]);
  const grows = (points: number): object[] => [
    ['a', 'change', { turnsOn: points }],
    ['of-a', 'dependency', { turnsOn: points }],
  ];

  it('follow each other, and a jump over both begins where the first does; flags that depend on it follow', () => {
    expect(impactsOf([liveFlag(1, 'a', share(10)), ...others])).toEqual([
      [0, ...grows(30)],
      [1, ...grows(30)],
      [1, 'jump', ...grows(60)],
    ]);
  });

  it('begin with what the plan makes', () => {
    const live = [liveFlag(1, 'a', share(5))];
    const { changes } = planFor(desiredState(declared('a', share(10))), liveState(live));
    expect(impactsOf(live, changes)).toEqual([
      [0, ['a', 'change', { turnsOn: 30 }]],
      [1, ['a', 'change', { turnsOn: 30 }]],
      [1, 'jump', ['a', 'change', { turnsOn: 60 }]],
    ]);
  });

  it.each([
    ['has another value by then', [liveFlag(1, 'a', share(40)), ...others]],
    ['is not there', others],
  ])('say nothing of a flag that %s', (_, live) => {
    expect(impactsOf(live)).toEqual([
      [0, ['a', 'change', 'left']],
      [1, ['a', 'change', 'left']],
      [1, 'jump', ['a', 'change', 'left']],
    ]);
  });
});
