/** What a reviewer is told: which steps come anyway, which the change brings, and which rollouts have passed. */

import { describe, expect, test } from 'vitest';
import type { DesiredState } from '../../../src/posthog/desired.ts';
import {
  dueByPlan,
  findPassed,
  findStepsSoon,
  isDueByPlan,
  markDue,
} from '../../../src/posthog/rollouts/rollouts-in-review.ts';
import { hasPassed } from '../../../src/core/rollout/position.ts';
import { buildPlan } from '../../../src/posthog/planning/build-plan.ts';
import { day, liveOf, momentAt, planAt, recordAt, stateAt, steps, type Stepped } from './stepped.ts';

const A = `  a: { description: A, rollout_percentage: ${steps([1, 10], [3, 50])} }\n`;
const B = `  b: { description: B, rollout_percentage: ${steps([2, 20])} }\n`;
const PERCENTAGE = '/filters/groups/0/rollout_percentage';

const dueIn = ({ flags }: DesiredState): unknown[] =>
  flags.flatMap((flag) =>
    flag.kind === 'declared' ? (flag.rollouts ?? []).map(({ due_by: by }) => [flag.key, by]) : [],
  );

/** None of its rollouts waits for a person. */
const inForce = (former: DesiredState): { desired: DesiredState; waits: () => boolean } => ({
  desired: former,
  waits: () => false,
});

/** The steps that a reviewer sees so many days after `former` was applied. */
function soon(days: number, given: Parameters<typeof planAt>[1]): unknown[] {
  const { former, ...planned } = planAt(days, given);
  return findStepsSoon({ ...planned, former: inForce(former) }).map(({ key, at, to, by }) => [key, at, to, by]);
}

describe('a step that is due', () => {
  const told = (days: number, flags: string, former?: string): unknown[] => {
    const { desired, former: before, moment } = planAt(days, { flags, ...(former === undefined ? {} : { former }) });
    return dueIn(markDue(desired, inForce(before), moment));
  };

  test('is due by the plan that was applied before; a rollout without a due step says nothing', () => {
    expect(told(1.5, A + B)).toEqual([
      ['a', 'plan'],
      ['b', undefined],
    ]);
  });

  test.each<[string, string, string]>([
    ['that only the change has', A.replace(day(1).replace('.000', ''), day(0.5).replace('.000', '')), A],
    ['to another value than before', A.replace('to: 10', 'to: 11'), A],
  ])('%s is due by the change', (_what, flags, former) => {
    expect(told(0.9, flags.replace(day(1).replace('.000', ''), day(0.5).replace('.000', '')), former)).toEqual([
      ['a', 'change'],
    ]);
  });

  test('stays due by the plan where the flag is renamed, or where its percentage stands at another condition', () => {
    const renamed = A.replace('a: {', 'new: { previous_keys: [a],');
    expect(told(1.5, renamed, A)).toEqual([['new', 'plan']]);
    const moved = `  a: { description: A, filters: { groups: [{ rollout_percentage: 1, variant: x }, { rollout_percentage: ${steps([1, 10], [3, 50])} }], multivariate: { variants: [{ key: x, rollout_percentage: 100 }] } } }\n`;
    expect(told(1.5, moved, A)).toEqual([['a', 'plan']]);
  });

  test('is told by nobody without a former state or a time', () => {
    const { desired, former, moment } = planAt(1.5, { flags: A });
    expect(markDue(desired, undefined, moment)).toBe(desired);
    expect(markDue(desired, inForce(former), undefined)).toBe(desired);
  });
});

describe('a change is due by its rollout', () => {
  /** The plan in which each due step says who asks for it. */
  function plan({ desired, former, moment }: Stepped, changed: (key: string) => object = () => ({})) {
    const applied = { facts: { kind: 'commit', commit: '1'.repeat(40), from: 'ref' }, desired: former } as const;
    const before = stateAt(A + B, momentAt(0));
    const live = { flags: liveOf(before, changed), roleAccess: {} };
    return buildPlan(markDue(desired, inForce(former), moment), live, { base: { ...applied, desired: before } });
  }

  test('where all of it are steps that are due', () => {
    const made = plan(planAt(2.5, { flags: A + B }));
    expect(made.changes.map((change) => [change.key, isDueByPlan(change, made)])).toEqual([
      ['a', true],
      ['b', true],
    ]);
    expect([...dueByPlan('a', made)]).toEqual([PERCENTAGE]);
    expect([...dueByPlan('c', made)]).toEqual([]);
    const byChange = (made.rollouts ?? []).map((one) => ({ ...one, due_by: 'change' }) as const);
    expect([...dueByPlan('a', { rollouts: byChange })]).toEqual([]);
    expect(made.changes.some((change) => isDueByPlan(change, { rollouts: [] }))).toBe(false);
  });

  test.each<[string, string, (key: string) => object]>([
    ['git changed something else of it', (A + B).replace('description: A', 'description: N'), () => ({})],
    ['somebody else changed it', A + B, (key) => (key === 'a' ? { name: 'x' } : {})],
    ['somebody else deleted it', A + B, (key) => (key === 'a' ? { deleted: true } : {})],
  ])('not where %s', (_what, flags, changed) => {
    const made = plan(planAt(2.5, { flags, former: A + B }), changed);
    expect(made.changes.map((change) => [change.key, isDueByPlan(change, made)])).toEqual([
      ['a', false],
      ['b', true],
    ]);
  });
});

describe('steps that come while a change is reviewed', () => {
  test('of a flag that the change is about, in order of time, for three days', () => {
    const former = `${A}${B}  c: { rollout_percentage: ${steps([1, 10], [5, 90])} }\n`;
    const flags = former.replaceAll('rollout_percentage', 'tags: [new], rollout_percentage');
    expect(soon(0, { flags, former })).toEqual([
      ['a', day(1), 10, 'plan'],
      ['c', day(1), 10, 'plan'],
      ['b', day(2), 20, 'plan'],
    ]);
  });

  test('of a flag that the change leaves as it is are not told', () => {
    expect(soon(0, { flags: `${A}${B.replace('B', 'New')}`, former: A + B })).toEqual([['b', day(2), 20, 'plan']]);
    expect(soon(0, { flags: A })).toEqual([]);
  });

  test('that the change removes still come until it is applied', () => {
    expect(soon(0, { flags: '  a: { description: A, rollout_percentage: 5 }\n', former: A })).toEqual([
      ['a', day(1), 10, 'former_plan'],
    ]);
    expect(soon(0, { flags: B, former: A + B })).toEqual([['a', day(1), 10, 'former_plan']]);
    expect(soon(0, { flags: `  new: { previous_keys: [a], rollout_percentage: 5 }\n`, former: A })).toEqual([
      ['new', day(1), 10, 'former_plan'],
    ]);
  });

  test('that only the change has are told, if they come within three days and have not passed', () => {
    const plain = '  a: { description: A, rollout_percentage: 0 }\n';
    expect(soon(0, { flags: A, former: plain })).toEqual([['a', day(1), 10, 'change']]);
    const late = `  a: { description: A, rollout_percentage: ${steps([3, 10])} }\n`;
    expect(soon(0, { flags: late, former: plain })).toEqual([['a', day(3), 10, 'change']]);
    expect(soon(-0.01, { flags: late, former: plain })).toEqual([]);
    const passed = `  a: { description: A, rollout_percentage: ${steps([-1, 10], [5, 50])} }\n`;
    expect(soon(0, { flags: passed, former: plain })).toEqual([]);
  });

  test('are none of a flag that somebody changed in the service: its rollout waits', () => {
    const changed = (key: string): object => (key === 'a' ? { name: 'x' } : {});
    expect(soon(0, { flags: A.replace('A', 'New'), former: A, changed })).toEqual([]);
  });
});

describe('a new rollout whose steps have all passed', () => {
  const passed = (flags: string, former: string, progress = recordAt('  z: {}\n', 0)) =>
    findPassed(stateAt(flags, momentAt(4)), stateAt(former, momentAt(4)), { ...momentAt(4), progress }).map(
      ({ path, place }) => [path, place.line],
    );
  const PLAIN = '  a: { rollout_percentage: 0 }\n';

  test('is found, with its place', () => {
    expect(passed(B + A, PLAIN)).toEqual([
      ['/flags/a/rollout_percentage', 3],
      ['/flags/b/rollout_percentage', 2],
    ]);
  });

  test('is none where a step is to come, where somebody made the last one, where it was declared before or was applied', () => {
    expect(passed(A.replace('to: 50', 'to: 50 }, { at: 2027-01-01T00:00Z, to: 60'), PLAIN)).toEqual([]);
    expect(passed(A.replace('to: 50', 'to: 50, done: true'), PLAIN)).toEqual([]);
    expect(passed(A, A)).toEqual([]);
    expect(passed(A.replace('a: {', 'new: { previous_keys: [a],'), A)).toEqual([]);
    expect(passed(A, PLAIN, recordAt(A, 0))).toEqual([]);
    expect(passed(A, PLAIN, recordAt(B, 0))).toHaveLength(1);
  });

  test('has its last step in the past: at its very time it has', () => {
    const rollout = { steps: [{ at: day(1), to: 1 }], from: 0, pointer: '', path: '', step: 0 };
    expect([0.99, 1, 1.01].map((days) => hasPassed(momentAt(days).now)(rollout))).toEqual([false, true, true]);
  });
});
