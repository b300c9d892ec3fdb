/** The steps still to come of a change, each as the plan that makes it; and scheduled changes that meet them. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { DesiredState } from '../../../src/posthog/desired.ts';
import { type ScheduledChange, pendingByFlag } from '../../../src/posthog/flag/schedules.ts';
import { takeFlagSnapshot } from '../../../src/posthog/flag/snapshot.ts';
import { riskSteps } from '../../../src/posthog/rollouts/rollouts-in-review.ts';
import { buildPlan } from '../../../src/posthog/planning/build-plan.ts';
import type { Plan } from '../../../src/posthog/plan.ts';
import { rolloutsIn } from '../../../src/posthog/rollouts/rollouts.ts';
import { progressAfter } from '../../../src/core/rollout/record.ts';
import { planOptions } from '../../helpers/states.ts';
import { planReview } from '../../../src/posthog/planning/jumps-ahead.ts';
import { reachAround, type StepAhead } from '../../../src/posthog/planning/steps-ahead.ts';
import { holds } from '../../helpers/runs.ts';
import { day, decidingOf, liveOf, momentAt, recordAt, stateAt, steps } from '../rollouts/stepped.ts';

const A = `  a: { description: A, rollout_percentage: ${steps([1, 10], [3, 50])} }\n`;
const B = `  b: { description: B, active: ${steps([3, true])} }\n`;
const C = '  c: { description: C, rollout_percentage: 5 }\n';
const NEEDS_A =
  '  user: { filters: { groups: [{ properties: [{ key: a, type: flag, operator: flag_evaluates_to, value: true }] }] } }\n';

const at = (flags: string, days = 0): DesiredState => stateAt(flags, momentAt(days));

const stepsOf = (...given: Parameters<typeof decidingOf>): readonly StepAhead[] =>
  planReview(decidingOf(...given)).shown.filter((one) => one.jump_since === undefined);

/** What each step ahead changes, and the flags that are compared for it. */
function ahead(flags: string, former?: string, days = 0): unknown[] {
  const found = stepsOf(at(flags, days), former === undefined ? undefined : at(former, days), days);
  return found.map(({ at: time, plan, live }) => [
    time,
    plan.changes.map((change) =>
      'fields' in change
        ? `${change.key} ${change.fields.map(({ before, after }) => `${JSON.stringify(before)} → ${JSON.stringify(after)}`).join()}`
        : '',
    ),
    live.flags.map(({ key }) => key),
  ]);
}

describe('the steps still to come', () => {
  test('are each the plan from the step before, and those of one time are one', () => {
    expect(ahead(A + B + C)).toEqual([
      [day(1), ['a 0 → 10'], ['a']],
      [day(3), ['a 10 → 50', 'b false → true'], ['a', 'b']],
    ]);
  });

  test('are sealed without the steps around them, so that many steps take no longer for each', () => {
    const found = stepsOf(at(A + B));
    expect(found.map(({ plan }) => plan.rollouts)).toEqual([undefined, undefined]);
  });

  test('are those that have not come at the time of the plan', () => {
    expect(ahead(A, undefined, 2)).toEqual([[day(3), ['a 10 → 50'], ['a']]]);
    expect(ahead(A, undefined, 4)).toEqual([]);
  });

  test('of a rollout that begins late come later than declared, each by as much, and those of others do not', () => {
    const late = `  a: { rollout_percentage: ${steps([1, 10], [3, 50], [6, 100])} }\n`;
    const inTime = `  b: { active: ${steps([3, true])} }\n`;
    const found = stepsOf(at(late + inTime, 2), undefined, 2);
    expect(found.map(({ at: time, due, plan }) => [time, due, plan.changes.map(({ key }) => key)])).toEqual([
      [day(3), undefined, ['b']],
      [day(3), day(4), ['a']],
      [day(6), day(7), ['a']],
    ]);
  });

  test('are compared with all flags that depend on theirs, and that these depend on', () => {
    expect(ahead(A + C + NEEDS_A)).toMatchObject([
      [day(1), ['a 0 → 10'], ['a', 'user']],
      [day(3), ['a 10 → 50'], ['a', 'user']],
    ]);
  });

  test.each<[string, string]>([
    ['is as it was', A],
    ['has another description', A.replace('description: A', 'description: N')],
    ['is renamed', A.replace('a: {', 'new: { previous_keys: [a],')],
  ])('are reviewed already where the flag %s', (_what, flags) => expect(ahead(flags, A)).toEqual([]));

  test.each<[string, string]>([
    ['other tags', A.replace('description: A', 'description: A, tags: [x]')],
    ['another value of a step', A.replace('to: 10', 'to: 11')],
    ['another time of a step', A.replace(day(1).replace('.000', ''), day(1.5).replace('.000', ''))],
    ['another way to catch up', A.replace('{ steps', '{ catch_up: latest, steps')],
    ['another value before the first step', A.replace('{ steps', '{ from: 5, steps')],
  ])('are reviewed again where the flag has %s', (_what, flags) => expect(ahead(flags, A)).toHaveLength(2));

  test('are reviewed where the flag was not declared, or as deleted', () => {
    expect(ahead(A, C)).toHaveLength(2);
    expect(ahead(A, '  a: { deleted: true }\n')).toHaveLength(2);
    expect(ahead('  a: { deleted: true }\n', A)).toEqual([]);
  });
});

test('a step reaches every flag that is connected with its flag, and no other', () => {
  const keys = ['a', 'b', 'c', 'd', 'e', 'f'];
  const edges = fc.array(fc.tuple(fc.constantFrom(...keys), fc.constantFrom(...keys)), { maxLength: 8 });
  holds(100, [edges, fc.subarray(keys)], (all, start) => {
    const needs = new Map(keys.map((key) => [key, all.filter(([from]) => from === key).map(([, to]) => to)]));
    // Every flag gets the least name of those connected with it.
    const least = new Map(keys.map((key) => [key, key]));
    for (const _ of keys) {
      for (const [from, to] of all) {
        const both = [least.get(from) ?? from, least.get(to) ?? to].toSorted();
        for (const one of [from, to]) least.set(one, both[0] as string);
      }
    }
    const groups = new Set(start.map((key) => least.get(key)));
    expect([...reachAround(new Set(start), needs)].toSorted()).toEqual(
      keys.filter((key) => groups.has(least.get(key))),
    );
  });
});

test('the rules that steps break are those that the runs find that make them in time, in both directions', () => {
  const keys = ['a', 'b', 'c', 'd'];
  const active = fc.oneof(
    fc.boolean().map(String),
    fc
      .tuple(fc.boolean(), fc.uniqueArray(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 3 }))
      .map(([first, days]) => {
        const listed = days
          .toSorted((one, other) => one - other)
          .map((at, index) => [at, first === (index % 2 === 0)] as const);
        return steps(...listed);
      }),
  );
  // A flag depends on flags before it, so that no circle arises.
  const flag = fc.record({
    active,
    needs: fc.option(fc.nat({ max: 2 }), { nil: undefined }),
    isProtected: fc.boolean(),
  });
  const seen = { found: 0, none: 0 };
  holds(400, [fc.tuple(flag, flag, flag, flag)], (all) => {
    const manifest = all
      .map(({ active: state, needs }, index) => {
        const other = needs === undefined || needs >= index ? undefined : keys[needs];
        const property = `{ key: ${other}, type: flag, operator: flag_evaluates_to, value: true }`;
        const filters = `{ groups: [{ properties: [${other === undefined ? '' : property}] }] }`;
        return `  ${keys[index]}: { active: ${state}, filters: ${filters} }\n`;
      })
      .join('');
    const rules = {
      ...planOptions(),
      protected: keys.filter((_, index) => all[index]?.isProtected),
      limits: NO_LIMITS,
    };
    const namesOf = (hazards: Plan['hazards']): readonly string[] =>
      hazards.flatMap((one) => ('ref' in one ? `${one.code} ${one.key}` : []));
    let state = at(manifest);
    const reviewed = planReview({ ...decidingOf(state), options: rules });
    let progress = recordAt(manifest, 0);
    const met = new Set<string>();
    for (const days of [1, 2, 3, 4, 5]) {
      const moment = momentAt(days, { progress });
      const next = stateAt(manifest, moment);
      const live = { flags: liveOf(state), roleAccess: {} };
      for (const name of namesOf(buildPlan(next, live, rules).hazards)) met.add(name);
      progress = rolloutsIn(next, { flags: [] }).map((one) => progressAfter(one, moment.now));
      state = next;
    }
    expect(new Set(namesOf(reviewed.hazards))).toEqual(met);
    seen[met.size > 0 ? 'found' : 'none'] += 1;
  });
  expect(Math.min(seen.found, seen.none)).toBeGreaterThan(10);
}, 600_000);

const NO_LIMITS = { deletes: 99, deletes_percent: 100, updates_percent: 100, disables: 99 };

describe('a scheduled change of what a rollout changes too', () => {
  const scheduled = (id: number, record: number, operation: string, value: unknown): ScheduledChange =>
    ({
      id,
      record_id: String(record),
      scheduled_at: day(id),
      executed_at: null,
      payload: { operation, value },
    }) as ScheduledChange;
  const GROUPS = { groups: [{ rollout_percentage: 1 }] };

  function risks(schedules: readonly ScheduledChange[], flags = A + B + C, former?: string): readonly unknown[] {
    const desired = at(flags);
    const snapshot = takeFlagSnapshot({ flags: liveOf(desired), roleAccess: {} });
    const pending = pendingByFlag(schedules);
    return riskSteps(desired, former === undefined ? undefined : at(former), { flags: snapshot, schedules: pending });
  }

  test('is a hazard with the parts that both change, the schedules and the time of the first', () => {
    expect(
      risks([scheduled(2, 1, 'add_release_condition', GROUPS), scheduled(1, 1, 'add_release_condition', GROUPS)]),
    ).toEqual([
      {
        code: 'schedule_conflict',
        ref: 'flag:a',
        key: 'a',
        parts: ['conditions'],
        schedules: [1, 2],
        at: day(1),
        permit: { kind: 'risky', value: 'a' },
      },
    ]);
    expect(risks([scheduled(1, 2, 'update_status', true)])).toMatchObject([{ key: 'b', parts: ['active'] }]);
  });

  test('of an unknown operation may change anything', () => {
    expect(risks([scheduled(1, 1, 'later', 1)])).toMatchObject([{ key: 'a', parts: ['conditions'] }]);
  });

  test('is none if it changes another part, changes nothing, or is of a flag without steps', () => {
    expect(risks([scheduled(1, 1, 'update_status', false)])).toEqual([]);
    expect(risks([scheduled(1, 2, 'add_release_condition', GROUPS)])).toEqual([]);
    expect(risks([scheduled(1, 3, 'later', 1)])).toEqual([]);
    expect(risks([scheduled(1, 9, 'later', 1)])).toEqual([]);
    expect(risks([])).toEqual([]);
  });

  test('is none if the steps were reviewed already', () => {
    const schedules = [scheduled(1, 1, 'add_release_condition', GROUPS)];
    expect(risks(schedules, A, A)).toEqual([]);
    expect(risks(schedules, A, C)).toHaveLength(1);
  });
});
