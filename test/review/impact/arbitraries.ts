/** Random changes of flags with everything that decides about people, and people biased to the values of their filters. */

import fc from 'fast-check';
import { jsonText } from '../../../src/evaluation/values/scalars.ts';
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../../src/base/json.ts';
import type { Subject } from '../../../src/evaluation/input.ts';
import { OPERATORS, type OperandKind, type Operator } from '../../../src/posthog/flag/model/operators.ts';

const KEYS = ['country', 'email', 'age', 'since', 'version', 'beta'];
const TEXTS = ['US', 'us', 'DE', '@acme.com', 'ada@acme.com', 'acme', 'true', 'False', '5', '', '1.2.3', 'ünï', 'null'];
const NUMBERS = ['1', '5', '10', '10.5', '-3', 'x'];
const DATES = [
  '2024-06-01',
  '2024-06-02T10:00:00',
  '2024-06-01T12:00:00Z',
  '2024-06-03T12:00:00+02:00',
  '-7d',
  '30d',
  'x',
];
const VERSIONS = ['1.2.3', 'v1.2', '1.3.0', '2.0.0', '0.2.3', '1.2.3-beta.2', '1.2.4', 'x'];
const PATTERNS = ['^ad', 'acme', '@acme\\.com$', '^US$', '['];

const text = fc.constantFrom(...TEXTS);
const number = fc.constantFrom(...NUMBERS);

/** By what an operator compares with. */
const OPERANDS: Readonly<Record<OperandKind, fc.Arbitrary<JsonValue>>> = {
  none: fc.constant(null),
  scalars: fc.oneof(
    fc.array(text, { maxLength: 3 }),
    text,
    fc.constantFrom<JsonValue>(true, false, null, ['true'], ['false', 'true'], [5, 'US']),
  ),
  string: text,
  strings: fc.array(text, { minLength: 1, maxLength: 3 }),
  regex: fc.constantFrom(...PATTERNS),
  'number-string': number,
  'number-pair': fc.tuple(number, number).map((pair) => [...pair]),
  date: fc.constantFrom(...DATES),
  semver: fc.constantFrom(...VERSIONS),
  'semver-wildcard': fc.constantFrom('1.*', '1.2.*', '1.2', '*'),
  cohort: fc.constantFrom(1, 2, 3),
  'flag-result': fc.constant(true),
};

/** The key of a property whose operators are often used. */
const USUAL: Readonly<Partial<Record<OperandKind, string>>> = {
  scalars: 'country',
  string: 'email',
  strings: 'email',
  regex: 'email',
  'number-string': 'age',
  'number-pair': 'age',
  date: 'since',
  semver: 'version',
  'semver-wildcard': 'version',
};

const VALUE_OPERATORS = (Object.keys(OPERATORS) as Operator[]).filter((name) => OPERATORS[name].subject === 'value');

interface Size {
  /** Whether everything is there that a flag may have, or what flags usually have. */
  readonly all: boolean;
  readonly conditions: number;
  readonly dependencies: number;
}

function valueFilter({ all }: Size): fc.Arbitrary<JsonObject> {
  const operators = all ? VALUE_OPERATORS : VALUE_OPERATORS.filter((name) => !name.includes('between'));
  return fc.constantFrom(...operators).chain((operator) => {
    const { operand } = OPERATORS[operator];
    const usual = fc.constant(USUAL[operand] ?? 'email');
    const any = fc.constantFrom(...KEYS, 'distinct_id', '$group_key', '$browser', '$initial_browser', 'a');
    const own = all ? fc.oneof({ weight: 2, arbitrary: usual }, any) : usual;
    return fc.tuple(own, OPERANDS[operand]).map(([key, value]): JsonObject => ({
      key,
      operator,
      ...(value === null && operand === 'none' ? {} : { value }),
    }));
  });
}

const cohortFilter: fc.Arbitrary<JsonObject> = fc.record({
  key: fc.constant('id'),
  type: fc.constant('cohort'),
  operator: fc.constantFrom('in', 'not_in'),
  value: fc.constantFrom(1, 2, 3),
});

function flagFilter(names: readonly string[]): fc.Arbitrary<JsonObject> {
  return fc.record({
    key: fc.constantFrom(...names),
    type: fc.constant('flag'),
    operator: fc.constant('flag_evaluates_to'),
    value: fc.constantFrom<JsonValue>(true, true, false, 'a', 'b', 'holdout-7'),
  });
}

function filter(size: Size, names: readonly string[]): fc.Arbitrary<JsonObject> {
  const value = valueFilter(size);
  const person = value.map((own): JsonObject => ({ ...own, type: 'person' }));
  const choices = [
    { weight: 6, arbitrary: person },
    { weight: 1, arbitrary: cohortFilter },
    ...(names.length === 0 ? [] : [{ weight: 2, arbitrary: flagFilter(names) }]),
  ];
  if (!size.all) return fc.oneof(...choices);
  const group = fc.tuple(value, fc.constantFrom(0, 1, 2, undefined)).map(([own, index]): JsonObject => ({
    ...own,
    type: 'group',
    ...(index === undefined ? {} : { group_type_index: index }),
  }));
  const unknown = fc.constantFrom<JsonObject>(
    { key: 'email', type: 'person', operator: 'brand_new', value: 'x' },
    { key: 'email', type: 'brand_new', operator: 'exact', value: 'x' },
  );
  return fc.oneof(
    ...choices,
    { weight: 1, arbitrary: value },
    { weight: 2, arbitrary: group },
    { weight: 0, arbitrary: unknown },
  );
}

const rollout = fc.constantFrom<number | null>(0, 10, 25, 33.3, 50, 80, 100, 100, null);

function condition(size: Size, names: readonly string[]): fc.Arbitrary<JsonObject> {
  const aggregation = size.all ? fc.constantFrom(undefined, undefined, null, 0, 1) : fc.constant(undefined);
  return fc
    .record({
      properties: fc.array(filter(size, names), { maxLength: 3 }),
      rollout_percentage: rollout,
      variant: fc.constantFrom<string | null>(null, null, null, 'a', 'b'),
      aggregation,
    })
    .map(({ aggregation: own, ...others }) => ({
      ...others,
      ...(own === undefined ? {} : { aggregation_group_type_index: own }),
    }));
}

const multivariate = fc.constantFrom<JsonValue>(
  null,
  null,
  { variants: [variant('a', 50), variant('b', 50)] },
  { variants: [variant('a', 90), variant('b', 10)] },
  { variants: [variant('b', 50), variant('a', 50)] },
  { variants: [variant('a', 20)] },
);

function variant(key: string, share: number): JsonObject {
  return { key, rollout_percentage: share };
}

const SETTINGS: Readonly<Record<string, fc.Arbitrary<JsonValue>>> = {
  early_exit: fc.boolean(),
  holdout: fc.constantFrom<JsonValue>(null, { id: 7, exclusion_percentage: 20 }, { id: 7, exclusion_percentage: 100 }),
  feature_enrollment: fc.boolean(),
  aggregation_group_type_index: fc.constantFrom<JsonValue>(null, 0, 1),
};

function filters(size: Size, names: readonly string[]): fc.Arbitrary<JsonObject> {
  const always = {
    groups: fc.array(condition(size, names), { minLength: 1, maxLength: size.conditions }),
    multivariate,
    payloads: fc.constantFrom<JsonValue>({}, { true: '1', a: '1' }, { a: '2' }),
  };
  if (!size.all) return fc.record(always);
  const superGroups = fc
    .array(filter(size, []), { minLength: 1, maxLength: 2 })
    .chain((properties) => rollout.map((share): JsonValue => [{ properties, rollout_percentage: share }]));
  const settings = { ...SETTINGS, super_groups: superGroups };
  return fc
    .record({ ...always, ...settings }, { requiredKeys: Object.keys(always) as 'groups'[] })
    .map((own) => ({ ...own }));
}

function fields(size: Size, names: readonly string[]): fc.Arbitrary<JsonObject> {
  if (!size.all) return filters(size, names).map((own) => ({ active: true, filters: own }));
  return fc.record({
    active: fc.constantFrom(true, true, true, true, false),
    ensure_experience_continuity: fc.constantFrom(false, false, true),
    bucketing_identifier: fc.constantFrom('distinct_id', 'distinct_id', 'device_id'),
    filters: filters(size, names),
  });
}

/** The same flag with some parts of another one: what a change usually is. */
export function mixed(one: JsonObject, other: JsonObject): fc.Arbitrary<JsonObject> {
  const names = [...new Set([...Object.keys(one), ...Object.keys(other)])];
  return fc
    .tuple(...names.map((name) => mixedPart([one[name], other[name]]).map((part) => [name, part] as const)))
    .map((parts) => Object.fromEntries(parts.filter(([, part]) => part !== undefined)) as JsonObject);
}

function mixedPart([one, other]: readonly [JsonValue | undefined, JsonValue | undefined]): fc.Arbitrary<
  JsonValue | undefined
> {
  if (isJsonObject(one) && isJsonObject(other)) return mixed(one, other);
  if (!isJsonArray(one) || !isJsonArray(other))
    return fc.oneof({ weight: 6, arbitrary: fc.constant(one) }, { weight: 1, arbitrary: fc.constant(other) });
  const parts = one.map((element, index) => mixedPart([element, other[index]]).map((part) => part ?? element));
  return fc
    .tuple(fc.constantFrom('keep', 'keep', 'keep', 'drop', 'add', 'turn'), fc.tuple(...parts))
    .map(([how, elements]) => {
      const list = [...elements] as JsonValue[];
      if (how === 'drop') return list.slice(1);
      if (how === 'add') return [...other.slice(0, 1), ...list];
      return how === 'turn' ? list.toReversed() : list;
    });
}

/** Flags by key, before and after: the first one depends on some of the others. */
export interface RandomChange {
  readonly before: Readonly<Record<string, JsonObject>>;
  readonly after: Readonly<Record<string, JsonObject>>;
}

function change(size: Size): fc.Arbitrary<RandomChange> {
  return fc.integer({ min: 0, max: size.dependencies }).chain((amount) => {
    const names = Array.from({ length: amount }, (_, index) => `d${index}`);
    const one = (
      key: string,
      below: readonly string[],
      own: Size,
    ): fc.Arbitrary<readonly [string, JsonObject, JsonObject]> =>
      fc.tuple(fields(own, below), fields(own, below), fc.integer({ min: 0, max: 9 })).chain(([live, other, how]) => {
        if (how === 0) return fc.constant([key, live, other] as const);
        if (key !== 'a' && how < 6) return fc.constant([key, live, live] as const);
        return mixed(live, other).map((wanted) => [key, live, wanted] as const);
      });
    const smaller = { ...size, conditions: Math.min(size.conditions, 4) };
    const flags = [one('a', names, size), ...names.map((name, index) => one(name, names.slice(index + 1), smaller))];
    return fc.tuple(...flags).map((sides) => ({
      before: Object.fromEntries(sides.map(([key, live]) => [key, live])),
      after: Object.fromEntries(sides.map(([key, , wanted]) => [key, wanted])),
    }));
  });
}

/** With every operator, several types of groups, holdouts, early access and all that decides who is hashed by what. */
export const anyChange: fc.Arbitrary<RandomChange> = change({ all: true, conditions: 3, dependencies: 2 });

/** As projects have them: up to nine conditions of up to three properties, and up to two dependencies. */
export const ordinaryChange: fc.Arbitrary<RandomChange> = change({ all: false, conditions: 9, dependencies: 2 });

/** Of these people, each property is often one that a filter names, or close to it. */
export function peopleOf({ before, after }: RandomChange): fc.Arbitrary<Subject> {
  const named = [...new Set(valuesIn([before, after] as unknown as JsonValue))];
  const near = named.flatMap((value): JsonValue[] => {
    const own = jsonText(value);
    return [value, own.toUpperCase(), `x${own}`, `${own}x`, `${own}.1`, `${own}-beta.3`];
  });
  const value = fc.constantFrom<JsonValue>(
    ...near,
    ...near,
    true,
    false,
    null,
    1,
    5,
    7,
    100,
    '1.2.9',
    '1717243200',
    [],
    '2024-06-01T18:00:00Z',
  );
  const properties = fc.dictionary(fc.constantFrom(...KEYS, '$browser', '$initial_browser', 'a', 'id'), value, {
    maxKeys: 7,
  });
  const enrollment = fc.constantFrom<JsonValue | undefined>(undefined, undefined, true, 'true', 'TRUE', false);
  const id = fc.oneof(
    fc.uuid(),
    fc.constantFrom(...named.map(String), 'ada').filter((own) => own !== ''),
  );
  const group = fc.record({ key: id, properties });
  return fc
    .record({
      id,
      anonymous: fc.option(id, { nil: undefined }),
      device: fc.option(id, { nil: undefined }),
      properties,
      enrollments: fc.record(Object.fromEntries(['a', 'd0', 'd1'].map((key) => [key, enrollment]))),
      groups: fc.tuple(...[0, 1, 2].map(() => fc.option(group, { nil: undefined, freq: 3 }))),
      cohortIds: fc.subarray([1, 2]),
      isOne: fc.boolean(),
    })
    .map(({ id: own, anonymous, device, properties: ofPerson, enrollments, groups, cohortIds, isOne }): Subject => {
      const present = groups.flatMap((one, index) => (one === undefined ? [] : [[`type ${index}`, one] as const]));
      const chosen = Object.entries(enrollments).flatMap(([key, choice]) =>
        choice === undefined ? [] : [[`$feature_enrollment/${key}`, choice] as const],
      );
      const [anonymousId, deviceId] = isOne ? [own, own] : [anonymous, device];
      return {
        distinctId: own,
        ...(anonymousId === undefined ? {} : { anonymousId }),
        ...(deviceId === undefined ? {} : { deviceId }),
        personProperties: { ...ofPerson, ...Object.fromEntries(chosen) },
        // A key that is also the id of a person, or of another group, would have its hash.
        groups: Object.fromEntries(
          present.map(([type, { key }], index) => {
            const others = [own, anonymousId, deviceId, ...present.slice(0, index).map(([, one]) => one.key)];
            return [type, others.includes(key) ? `key of ${type}` : key];
          }),
        ),
        groupProperties: Object.fromEntries(present.map(([type, one]) => [type, one.properties])),
        cohortIds,
      };
    });
}

/** The values of all filters. */
function valuesIn(value: JsonValue | undefined): JsonValue[] {
  if (isJsonArray(value)) return value.flatMap((element) => valuesIn(element));
  if (!isJsonObject(value)) return [];
  const own = value['operator'] === undefined || value['type'] === 'flag' ? [] : [value['value'] ?? null].flat();
  return [...(own as JsonValue[]), ...Object.values(value).flatMap((member) => valuesIn(member))];
}
