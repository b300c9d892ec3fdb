/** Values that validation accepts are values that the service accepts. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../src/base/json.ts';
import { isJsonArray, isJsonObject } from '../../src/base/json.ts';
import { POSTHOG_FILTERS } from '../../src/embedded/filters/posthog.ts';
import { buildPlan } from '../../src/posthog/build-plan.ts';
import { filters } from '../helpers/arbitraries.ts';
import { runs } from '../helpers/runs.ts';
import { liveState, planOptions } from '../helpers/states.ts';
import { check } from './check.ts';

const CONTEXT = {
  isRemoteConfiguration: false,
  isEncrypted: false,
  wasEncrypted: false,
  isBehavioral: () => false,
  cohortExists: (id: number) => id > 0,
};

/** The problems that `validate` reports for a flag with these filters. None, not even a warning, means that the service accepts it. */
function verdict(written: JsonValue): { readonly codes: readonly string[]; readonly refusal?: unknown } {
  const { diagnostics, desired } = check(JSON.stringify({ flags: { f: { filters: written } } }));
  const codes = diagnostics.map(({ severity, code, path }) => `${severity} ${code} ${path ?? ''}`);
  if (codes.length > 0) return { codes };
  const [change] = buildPlan(desired, liveState([]), planOptions()).changes;
  if (change?.action !== 'create') throw new Error('nothing to create');
  const sent = change.body['filters'];
  try {
    POSTHOG_FILTERS.create(isJsonObject(sent) ? sent : undefined, CONTEXT);
    return { codes };
  } catch (refusal) {
    return { codes, refusal: (refusal as { body?: unknown }).body ?? refusal };
  }
}

const OPERATORS = [
  ...['exact', 'is_not', 'is_set', 'icontains', 'icontains_multi', 'regex', 'gt', 'min', 'between', 'starts_with'],
  ...['is_date_exact', 'is_date_before', 'semver_eq', 'semver_wildcard', 'in', 'not_in', 'flag_evaluates_to'],
];
const TEXTS = [
  ...['', ' ', '5', '1e3', '0', '42', '-7d', '99999d', '7x', '2024', '2024-01', '2024-1-1', '2024-02-31', '2024-01-31'],
  ...[
    '2024-01-31T25:00:00Z',
    '2024-01-31 10:00',
    'Jan 31 2024',
    'tomorrow',
    '1.2.3',
    'v1',
    '1.2.*',
    '*',
    '1.*.*',
    '1.x',
  ],
  ...['1.2.3.4', '1.*.3', 'a(', '[z-a]', '^a$', '(?i)a', 'beta-testers', 'true', 'a', 'control', 'on'],
];
const odd: fc.Arbitrary<JsonValue> = fc.oneof(
  fc.constantFrom<JsonValue>(...TEXTS),
  fc.constantFrom<JsonValue>(null, true, false, 0, 1, 42, -1, 101, 0.5, 2 ** 31, [], {}, ['a'], [1], [1, 2], { a: 1 }),
);

const property: fc.Arbitrary<JsonObject> = fc
  .record({
    key: fc.oneof({ weight: 5, arbitrary: fc.constant('plan') }, odd),
    type: fc.constantFrom('person', 'person', 'group', 'cohort', 'flag', undefined),
    operator: fc.constantFrom(...OPERATORS, null, undefined),
    value: odd,
    group_type_index: fc.constantFrom(0, 1, null, undefined),
  })
  .map(defined);

/** Valid filters, or filters with one property that may be nonsense. */
const base: fc.Arbitrary<JsonObject> = fc.oneof(
  filters(),
  fc
    .record({ property, index: fc.constantFrom(0, null, undefined) })
    .map(({ property: one, index }) =>
      defined({ groups: [{ properties: [one] }], aggregation_group_type_index: index }),
    ),
);

const NAMES = [
  ...['groups', 'multivariate', 'variants', 'payloads', 'aggregation_group_type_index', 'early_exit', 'holdout', 'key'],
  ...['feature_enrollment', 'holdout_groups', 'super_groups', 'properties', 'rollout_percentage', 'variant', 'name'],
  ...['description', 'sort_key', 'exposure_frozen', 'exposure_frozen_cohort', 'type', 'operator', 'value', 'label'],
  ...[
    'group_type_index',
    'negation',
    'cohort_name',
    'group_key_names',
    'id',
    'exclusion_percentage',
    'true',
    'version',
  ],
];
interface Mutation {
  readonly step: number;
  readonly name: string;
  readonly value: JsonValue | undefined;
}
const mutation: fc.Arbitrary<Mutation> = fc.record({
  step: fc.nat(),
  name: fc.constantFrom(...NAMES),
  value: fc.oneof({ weight: 1, arbitrary: fc.constant(undefined) }, { weight: 4, arbitrary: odd }),
});

/** Sets, replaces or removes one member anywhere in the value. */
function mutate(value: JsonValue, { step, name, value: replacement }: Mutation): JsonValue {
  const places: JsonObject[] = [];
  const collect = (part: JsonValue | undefined): void => {
    if (isJsonArray(part)) part.forEach(collect);
    if (!isJsonObject(part)) return;
    places.push(part);
    Object.values(part).forEach(collect);
  };
  collect(value);
  const target = places[step % places.length];
  const names = Object.keys(target ?? {});
  // An existing name as often as one that may not exist.
  const member = step % 2 === 0 && names.length > 0 ? (names[(step >> 1) % names.length] ?? name) : name;
  const replace = (part: JsonValue | undefined): JsonValue | undefined => {
    if (isJsonArray(part)) return part.map((element) => replace(element) ?? null);
    if (!isJsonObject(part)) return part;
    const copy = Object.fromEntries(Object.entries(part).map(([key, one]) => [key, replace(one)]));
    return defined(part === target ? { ...copy, [member]: replacement } : copy);
  };
  return replace(value) ?? null;
}

function defined(object: Record<string, JsonValue | undefined>): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));
}

describe('what passes validate without a problem', () => {
  it('is accepted by the current service', () => {
    let silent = 0;
    let warned = 0;
    fc.assert(
      fc.property(base, fc.array(mutation, { maxLength: 2 }), (start, mutations) => {
        const written = mutations.reduce<JsonValue>(mutate, start);
        const { codes, refusal } = verdict(written);
        if (codes.length === 0) silent += 1;
        else warned += 1;
        expect([written, refusal]).toEqual([written, undefined]);
      }),
      { numRuns: runs(800) },
    );
    expect(Math.min(silent, warned)).toBeGreaterThan(runs(800) / 10);
  });

  const group = (rest: JsonObject): JsonObject => ({
    aggregation_group_type_index: 0,
    groups: [{ properties: [{ key: 'name', type: 'group', operator: 'exact', value: ['a'], ...rest }] }],
  });
  const person = (rest: JsonObject): JsonObject => ({ groups: [{ properties: [{ key: 'k', ...rest }] }] });
  const whole = (rest: JsonObject): JsonObject => ({ groups: [{}], ...rest });

  it.each<[string, JsonObject, string]>([
    ['a group property without its type', group({}), 'error property-missing /groups/0/properties/0'],
    ['one whose type is null', group({ group_type_index: null }), 'error property-missing /groups/0/properties/0'],
    [
      'a group type that no integer of the service holds',
      group({ group_type_index: 2 ** 31 }),
      'error value-out-of-range /groups/0/properties/0/group_type_index',
    ],
    ['an empty property key', person({ key: '', value: 'a' }), 'error length-out-of-range /groups/0/properties/0/key'],
    ...['2024', 'Jan 31 2024', '2024-02-31', '2024-01-31T25:00', '99999d', '31.01.2024', ' 2024-01-31'].map(
      (value): [string, JsonObject, string] => [
        `the date ${value}`,
        person({ operator: 'is_date_after', value }),
        'error operator-value-unfit /groups/0/properties/0/value',
      ],
    ),
    [
      'a month, which is stored and never matches',
      person({ operator: 'is_date_after', value: '2024-01' }),
      'warning operator-value-unfit /groups/0/properties/0/value',
    ],
    [
      'a bare wildcard',
      person({ operator: 'semver_wildcard', value: '*' }),
      'error operator-value-unfit /groups/0/properties/0/value',
    ],
    ['multivariate without variants', whole({ multivariate: {} }), 'error property-missing /multivariate'],
    ['a label that is no string', person({ value: 'a', label: 5 }), 'error type-wrong /groups/0/properties/0/label'],
    ['an enrollment that is no boolean', whole({ feature_enrollment: 'yes' }), 'error type-wrong /feature_enrollment'],
    ['a holdout that is none', whole({ holdout: { id: 'x' } }), 'error property-missing /holdout'],
    [
      'a holdout of more than everybody',
      whole({ holdout: { id: 1, exclusion_percentage: 101 } }),
      'error value-out-of-range /holdout/exclusion_percentage',
    ],
    [
      'a frozen exposure that is no boolean',
      { groups: [{ exposure_frozen: 1 }] },
      'error type-wrong /groups/0/exposure_frozen',
    ],
    [
      'more than the service stores',
      person({ operator: 'exact', value: Array.from({ length: 60_000 }, (_, index) => `user-${index}`) }),
      'error filters-too-large ',
    ],
    [
      'a payload that is too large once it is text',
      whole({ payloads: { true: Array.from({ length: 60_000 }, () => '"\\') } }),
      'error filters-too-large ',
    ],
  ])('does not include %s', (_, written, problem) => {
    expect(verdict(written).codes.map((code) => code.replace('/flags/f/filters', ''))).toContain(problem);
  });

  it.each<[string, JsonObject]>([
    ['half a megabyte', person({ operator: 'exact', value: ['x'.repeat(523_900)] })],
    ['a date and time', person({ operator: 'is_date_exact', value: '2024-02-29T10:00:00.5+02:00' })],
    ['several stars', person({ operator: 'semver_wildcard', value: 'v1.*.*' })],
    ['a holdout', whole({ holdout: { id: 1, exclusion_percentage: 10 }, feature_enrollment: null })],
    ['a sort key of any kind', { groups: [{ sort_key: 5 }, { sort_key: ['a'] }] }],
  ])('includes %s', (_, written) => expect(verdict(written)).toEqual({ codes: [] }));
});
