/** Which answers of named people change by a plan. */

import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import { type ChangedAnswer, createComparison } from '../../../src/review/expectations/compare-answers.ts';
import { withFoundNames } from '../../../src/posthog/reading/found-names.ts';
import type { DesiredState } from '../../../src/posthog/desired.ts';
import type { LiveState } from '../../../src/posthog/live.ts';
import { changedAnswerText } from '../../../src/report/words/answers.ts';
import { cohort, desiredOf } from '../../helpers/cohorts.ts';
import { declared, dependsOn, desiredState, liveFlag, liveState, planFor, retired } from '../../helpers/states.ts';
import { suiteOf } from './support.ts';

const PEOPLE = `people:
  ada: { properties: { country: US }, cohorts: [staff] }
  zoe: { properties: { country: DE } }
`;
const US = { key: 'country', type: 'person', operator: 'exact', value: ['US'] };
const forUs: JsonObject = { filters: { groups: [{ properties: [US], rollout_percentage: 100 }] } };
const forNobody: JsonObject = { filters: { groups: [{ properties: [], rollout_percentage: 0 }] } };

function compared(live: LiveState, desired: DesiredState, people = PEOPLE): readonly ChangedAnswer[] {
  const project = { name: 'test', roles: {}, cohorts: { staff: 12 } };
  const compare = createComparison({
    plan: planFor(desired, live),
    live,
    project: withFoundNames(project, desired, { live, shared: 'refuse' }),
    surroundings: { generation: 'rust-2026', now: Date.parse('2026-03-01T12:00:00Z') },
  });
  return [...suiteOf(people).people.values()].flatMap(compare);
}

function told(live: LiveState, desired: DesiredState, people = PEOPLE): readonly string[] {
  return compared(live, desired, people).map(changedAnswerText);
}

describe('the answers of named people', () => {
  test('change where a condition takes them in or leaves them out', () => {
    const everyone = liveFlag(1, 'a');
    expect(told(liveState([everyone]), desiredState(declared('a', forUs)))).toEqual([
      'zoe: a on → off: condition 1 (country is US) does not match',
    ]);
    const nobody = liveFlag(1, 'a', forNobody);
    expect(told(liveState([nobody]), desiredState(declared('a', forUs)))).toEqual([
      'ada: a off → on: condition 1 (country is US) matches',
    ]);
  });

  test('change by flags that are created, deleted and disabled', () => {
    const live = liveState([liveFlag(1, 'b'), liveFlag(2, 'c')]);
    const desired = desiredState(declared('a', forUs), retired('b'), declared('c', { active: false }));
    expect(told(live, desired).toSorted()).toEqual([
      'ada: a off → on: condition 1 (country is US) matches',
      'ada: b on → off: the project has no such flag',
      'ada: c on → off: the flag is disabled',
      'zoe: b on → off: the project has no such flag',
      'zoe: c on → off: the flag is disabled',
    ]);
  });

  test('change by the flags on which others depend, which are named by key', () => {
    const live = liveState([liveFlag(7, 'a'), liveFlag(8, 'b', { filters: dependsOn('7') })]);
    const [first, second] = told(live, desiredState(declared('a', forUs)));
    expect(first).toBe('zoe: a on → off: condition 1 (country is US) does not match');
    expect(second).toMatch(/^zoe: b on → off: condition 1 \(.*\ba\b.*\) does not match$/);
  });

  test('stay where a flag is renamed, or gets another description', () => {
    const renamed = declared('b', {}, { previousKeys: ['a'] });
    expect(told(liveState([liveFlag(1, 'a', forUs)]), desiredState(renamed))).toEqual([]);
    expect(told(liveState([liveFlag(1, 'a', forUs)]), desiredState(declared('a', { name: 'A' })))).toEqual([]);
  });

  test('change by a payload of the value that the person gets, which is not held', () => {
    const filters = (payload: string): JsonObject => ({
      ...(forUs['filters'] as JsonObject),
      payloads: { true: payload },
    });
    const live = liveState([liveFlag(1, 'a', { filters: filters('"old secret"') })]);
    const found = compared(live, desiredState(declared('a', { filters: filters('"new secret"') })));
    expect(found.map(changedAnswerText)).toEqual(['ada: a on, with another payload']);
    expect(JSON.stringify(found)).not.toContain('secret');
  });

  test('of nothing have no payload, whatever the service keeps for it', () => {
    const filters = (payload: string): JsonObject => ({
      ...(forUs['filters'] as JsonObject),
      payloads: { false: payload, true: payload },
    });
    const live = liveState([liveFlag(1, 'a', { filters: filters('"old"') })]);
    expect(told(live, desiredState(declared('a', { filters: filters('"new"') })))).toEqual([
      'ada: a on, with another payload',
    ]);
  });

  test('are undecided where the format of the filters is unknown', () => {
    const live = liveState([liveFlag(1, 'a', { filters: { version: 2, rules: [] } }), liveFlag(2, 'b', forNobody)]);
    const desired = desiredState(declared('b', { filters: dependsOn('a') }));
    expect(told(live, desired)).toEqual([
      'ada: b off → undecided, since it depends on a flag that does not exist or cannot be evaluated',
      'zoe: b off → undecided, since it depends on a flag that does not exist or cannot be evaluated',
    ]);
  });

  test('are undecided of a flag in such a format that changes', () => {
    const live = liveState([liveFlag(1, 'a', { filters: { version: 2, rules: [] } })]);
    const found = compared(live, desiredState(declared('a', { active: false })));
    expect(found.map(({ person, before }) => [person, before])).toEqual(
      ['ada', 'zoe'].map((person) => [person, { kind: 'undecided', why: 'unknown_format' }]),
    );
  });

  test('are explained by no condition where an early access feature decides', () => {
    const enrolled = [{ ...US, key: '$feature_enrollment/a' }];
    const filters = { ...(forUs['filters'] as JsonObject), super_groups: [{ properties: enrolled }] };
    const live = liveState([liveFlag(1, 'a', { filters: { ...filters, groups: [] } })]);
    const person = 'people: { eve: { properties: { $feature_enrollment/a: US, country: DE } } }\n';
    const off = desiredState(declared('a', { active: false }));
    expect(told(live, off, person)).toEqual(['eve: a on → off: the flag is disabled']);
    expect(compared(live, off, person)[0]?.before).toEqual({
      kind: 'decided',
      answer: { value: true, reason: 'super_condition_value', conditions: 0 },
    });
  });

  test('follow cohorts: those that people name by alias, and definitions that the plan changes', () => {
    const inCohort = (id: number | string): JsonObject => ({
      filters: { groups: [{ properties: [{ key: 'id', type: 'cohort', value: id }], rollout_percentage: 100 }] },
    });
    const live = liveState([liveFlag(1, 'a', forNobody)]);
    expect(told(live, desiredState(declared('a', inCohort(12))))).toEqual([
      'ada: a off → on: condition 1 (in cohort staff) matches',
    ]);
    const of = (country: string): JsonObject => ({
      properties: { type: 'OR', values: [{ type: 'AND', values: [{ ...US, value: [country] }] }] },
    });
    const cohorts = [cohort(30, 'Locals', { filters: of('US') })];
    const desired = desiredOf({ cohorts: { locals: { name: 'Locals', filters: of('DE') } } });
    expect(told({ ...liveState([liveFlag(1, 'a', inCohort(30))]), cohorts }, desired)).toEqual([
      'ada: a on → off: condition 1 (in cohort locals) does not match',
      'zoe: a off → on: condition 1 (in cohort locals) matches',
    ]);
    const without = desiredOf({ cohorts: { locals: { deleted: true } } }, { locals: 30 });
    expect(told({ ...liveState([liveFlag(1, 'a', inCohort(30))]), cohorts }, without)).toEqual([
      'ada: a on → off: condition 1 (in cohort locals) does not match',
    ]);
  });

  test('change by a deleted cohort also where a condition asks who is not in it: nobody matches', () => {
    const notIn = { key: 'id', type: 'cohort', operator: 'not_in', value: 30 };
    const filters = { groups: [{ properties: [notIn], rollout_percentage: 100 }] };
    const live = {
      ...liveState([liveFlag(1, 'a', { filters })]),
      cohorts: [cohort(30, 'Locals', { filters: { properties: { type: 'AND', values: [US] } } })],
    };
    const without = desiredOf({ cohorts: { locals: { deleted: true } } }, { locals: 30 });
    expect(told(live, without)).toEqual(['zoe: a on → off: condition 1 (not in cohort locals) does not match']);
  });

  test('follow a cohort whose id is also that of a flag that changes', () => {
    const inCohort = { groups: [{ properties: [{ key: 'id', type: 'cohort', value: 30 }], rollout_percentage: 100 }] };
    const live = {
      ...liveState([liveFlag(30, 'a', forNobody)]),
      cohorts: [cohort(30, 'Locals', { filters: { properties: { type: 'AND', values: [US] } } })],
    };
    expect(told(live, desiredState(declared('a', { filters: inCohort })))).toEqual([
      expect.stringMatching(/^ada: a off → on: condition 1 /),
    ]);
  });

  test('stay where a cohort only gets another name', () => {
    const of = { properties: { type: 'AND', values: [US] } };
    const inCohort = { groups: [{ properties: [{ key: 'id', type: 'cohort', value: 30 }] }] };
    const live = {
      ...liveState([liveFlag(1, 'a', { filters: inCohort })]),
      cohorts: [cohort(30, 'Locals', { filters: of })],
    };
    const renamed = { name: 'Neighbours', previous_names: ['Locals'], filters: of };
    expect(told(live, desiredOf({ cohorts: { locals: renamed } }, { locals: 30 }))).toEqual([]);
  });

  test('are explained by the condition that decides, of two that differ, and by none where neither of two matches', () => {
    const forGermans = { properties: [{ ...US, value: ['DE'] }], rollout_percentage: 100 };
    const [us = {}] = (forUs['filters'] as { groups: JsonObject[] }).groups;
    const both = declared('a', { filters: { groups: [us, forGermans] } });
    expect(told(liveState([liveFlag(1, 'a', forNobody)]), desiredState(both))).toEqual([
      'ada: a off → on: condition 1 (country is US) matches',
      'zoe: a off → on: condition 2 (country is DE) matches',
    ]);
    const elsewhere = ['FR', 'IT'].map((country) => ({ ...us, properties: [{ ...US, value: [country] }] }));
    expect(
      told(liveState([liveFlag(1, 'a')]), desiredState(declared('a', { filters: { groups: elsewhere } }))),
    ).toEqual([
      'ada: a on → off: none of the 2 conditions matches',
      'zoe: a on → off: none of the 2 conditions matches',
    ]);
  });
});

describe('where only the service can decide a filter, the answers of named people', () => {
  const unknown = { key: 'country', type: 'person', operator: 'sounds_like', value: 'us' };
  const groups = (...properties: readonly JsonObject[]): JsonObject => ({
    filters: { groups: properties.map((property) => ({ properties: [property], rollout_percentage: 100 })) },
  });
  const OPEN = 'undecided, since it depends on a filter that only the service can decide';

  test.each<[string, JsonObject]>([
    ['an operator that this release does not know', unknown],
    ['a type that this release does not know', { ...US, type: 'household' }],
  ])('are undecided by %s', (_, filter) => {
    const live = liveState([liveFlag(1, 'a', groups(filter))]);
    expect(told(live, desiredState(declared('a', forUs)))).toEqual([
      'ada: a undecided → on: condition 1 (country is US) matches',
      'zoe: a undecided → off: condition 1 (country is US) does not match',
    ]);
    expect(told(liveState([liveFlag(1, 'a', forNobody)]), desiredState(declared('a', groups(filter))))).toEqual([
      `ada: a off → ${OPEN}`,
      `zoe: a off → ${OPEN}`,
    ]);
  });

  test('are decided if another condition decides either way, and are not listed if nothing changes either way', () => {
    const live = liveState([liveFlag(1, 'a', groups(unknown))]);
    const forGermans = { ...US, value: ['DE'] };
    expect(told(live, desiredState(declared('a', groups(unknown, forGermans))))).toEqual([
      'zoe: a undecided → on: a condition matches',
    ]);
  });

  test('are the same question before and after a plan that changes a cohort, too', () => {
    const live = {
      ...liveState([liveFlag(1, 'a', groups(unknown))]),
      cohorts: [cohort(40, 'Locals', { filters: { properties: { type: 'AND', values: [US] } } })],
    };
    const moved = { name: 'Locals', filters: { properties: { type: 'AND', values: [{ ...US, value: ['FR'] }] } } };
    const both = groups(unknown, { ...US, value: ['DE'] });
    const desired = { ...desiredOf({ cohorts: { locals: moved } }), ...desiredState(declared('a', both)) };
    expect(told(live, desired)).toEqual(['zoe: a undecided → on: a condition matches']);
  });

  test('are decided by the flags that do not ask for it', () => {
    const live = liveState([liveFlag(7, 'a', groups(unknown)), liveFlag(8, 'b', forNobody)]);
    expect(told(live, desiredState(declared('b', forUs)))).toEqual([
      'ada: b off → on: condition 1 (country is US) matches',
    ]);
  });

  test('are undecided where the other side is for another reason, whatever the service decides', () => {
    const format = liveFlag(1, 'a', { filters: { version: 2, rules: [] } });
    const asked = (groups(unknown)['filters'] as { groups: JsonObject[] }).groups;
    const also = (dependsOn('a') as { groups: JsonObject[] }).groups;
    const desired = desiredState(declared('b', { filters: { groups: [...asked, ...also] } }));
    expect(told(liveState([format, liveFlag(2, 'b', groups(unknown))]), desired)).toEqual(
      ['ada', 'zoe'].map(
        (name) => `${name}: b undecided, since it depends on a flag that does not exist or cannot be evaluated`,
      ),
    );
  });

  test('are undecided by a cohort whose definition asks for it', () => {
    const asking = { properties: { type: 'AND', values: [unknown] } };
    const live = { ...liveState([liveFlag(1, 'a', forNobody)]), cohorts: [cohort(40, 'Near', { filters: asking })] };
    const inCohort = { key: 'id', type: 'cohort', value: 40 };
    expect(told(live, desiredState(declared('a', groups(inCohort))))).toEqual([
      `ada: a off → ${OPEN}`,
      `zoe: a off → ${OPEN}`,
    ]);
  });

  test('are undecided through the flags on which others depend', () => {
    const live = liveState([liveFlag(7, 'a', groups(unknown)), liveFlag(8, 'b', forNobody)]);
    const [first] = told(live, desiredState(declared('b', { filters: dependsOn('a') })));
    expect(first).toBe(`ada: b off → ${OPEN}`);
  });

  describe('by a cohort that is defined by events', () => {
    const leaf = (days: number): JsonObject => ({
      type: 'behavioral',
      key: '$pageview',
      value: 'performed_event',
      event_type: 'events',
      time_value: days,
      time_interval: 'day',
    });
    const of = (...values: readonly JsonObject[]): JsonObject => ({ properties: { type: 'AND', values } });
    const inCohort = (id: number): JsonObject => ({ key: 'id', type: 'cohort', value: id });
    const cohorts = [
      cohort(12, 'Staff', { filters: of(leaf(7)) }),
      cohort(13, 'Outer', { filters: of(inCohort(12)) }),
      cohort(14, 'Itself', { filters: of(inCohort(14)) }),
    ];

    test.each([12, 13])('are undecided unless the person names it (%d)', (id) => {
      const live = { ...liveState([liveFlag(1, 'a', forNobody)]), cohorts };
      const [ada, zoe] = told(live, desiredState(declared('a', groups(inCohort(id)))));
      expect(ada).toMatch(/^ada: a off → on: condition 1 /);
      expect(zoe).toBe(`zoe: a off → ${OPEN}`);
    });

    test('are decided by a cohort that contains itself: it has no members', () => {
      const live = { ...liveState([liveFlag(1, 'a')]), cohorts };
      expect(told(live, desiredState(declared('a', groups(inCohort(14)))))[0]).toMatch(/^ada: a on → off: /);
    });

    test('are undecided before and after the events change', () => {
      const live = { ...liveState([liveFlag(1, 'a', groups(inCohort(12)))]), cohorts };
      const desired = desiredOf({ cohorts: { staff: { name: 'Staff', filters: of(leaf(30)) } } });
      expect(told(live, desired)).toEqual([`zoe: a ${OPEN}`]);
    });
  });
});
