/** PostHog's tests of the blast radius, in the names and values of both eras. */

import type { JsonObject } from '../../../../src/base/json.ts';
import { ok, refusal, type Expectation, type Step } from '../behaviour.ts';
import type { ServerTest } from './case.ts';

function persons(count: number, properties: (index: number) => JsonObject): JsonObject {
  return {
    persons: Array.from({ length: count }, (_none, index) => ({
      distinct_ids: [`person${index}`],
      properties: properties(index),
    })),
  };
}

function groups(count: number, properties: (index: number) => JsonObject): JsonObject {
  return {
    group_types: [
      { group_type_index: 0, group_type: 'organization' },
      { group_type_index: 1, group_type: 'company' },
    ],
    groups: Array.from({ length: count }, (_none, index) => ({
      group_type_index: 0,
      key: `org:${index}`,
      properties: properties(index),
    })),
  };
}

function reaches(affected: number, total: number, body: JsonObject): Step {
  const answers = {
    documented: ok({ users_affected: affected, total_users: total }),
    posthog: ok({ affected, total }),
  };
  return { ask: 'POST /feature_flags/user_blast_radius', body, expect: answers };
}

function refuses(body: JsonObject, expect: Expectation): Step {
  return { ask: 'POST /feature_flags/user_blast_radius', body, expect };
}

function ofPersons(...properties: readonly JsonObject[]): JsonObject {
  return { condition: { properties, rollout_percentage: 25 } };
}

function ofGroups(typeIndex: number, ...properties: readonly JsonObject[]): JsonObject {
  return { condition: { properties, rollout_percentage: 25 }, group_type_index: typeIndex };
}

function group(value: JsonObject[string], key = 'group'): JsonObject {
  return { key, type: 'person', value: value ?? null, operator: 'exact' };
}

function industry(...value: readonly number[]): JsonObject {
  return { key: 'industry', type: 'group', value, operator: 'exact', group_type_index: 0 };
}

function groupKey(operator: string, value: JsonObject[string]): JsonObject {
  return { key: '$group_key', type: 'group', value: value ?? null, operator, group_type_index: 0 };
}

const onFlag = { key: '1', type: 'flag', value: true, operator: 'flag_evaluates_to' };
const tenPersons = persons(10, (index) => ({ group: String(index) }));
const tenGroups = groups(10, (index) => ({ industry: String(index) }));
const numbers = (...values: readonly number[]): JsonObject => ({
  properties: { type: 'OR', values: [{ type: 'OR', values: [group('none'), group(values.map(String))] }] },
});

export const BLAST_RADIUS: readonly ServerTest[] = [
  {
    name: 'test_user_blast_radius',
    seed: tenPersons,
    steps: [
      reaches(4, 10, ofPersons(group([0, 1, 2, 3]))),
      reaches(1, 10, ofPersons(group(4))),
      reaches(0, 10, ofPersons(group([88]))),
      reaches(10, 10, ofPersons()),
    ],
  },
  { name: 'test_user_blast_radius_with_zero_users', steps: [reaches(0, 0, ofPersons(group([0, 1])))] },
  {
    name: 'test_user_blast_radius_with_integer_property_values',
    seed: {
      persons: [25, '25', 30].map((age, index) => ({ distinct_ids: [`p${index}`], properties: { age } })),
    },
    steps: [reaches(2, 3, ofPersons(group([25], 'age')))],
  },
  {
    name: 'test_user_blast_radius_without_condition',
    seed: tenPersons,
    steps: [
      refuses({}, refusal(400, 'invalid_input', null)),
      reaches(10, 10, { condition: null }),
      reaches(10, 10, { condition: {} }),
    ],
  },
  {
    name: 'test_user_blast_radius_with_flag_dependency_and_person_property',
    only: 'posthog',
    seed: { ...tenPersons, flags: [{ key: 'dependency-flag' }] },
    steps: [
      reaches(10, 10, ofPersons({ ...onFlag, value: false })),
      reaches(4, 10, ofPersons(onFlag, group([0, 1, 2, 3]))),
    ],
  },
  {
    name: 'test_user_blast_radius_with_groups_and_flag_dependency',
    only: 'posthog',
    seed: { ...tenGroups, flags: [{ key: 'dependency-flag' }] },
    steps: [reaches(4, 10, ofGroups(0, onFlag, industry(0, 1, 2, 3)))],
  },
  {
    name: 'test_user_blast_radius_with_relative_date_filters',
    only: 'posthog',
    seed: persons(8, (index) => ({ created_at: `2025-0${index + 1}-04` })),
    steps: [reaches(5, 8, ofPersons({ key: 'created_at', type: 'person', value: '-10m', operator: 'is_date_before' }))],
  },
  {
    name: 'test_user_blast_radius_with_distinct_id_filter_multiple_distinct_ids_per_person',
    seed: {
      persons: [
        { distinct_ids: ['alias-a', 'alias-b'], properties: { group: '0' } },
        { distinct_ids: ['other'], properties: { group: '1' } },
      ],
    },
    steps: [
      reaches(1, 2, ofPersons(group(['alias-a', 'alias-b'], 'distinct_id'))),
      reaches(1, 2, ofPersons(group(['alias-b'], 'distinct_id'))),
    ],
  },
  {
    name: 'test_user_blast_radius_with_multiple_static_cohorts',
    seed: {
      ...tenPersons,
      cohorts: [
        { id: 1, name: 'cohort1', persons: ['person0', 'person1', 'person2'] },
        { id: 2, name: 'cohort2', filters: numbers(1, 2, 4, 5, 6) },
        { id: 3, name: 'cohort3', filters: numbers(1, 2, 3) },
      ],
    },
    steps: [
      reaches(2, 10, ofPersons({ key: 'id', type: 'cohort', value: 1 }, { key: 'id', type: 'cohort', value: 2 })),
      reaches(3, 10, ofPersons({ key: 'id', type: 'cohort', value: 3 })),
      refuses(ofPersons({ key: 'id', type: 'cohort', value: 99 }), refusal(400, 'invalid_input', 'filters')),
    ],
  },
  {
    name: 'test_user_blast_radius_with_groups',
    seed: tenGroups,
    steps: [
      reaches(4, 10, ofGroups(0, industry(0, 1, 2, 3))),
      reaches(0, 10, ofGroups(0, industry(88))),
      reaches(3, 10, ofGroups(0, industry(0, 1, 2, 3, 4), industry(2, 3, 4, 5, 6))),
      reaches(10, 10, ofGroups(0)),
      reaches(0, 0, ofGroups(1)),
      reaches(0, 0, ofGroups(4)),
    ],
  },
  {
    name: 'test_user_blast_radius_with_groups_incorrect_group_type',
    seed: tenGroups,
    steps: [
      refuses(ofGroups(1, industry(0, 1, 2, 3, 4)), refusal(400, 'invalid_input', null)),
      refuses(
        ofGroups(0, { key: 'industry', type: 'group', value: '1', operator: 'exact' }),
        refusal(400, 'invalid_input', null),
      ),
    ],
  },
  {
    name: 'test_user_blast_radius_with_group_key_property',
    seed: groups(10, () => ({ size: 'large' })),
    steps: [
      reaches(1, 10, ofGroups(0, groupKey('exact', 'org:3'))),
      reaches(2, 10, ofGroups(0, groupKey('exact', ['org:0', 'org:1']))),
      reaches(8, 10, ofGroups(0, groupKey('is_not', ['org:0', 'org:1']))),
      reaches(2, 10, ofGroups(0, groupKey('in', ['org:0', 'org:1']))),
      reaches(8, 10, ofGroups(0, groupKey('not_in', ['org:0', 'org:1']))),
      reaches(1, 10, ofGroups(0, { key: '$group_key', type: 'group', value: 'org:3', group_type_index: 0 })),
      reaches(10, 10, ofGroups(0, groupKey('icontains', 'ORG:'))),
      reaches(0, 10, ofGroups(0, groupKey('not_icontains', 'ORG'))),
      reaches(2, 10, ofGroups(0, groupKey('regex', '^org:[12]$'))),
      reaches(8, 10, ofGroups(0, groupKey('not_regex', '^org:[12]$'))),
      reaches(1, 10, ofGroups(0, groupKey('icontains', ':7'), { ...groupKey('exact', 'large'), key: 'size' })),
    ],
  },
  {
    name: 'test_user_blast_radius_with_group_key_unsupported_operator',
    seed: tenGroups,
    steps: [refuses(ofGroups(0, groupKey('gt', '5')), refusal(400, 'invalid_input', null))],
  },
  {
    name: 'test_user_blast_radius_with_group_key_icontains_list_values_raises_error',
    seed: tenGroups,
    steps: [refuses(ofGroups(0, groupKey('icontains', ['alpha', 'beta'])), refusal(400, 'invalid_input', null))],
  },
  {
    name: 'test_user_blast_radius_with_semver_operators',
    only: 'posthog',
    seed: {
      persons: ['0.9.0', '1.0.0', '1.2.0', '1.2.3', '1.2.5', '1.3.0', '2.0.0', '2.1.0'].map((version) => ({
        distinct_ids: [`person_${version}`],
        properties: { app_version: version },
      })),
    },
    steps: Object.entries({
      semver_eq: 1,
      semver_gt: 4,
      semver_gte: 5,
      semver_lt: 3,
      semver_lte: 4,
      semver_tilde: 2,
      semver_caret: 3,
    }).map(([operator, affected]) =>
      reaches(affected, 8, ofPersons({ key: 'app_version', type: 'person', value: '1.2.3', operator })),
    ),
  },
];
