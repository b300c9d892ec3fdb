/** What changes of cohorts lead to: which flags they concern, whom a delete harms, and what the service refuses. */

import { describe, expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../../src/base/json.ts';
import { buildPlan, type BuildOptions } from '../../../src/posthog/planning/build-plan.ts';
import type { Cohort } from '../../../src/posthog/cohort/cohort.ts';
import type { Flag } from '../../../src/posthog/flag/model/flag.ts';
import type { Plan } from '../../../src/posthog/plan.ts';
import { cohort, desiredOf } from '../../helpers/cohorts.ts';
import { declared, desiredState, liveFlag, of2023, planFor, planOptions } from '../../helpers/states.ts';

const group = (...values: JsonObject[]): JsonObject => ({ properties: { type: 'AND', values } });
const PRO = group({ key: 'plan', type: 'person', operator: 'exact', value: 'pro' });
const EVENTS = group({
  type: 'behavioral',
  key: '$pageview',
  value: 'performed_event',
  event_type: 'events',
  time_value: 30,
  time_interval: 'day',
});
const on = (id: number): JsonObject => ({
  filters: { groups: [{ properties: [{ key: 'id', type: 'cohort', operator: 'in', value: id }] }] },
});

/** `direct` and `through` use the cohort 7, the latter through 8; `other` uses 9, and `nobody` none. */
function planOf(beta: JsonObject): Plan {
  return planFor(desiredOf({ flags: {}, cohorts: { beta } }), {
    flags: [
      liveFlag(1, 'direct', on(7)),
      liveFlag(2, 'through', on(8)),
      liveFlag(3, 'other', on(9)),
      liveFlag(4, 'nobody'),
      liveFlag(5, 'gone', { ...on(7), deleted: true }),
    ],
    roleAccess: {},
    cohorts: [
      cohort(7, 'beta', { filters: PRO }),
      cohort(8, 'outer', { filters: group({ key: 'id', type: 'cohort', value: 7 }) }),
      cohort(9, 'another', { filters: PRO }),
    ],
  });
}

describe('the flags that a change of a cohort concerns', () => {
  test('are those with conditions on it, itself or through other cohorts, and no others', () => {
    const definition = group({ key: 'plan', type: 'person', operator: 'exact', value: 'free' });
    expect(planOf({ filters: definition }).warnings.filter(({ code }) => code === 'cohort_flags')).toEqual([
      { code: 'cohort_flags', key: 'cohort:beta', action: 'update', flags: ['direct', 'through'], uses: ['in'] },
    ]);
  });

  test('are named where its delete would leave conditions on no cohort', () => {
    expect(planOf({ deleted: true }).hazards).toMatchObject([
      { code: 'cohort_used', flags: ['direct', 'through'], cohorts: ['outer'] },
    ]);
  });

  test('are named where its definition begins to depend on events, which the service refuses', () => {
    expect(planOf({ filters: EVENTS }).warnings).toContainEqual({
      code: 'cohort_behavioral',
      key: 'cohort:beta',
      flags: ['direct', 'through'],
    });
    expect(planOf({ filters: PRO, description: 'New.' }).warnings.map(({ code }) => code)).not.toContain(
      'cohort_behavioral',
    );
  });
});

describe('what flags may do for somebody who joins the cohort', () => {
  const is = (operator: string, value: JsonValue = 7): JsonObject => ({ key: 'id', type: 'cohort', operator, value });
  const groups = (...properties: JsonObject[]): JsonObject => ({ groups: [{ properties }] });
  const variants = { variants: [{ key: 'red', rollout_percentage: 50 }] };
  const outer = (...leaves: JsonObject[]): Cohort => cohort(8, 'outer', { filters: group(...leaves) });
  const usesOf = (live: JsonObject, wanted: JsonObject, ...others: Cohort[]): readonly string[] | undefined => {
    const plan = planFor(
      {
        ...desiredOf({ flags: {}, cohorts: { beta: { filters: FREE } } }),
        ...desiredState(declared('a', { filters: wanted })),
      },
      {
        flags: [liveFlag(1, 'a', { filters: live })],
        roleAccess: {},
        cohorts: [cohort(7, 'beta', { filters: PRO }), ...others],
      },
    );
    return plan.warnings.flatMap((one) => (one.code === 'cohort_flags' ? (one.uses ?? []) : []));
  };

  test.each<[string, JsonObject, readonly string[], ...Cohort[]]>([
    ['turn on', groups(is('in')), ['in']],
    ['turn on where an old operator is ignored', groups(is('exact')), ['in']],
    ['turn off', groups(is('not_in')), ['not_in']],
    ['do both', { groups: [{ properties: [is('in')] }, { properties: [is('not_in')] }] }, ['in', 'not_in']],
    ['keep the variant where one condition decides', { ...groups(is('in')), multivariate: variants }, ['in']],
    [
      'get another variant where other conditions follow',
      { groups: [{ properties: [is('in')], variant: 'red' }, {}], multivariate: variants },
      ['in', 'variants'],
    ],
    ['do anything by a negation', groups({ ...is('in'), negation: true }), ['other']],
    ['do anything where the search ends early', { ...groups(is('in')), early_exit: true }, ['other']],
    ['do anything where early access asks', { groups: [{}], super_groups: [{ properties: [is('in')] }] }, ['other']],
    [
      'do anything by a flag',
      groups(is('in'), { key: 'b', type: 'flag', operator: 'flag_evaluates_to', value: true }),
      ['other'],
    ],
    ['do anything by unknown members', { ...groups(is('in')), unknown: [] }, ['other']],
    ['do anything by unknown members of a condition', { groups: [{ properties: [is('in')], unknown: 1 }] }, ['other']],
    ['do anything in other formats', { ...groups(is('in')), version: 2 }, []],
    ['turn on through a cohort', groups(is('in', 8)), ['in'], outer(is('in'))],
    ['turn off through a cohort', groups(is('not_in', 8)), ['not_in'], outer(is('in'))],
    ['do anything through a cohort that excludes it', groups(is('in', 8)), ['other'], outer(is('not_in'))],
    [
      'do anything through a cohort that negates it',
      groups(is('in', 8)),
      ['other'],
      outer({ ...is('in'), negation: true }),
    ],
    ['turn on though another cohort is excluded', groups(is('in', 8)), ['in'], outer(is('in'), is('not_in', 9))],
  ])('is to %s', (_, filters, uses, ...others) => {
    expect(usesOf(filters, filters, ...others, cohort(9, 'another', { filters: PRO }))).toEqual(uses);
  });

  test('is judged before and after the plan', () => {
    expect(usesOf(groups(is('in')), groups(is('not_in')))).toEqual(['in', 'not_in']);
    expect(usesOf(groups(is('not_in')), { groups: [{}] })).toEqual(['not_in']);
    expect(usesOf({ groups: [{}] }, groups(is('in')))).toEqual(['in']);
  });
});

const FREE = group({ key: 'plan', type: 'person', operator: 'exact', value: 'free' });
const onCohort = (value: string | number): JsonObject => ({ key: 'id', type: 'cohort', value });
const conditions = (value: string | number): JsonObject => ({
  filters: { groups: [{ properties: [onCohort(value)] }] },
});
const leavesOf = (filters: JsonObject): readonly JsonObject[] =>
  (filters['properties'] as { readonly values: readonly JsonObject[] }).values;

test('flags are named where one of two filters of another cohort, which theirs begins to name, depends on events', () => {
  const events = group(...leavesOf(PRO), ...leavesOf(EVENTS));
  const { warnings } = planFor(
    desiredOf({ flags: {}, cohorts: { beta: { filters: group(...leavesOf(PRO), onCohort(8)) } } }),
    {
      flags: [liveFlag(1, 'direct', on(7)), liveFlag(2, 'other', on(9))],
      roleAccess: {},
      cohorts: [cohort(7, 'beta', { filters: PRO }), cohort(8, 'events', { filters: events }), cohort(9, 'another')],
    },
  );
  expect(warnings).toContainEqual({ code: 'cohort_behavioral', key: 'cohort:beta', flags: ['direct'] });
});

test('a change of the name or description of a cohort concerns no flag', () => {
  expect(planOf({ description: 'New.', filters: PRO }).warnings).toEqual([]);
});

describe('a delete that leaves conditions on no cohort', () => {
  const deleteOf = (flags: readonly Flag[], cohorts: readonly Cohort[] = []) =>
    planFor(desiredOf({ flags: {}, cohorts: { beta: { deleted: true } } }), {
      flags,
      roleAccess: {},
      cohorts: [cohort(7, 'beta', { filters: PRO }), ...cohorts],
    }).hazards;
  const inUse = (id: number, active: boolean): Flag => liveFlag(id, `f${id}`, { ...on(7), active });
  const naming = (id: number, name: string | null): Cohort => cohort(id, '', { name, filters: group(onCohort(7)) });
  const permit = { kind: 'risky', value: 'cohort:beta' };

  test.each<[string, readonly Flag[], readonly Cohort[], object | undefined]>([
    ['may be permitted where only inactive flags use it', [inUse(1, false), liveFlag(2, 'b')], [], permit],
    ['is refused by the service where one of two flags is active', [inUse(1, false), inUse(2, true)], [], undefined],
    ['is refused by the service where a cohort uses it, too', [inUse(1, false)], [naming(8, 'outer')], undefined],
    ['may be permitted where the service is too old to refuse it', [of2023(inUse(1, true))], [], permit],
  ])('%s', (_what, flags, cohorts, expected) => {
    const hazards = deleteOf(flags, cohorts);
    expect(hazards).toMatchObject([{ code: 'cohort_used' }]);
    expect((hazards[0] as { permit?: object }).permit).toEqual(expected);
  });

  test('names other cohorts by alias, else by name, else by id, sorted', () => {
    const cohorts = [cohort(7, 'beta', { filters: PRO }), naming(12, 'zeta'), naming(11, null), naming(10, 'known')];
    const declared = { beta: { deleted: true }, alias: { filters: group(onCohort(7)) } };
    const { hazards } = planFor(desiredOf({ flags: {}, cohorts: declared }, { alias: 10 }), {
      flags: [],
      roleAccess: {},
      cohorts,
    });
    expect(hazards).toMatchObject([{ code: 'cohort_used', cohorts: ['alias', 'id 11', 'zeta'] }]);
  });
});

describe('members that are still to be computed', () => {
  const cohorts = [
    cohort(7, 'beta', { filters: PRO }),
    cohort(8, 'busy', { filters: PRO, is_calculating: true }),
    cohort(9, '', { name: null, is_calculating: true }),
  ];
  const warningsOf = (manifest: JsonObject): unknown =>
    planFor(desiredOf({ flags: {}, ...manifest }), {
      flags: [liveFlag(1, 'a', on(7)), liveFlag(2, 'gone', on(8))],
      roleAccess: {},
      cohorts,
    }).warnings.flatMap((one) => (one.code === 'cohort_calculating' ? [[one.key, one.cohort]] : []));
  const beta = { filters: PRO };
  const two = { n: conditions(8), m: conditions(7) };

  test.each<[string, JsonObject, unknown]>([
    ['a new cohort', { cohorts: { fresh: beta }, flags: { n: conditions('fresh') } }, [['n', 'fresh']]],
    [
      'a cohort with another definition',
      { cohorts: { beta: { filters: FREE } }, flags: { n: conditions('beta') } },
      [['n', 'beta']],
    ],
    [
      'no cohort that gets another description',
      { cohorts: { beta: { ...beta, description: 'D' } }, flags: { n: conditions('beta') } },
      [],
    ],
    ['a cohort that the service computes now, and not on another one', { flags: two }, [['n', 'busy']]],
    ['one that it computes, by alias', { cohorts: { busy: beta }, flags: { n: conditions('busy') } }, [['n', 'busy']]],
    ['one without a name', { flags: { n: conditions(9) } }, [['n', 'id 9']]],
    [
      'nothing new, whose conditions stay',
      { cohorts: { beta: { filters: FREE } }, flags: { a: { description: 'D' } } },
      [],
    ],
    ['nothing, because it goes', { flags: { gone: { deleted: true } } }, []],
  ])('are told of a flag that gets a condition on %s', (_what, manifest, expected) => {
    expect(warningsOf(manifest)).toEqual(expected);
  });
});

test('a flag on a cohort that another user deleted and the plan leaves so is refused, and one on another is not', () => {
  const cohorts = { beta: { filters: PRO }, other: { filters: PRO } };
  const facts = { kind: 'commit', commit: 'a'.repeat(40), from: 'ref' } as const;
  const options: BuildOptions = { ...planOptions(), base: { facts, desired: desiredOf({ cohorts }) }, keepDrift: true };
  const plan = buildPlan(
    desiredOf({ cohorts, flags: { n: conditions('beta'), m: conditions('other') } }),
    { flags: [], roleAccess: {}, cohorts: [cohort(9, 'other', { filters: PRO })] },
    options,
  );
  expect(plan.hazards).toMatchObject([
    {
      code: 'dependency_left',
      ref: 'flag:n',
      key: 'cohort:beta',
      dependent: 'n',
      why: 'deleted',
      permit: { kind: 'override', value: 'cohort:beta' },
    },
  ]);
});
