/** Filters that live services hold although current rules refuse them, each the `filters` of one flag. */

import type { JsonObject, JsonValue } from '../../../src/base/json.ts';

export interface LegacyShape {
  readonly what: string;
  readonly filters: JsonObject;
  /** How an export writes it: as checked filters, or as unchecked ones under `fields`. */
  readonly form: 'checked' | 'unchecked' | 'either';
}

const groups = (...conditions: readonly JsonValue[]): JsonObject => ({ groups: conditions });
const condition = (rest: JsonObject): JsonObject => groups({ properties: [], rollout_percentage: 50, ...rest });
const properties = (...list: readonly JsonValue[]): JsonObject => condition({ properties: list });
const person = (operator: JsonValue, value?: JsonValue): JsonObject =>
  properties({ key: 'email', type: 'person', operator, ...(value === undefined ? {} : { value }) });
const cohort = (rest: JsonObject): JsonObject => properties({ key: 'id', type: 'cohort', ...rest });
const dependency = (rest: JsonObject): JsonObject =>
  properties({ key: '1', type: 'flag', operator: 'flag_evaluates_to', value: true, ...rest });
const group = (rest: JsonObject): JsonObject => ({
  ...properties({ key: 'name', type: 'group', group_type_index: 0, operator: 'exact', value: 'Acme', ...rest }),
  aggregation_group_type_index: 0,
});
const variants = (...list: readonly JsonValue[]): JsonObject => ({
  ...condition({}),
  multivariate: { variants: list },
});
const variant = (key: JsonValue, share: JsonValue): JsonObject => ({ key, rollout_percentage: share });
const payloads = (stored: JsonValue): JsonObject => ({ ...condition({}), payloads: stored });

const row = (form: LegacyShape['form'], what: string, filters: JsonObject): LegacyShape => ({ what, filters, form });
const checked = (what: string, filters: JsonObject): LegacyShape => row('checked', what, filters);
const either = (what: string, filters: JsonObject): LegacyShape => row('either', what, filters);
const unchecked = (what: string, filters: JsonObject): LegacyShape => row('unchecked', what, filters);

const TREE = { type: 'AND', values: [{ key: 'email', type: 'person', operator: 'exact', value: ['a@acme.com'] }] };

export const LEGACY_SHAPES: readonly LegacyShape[] = [
  // Values of operators.
  unchecked('gt with a number', person('gt', 25)),
  unchecked('gte with a number', person('gte', 25)),
  unchecked('lt with a number', person('lt', 2.5)),
  unchecked('lte with a number', person('lte', 0)),
  unchecked('min with a number', person('min', 5)),
  unchecked('max with a list', person('max', ['5'])),
  unchecked('gt with a boolean', person('gt', true)),
  checked('gt with a string that is not a number', person('gt', 'many')),
  unchecked('icontains with a list', person('icontains', ['@acme.com'])),
  unchecked('icontains with a number', person('icontains', 5)),
  unchecked('icontains with null', person('icontains', null)),
  unchecked('icontains without a value', person('icontains')),
  unchecked('not_icontains with a list', person('not_icontains', ['a', 'b'])),
  unchecked('exact without a value', person('exact')),
  unchecked('exact with null', person('exact', null)),
  unchecked('exact with an object', person('exact', { a: 1 })),
  unchecked('exact with a list of lists', person('exact', [['a']])),
  checked('exact with a list that holds null', person('exact', ['a', null])),
  unchecked('is_not with an object', person('is_not', {})),
  unchecked('neither operator nor value', properties({ key: 'email', type: 'person' })),
  unchecked('starts_with with a number', person('starts_with', 4)),
  unchecked('icontains_multi with a string', person('icontains_multi', 'a')),
  unchecked('icontains_multi with numbers', person('icontains_multi', [1, 2])),
  unchecked('between with a string', person('between', '1,2')),
  unchecked('between with one number', person('between', [1])),
  unchecked('between with an object', person('between', { from: 1, to: 2 })),
  unchecked('a pattern that is a number', person('regex', 5)),
  unchecked('a pattern that is a list', person('regex', ['a.*'])),
  unchecked('a pattern that does not end', person('regex', '(a')),
  checked('a pattern with a condition', person('not_regex', '(a)?(?(1)b|c)')),
  unchecked('a pattern with a branch reset', person('regex', '(?|a|(b)')),
  unchecked('a pattern with a recursion', person('regex', '(?1)')),
  either('a date that is a year', person('is_date_before', '2024')),
  unchecked('a date in words', person('is_date_before', 'next week')),
  unchecked('a date that is a number', person('is_date_after', 1735689600)),
  unchecked('a date that is a list', person('is_date_exact', ['2024-01-01'])),
  unchecked('a relative date with a fraction', person('is_date_before', '-7.5d')),
  unchecked('a version in words', person('semver_eq', 'latest')),
  unchecked('a version that is a number', person('semver_gt', 1.2)),
  unchecked('a version with odd wildcards', person('semver_wildcard', '1.x.y')),

  // Operators and types.
  unchecked('an unknown operator', person('is_cool', 'a')),
  unchecked('a misspelled operator', person('icontain', 'a')),
  unchecked('an operator that is a number', person(5, 'a')),
  unchecked('an operator that is an object', person({ op: 'exact' }, 'a')),
  unchecked('an empty operator', person('', 'a')),
  checked('an operator that is null', person(null, 'a')),
  unchecked('in for a person', person('in', [1])),
  unchecked('flag_evaluates_to for a person', person('flag_evaluates_to', true)),
  unchecked('an unknown type', properties({ key: 'a', type: 'behavioral', operator: 'exact', value: 'b' })),
  unchecked('a type of events', properties({ key: '$pageview', type: 'event', operator: 'exact', value: 'b' })),
  unchecked('a type that is a number', properties({ key: 'a', type: 3, operator: 'exact', value: 'b' })),
  checked('a type that is null', properties({ key: 'a', type: null, operator: 'exact', value: 'b' })),
  checked('no type', properties({ key: 'a', operator: 'exact', value: 'b' })),

  // Cohorts and other flags.
  checked('a cohort without an operator', cohort({ value: 42 })),
  checked('a cohort as a string of digits', cohort({ operator: 'in', value: '42' })),
  checked('a cohort with exact', cohort({ operator: 'exact', value: 42 })),
  unchecked('a cohort by a name', cohort({ operator: 'in', value: 'Power users' })),
  unchecked('a cohort by the name of an alias', cohort({ operator: 'in', value: 'beta-testers' })),
  unchecked('a list of cohorts', cohort({ operator: 'in', value: [42, 43] })),
  unchecked('no cohort', cohort({ operator: 'in', value: null })),
  unchecked('a cohort that is an object', cohort({ operator: 'in', value: { id: 42 } })),
  unchecked('a negative cohort', cohort({ operator: 'in', value: -42 })),
  checked('a dependency on a flag that does not exist', dependency({ key: '999999' })),
  checked('a dependency by a key', dependency({ key: 'somebody-else' })),
  unchecked('a dependency without an operator', properties({ key: '1', type: 'flag', value: true })),
  unchecked('a dependency with exact', dependency({ operator: 'exact' })),
  unchecked('a dependency on a number', dependency({ value: 1 })),
  unchecked('a dependency on nothing', dependency({ value: null })),
  unchecked('a dependency on a flag with a fraction', dependency({ key: 1.5 })),

  // Group types.
  either('a group property without an index', {
    ...properties({ key: 'name', type: 'group', operator: 'exact', value: 'Acme' }),
    aggregation_group_type_index: 0,
  }),
  unchecked('a group property with another index', group({ group_type_index: 1 })),
  unchecked('a group property with an index as a string', group({ group_type_index: '0' })),
  unchecked('a group property with a negative index', group({ group_type_index: -1 })),
  unchecked(
    'a group property for persons',
    properties({ key: 'name', type: 'group', operator: 'exact', value: 'Acme' }),
  ),
  unchecked('a person property for groups', { ...person('exact', 'a'), aggregation_group_type_index: 0 }),
  unchecked('a flag for groups with a condition for persons', {
    ...condition({ aggregation_group_type_index: null }),
    aggregation_group_type_index: 0,
  }),
  unchecked('a group type as a string', { ...condition({}), aggregation_group_type_index: '0' }),
  unchecked('a negative group type', { ...condition({}), aggregation_group_type_index: -1 }),
  unchecked('a group type with a fraction', condition({ aggregation_group_type_index: 0.5 })),
  checked('a group type of the condition only', condition({ aggregation_group_type_index: 0 })),

  // Properties.
  unchecked('a property without a key', properties({ type: 'person', operator: 'exact', value: 'a' })),
  either('a property with an empty key', properties({ key: '', type: 'person', operator: 'exact', value: 'a' })),
  checked('a property with a number as key', properties({ key: 5, type: 'person', operator: 'exact', value: 'a' })),
  unchecked('a property with a fraction as key', properties({ key: 0.5, operator: 'exact', value: 'a' })),
  unchecked('a property with a list as key', properties({ key: ['a'], operator: 'exact', value: 'a' })),
  unchecked('a property with null as key', properties({ key: null, operator: 'exact', value: 'a' })),
  unchecked('a property that is a string', properties('email')),
  unchecked('a property that is null', properties(null)),
  unchecked('a property that is a list', properties([{ key: 'a', value: 'b' }])),
  unchecked('a property with a negation in words', properties({ key: 'a', value: 'b', negation: 'yes' })),
  unchecked('a property with a misspelled member', properties({ key: 'a', value: 'b', operater: 'exact' })),
  checked('a property with an unknown member', properties({ key: 'a', value: 'b', bytecode: ['_H', 1] })),
  unchecked('properties as a tree', condition({ properties: TREE })),
  unchecked('properties as a tree of trees', condition({ properties: { type: 'OR', values: [TREE, TREE] } })),
  unchecked('properties as an empty object', condition({ properties: {} })),
  unchecked('properties as a string', condition({ properties: 'email' })),
  unchecked('properties as a number', condition({ properties: 0 })),
  unchecked('properties as false', condition({ properties: false })),
  checked('properties as null', condition({ properties: null })),

  // Conditions.
  unchecked('a condition that is null', groups(null)),
  unchecked('a condition that is a string', groups('everybody')),
  unchecked('a condition that is a list', groups([{ rollout_percentage: 5 }])),
  unchecked('a condition with a rollout as a string', condition({ rollout_percentage: '50' })),
  unchecked('a condition with a rollout above 100', condition({ rollout_percentage: 150 })),
  unchecked('a condition with a rollout below 0', condition({ rollout_percentage: -1 })),
  unchecked('a condition with a rollout in a list', condition({ rollout_percentage: [50] })),
  unchecked('a condition with a rollout of true', condition({ rollout_percentage: true })),
  unchecked('a condition with a number as description', condition({ description: 5 })),
  unchecked('a condition with a variant that the flag does not have', condition({ variant: 'test' })),
  unchecked('a condition with a variant that is a number', condition({ variant: 1 })),
  unchecked('a condition with a member that resembles the rollout', condition({ rollout: 5 })),
  checked('a condition with an unknown member', condition({ schedule_window: 5 })),
  unchecked('a condition with a misspelled member', condition({ propertys: [] })),
  unchecked('groups that are null', { groups: null }),
  unchecked('groups that are an object', { groups: { '0': { rollout_percentage: 5 } } }),
  unchecked('groups that are a string', { groups: 'everybody' }),
  checked('groups that are empty', { groups: [] }),
  unchecked('no groups', { multivariate: null }),
  unchecked('nothing', {}),
  unchecked('the form before groups', { properties: [{ key: 'a', value: 'b' }], rollout_percentage: 10 }),

  // Variants.
  unchecked('variants that add up to 99.99', variants(variant('a', 33.33), variant('b', 33.33), variant('c', 33.33))),
  unchecked('variants that add up to 40', variants(variant('a', 20), variant('b', 20))),
  unchecked('variants that add up to 0', variants(variant('a', 0))),
  unchecked('variants with the same key', variants(variant('a', 50), variant('a', 50))),
  unchecked('a variant without a key', variants({ rollout_percentage: 100 })),
  unchecked('a variant with a number as key', variants(variant(1, 100))),
  unchecked('a variant with an empty key', variants(variant('', 100))),
  checked('a variant with a space in its key', variants(variant('the test', 100))),
  unchecked('a variant without a share', variants({ key: 'a' })),
  unchecked('a variant with a share as a string', variants(variant('a', '100'))),
  unchecked('variants beyond 0 and 100', variants(variant('a', 120), variant('b', -20))),
  unchecked('a variant that is a string', variants('a')),
  unchecked('variants that are null', { ...condition({}), multivariate: { variants: null } }),
  unchecked('variants that are an object', { ...condition({}), multivariate: { variants: { a: 50, b: 50 } } }),
  checked('variants that are empty', variants()),
  unchecked('a multivariate that is a list', { ...condition({}), multivariate: [variant('a', 100)] }),
  unchecked('a multivariate that is a string', { ...condition({}), multivariate: 'a' }),
  unchecked('a multivariate that is false', { ...condition({}), multivariate: false }),

  // Payloads.
  unchecked('a payload without a variant', {
    ...variants(variant('a', 50), variant('b', 50)),
    payloads: { a: '1', c: '2' },
  }),
  unchecked('a payload of true beside variants', { ...variants(variant('a', 100)), payloads: { true: '1' } }),
  unchecked('a payload of on', payloads({ on: '"red"' })),
  unchecked('a payload that is no JSON', payloads({ true: 'red' })),
  unchecked('a payload with single quotes', payloads({ true: "{'color': 'red'}" })),
  checked('a payload that is an object', payloads({ true: { color: 'red' } })),
  unchecked('payloads that are a list', payloads([1, 2])),
  unchecked('payloads that are a string', payloads('{"true": 1}')),
  unchecked('payloads that are a number', payloads(0)),

  // Filters as a whole.
  checked('filters of version 2', {
    version: 2,
    return_type: 'string',
    fallthrough_value: 'off',
    rules: [{ id: 'r1', release_type: 'percentage', properties: TREE, value: 'on' }],
  }),
  unchecked('filters of version 1', { ...condition({}), version: 1 }),
  unchecked('a member nearly known', { ...condition({}), payload: { true: '1' } }),
  checked('a member nobody knows', { ...condition({}), targeting_strategy: { kind: 'fast' } }),
  unchecked('an early exit in words', { ...condition({}), early_exit: 'yes' }),
  checked('odd parts of other products', { ...condition({}), holdout_groups: 'x', super_groups: { a: 1 } }),
  checked('hard strings', person('exact', ['<<', '~', 'yes', '1e3', '\u{1b}[31m', ' a ', 'a\r\nb', '\u{2028}'])),
  unchecked('hard strings in what nobody checks', person('gt', ['<<', '~', 'no', '0x1', '\u{1b}', ' a ', 'a\r\n', ''])),
  unchecked('hard names', {
    ...condition({ properties: { '<<': 1, '': 2, true: 3, '1': 4, 'a: b': 5, '#': 6, constructor: 7 } }),
  }),
];
