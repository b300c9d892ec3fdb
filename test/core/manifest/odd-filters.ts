/** Random filters of which about half have mistakes, for laws about what is accepted and what is refused. */

import fc from 'fast-check';
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../../src/base/json.ts';
import { filters } from '../../helpers/arbitraries.ts';

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

/** Filters that are valid, or that have up to two mistakes anywhere. */
export function oddFilters(): fc.Arbitrary<JsonValue> {
  return fc
    .tuple(base, fc.array(mutation, { maxLength: 2 }))
    .map(([start, mutations]) => mutations.reduce<JsonValue>(mutate, start));
}

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
