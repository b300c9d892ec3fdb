/**
 * Random flags, cohorts and subjects for which posthog-node and the service agree: every subject has every property,
 * numbers are compared with numbers, and both engines read the patterns alike. `differences.test.ts` has the other cases.
 */

import fc from 'fast-check';
import type { JsonObject, JsonValue } from '../../../src/base/json.ts';
import type { Subject } from '../../../src/evaluation/input.ts';
import type { Condition, Filters, Flag, Property } from '../../../src/posthog/flag/model/flag.ts';

const TEXTS = [
  'DE',
  'de',
  'Acme',
  'ada@acme.com',
  'ADA@ACME.COM',
  'pro plan',
  'true',
  'False',
  '',
  'null',
  '1.5',
  'ünï',
];
const NUMBERS = [0, 1, 10, 10.5, -3, '10', '0.5', '1e2'];
const DATES = [
  '2024-06-01',
  '2024-06-01T12:00:00Z',
  '2025-01-31T23:59:59+02:00',
  '2020-02-29',
  '2026-01-01T00:00:00.5Z',
];
const VERSIONS = ['1.2.3', 'v1.2.3', '1.2', '2.0.0', '0.2.3', '0.0.3', '1.10.0', '10'];
const PATTERNS = ['^ad', 'acme', '[a-z]+@', '^$', 'a.*m', '\\d+', '(a|b)c', 'PRO', '^.{2}$', '['];

type Field = readonly [key: string, values: fc.Arbitrary<JsonValue>, filters: readonly FilterKind[]];
type FilterKind = readonly [operators: readonly string[], values: fc.Arbitrary<JsonValue>];

const text = fc.constantFrom(...TEXTS);
const asciiText = fc.constantFrom(...TEXTS.slice(0, -1));

const EQUALITY: FilterKind = [['exact', 'is_not'], fc.oneof(text, fc.array(text, { maxLength: 3 }))];
const PRESENCE: FilterKind = [['is_set', 'is_not_set'], fc.constant(null)];
const PARTS = ['icontains', 'starts_with', 'ends_with'].flatMap((name) => [name, `not_${name}`]);
const SEMVER = ['eq', 'neq', 'gt', 'gte', 'lt', 'lte', 'tilde', 'caret'].map((name) => `semver_${name}`);

const FIELDS: readonly Field[] = [
  ['name', fc.oneof(text, fc.constantFrom(null, true, false)), [EQUALITY, PRESENCE, [PARTS, text]]],
  ['email', asciiText, [[['regex', 'not_regex'], fc.constantFrom(...PATTERNS)], [PARTS, text], EQUALITY]],
  ['age', fc.constantFrom(...NUMBERS, null), [[['gt', 'gte', 'lt', 'lte'], fc.constantFrom(...NUMBERS)], PRESENCE]],
  [
    'since',
    fc.constantFrom(...DATES, null),
    [[['is_date_before', 'is_date_after'], fc.constantFrom(...DATES, '-30d', '2w', '18m', '3y', '100h')]],
  ],
  [
    'version',
    fc.constantFrom(...VERSIONS),
    [
      [SEMVER, fc.constantFrom(...VERSIONS)],
      [['semver_wildcard'], fc.constantFrom('1.*', '1.2.*', 'v0.*')],
    ],
  ],
  [
    'beta',
    fc.constantFrom<JsonValue>(true, false, 'true', 'FALSE', 'maybe', null),
    [[['exact', 'is_not'], fc.constantFrom<JsonValue>('true', false, ['true'], ['false', 'true'])]],
  ],
];

function filterOn([key, , kinds]: Field, part: Partial<Property>): fc.Arbitrary<Property> {
  const each = kinds.map(([operators, value]) =>
    fc.record({ key: fc.constant(key), operator: fc.constantFrom(...operators), value }),
  );
  return fc.oneof(...each).map((filter) => ({ ...filter, ...part }));
}

function filters(part: Partial<Property>): fc.Arbitrary<Property> {
  return fc.oneof(...FIELDS.map((field) => filterOn(field, part)));
}

const personFilter = filters({ type: 'person' });
const groupFilter = filters({ type: 'group', group_type_index: 0 });

export const COHORT_IDS = [1, 2, 3, 4, 5, 6, 7, 8];

const negatable = fc
  .tuple(personFilter, fc.boolean())
  .map(([filter, negation]): JsonObject => ({ ...filter, negation }));
const tree = (leaf: fc.Arbitrary<JsonObject>): fc.Arbitrary<JsonObject> =>
  fc.record({
    type: fc.constantFrom('AND', 'OR'),
    values: fc.array(fc.record({ type: fc.constantFrom('AND', 'OR'), values: fc.array(leaf, { maxLength: 3 }) }), {
      maxLength: 3,
    }),
  });

/** The tree of a cohort; one with a higher id may contain those with lower ones. */
export function cohortTree(id: number): fc.Arbitrary<JsonObject> {
  const lower = COHORT_IDS.filter((other) => other < id);
  return tree(
    lower.length === 0
      ? negatable
      : fc.oneof({ weight: 3, arbitrary: negatable }, { weight: 1, arbitrary: cohortFilter(lower) }),
  );
}

function cohortFilter(ids: readonly number[]): fc.Arbitrary<Property> {
  const operator = fc.constantFrom('in', 'not_in');
  return fc.record({
    key: fc.constant('id'),
    type: fc.constant<'cohort'>('cohort'),
    operator,
    value: fc.constantFrom(...ids),
  });
}

function flagFilter(keys: readonly string[]): fc.Arbitrary<Property> {
  const value = fc.constantFrom<JsonValue>(true, false, 'a', 'b', 'holdout-7');
  return fc.record({
    key: fc.constantFrom(...keys),
    type: fc.constant<'flag'>('flag'),
    operator: fc.constant('flag_evaluates_to'),
    value,
  });
}

const rollout = fc.constantFrom<number | null | undefined>(0, 10, 33.3, 50, 90, 100, null, undefined);
const SPLITS: readonly Exclude<Filters['multivariate'], undefined>[] = [
  null,
  {
    variants: [
      { key: 'a', rollout_percentage: 50 },
      { key: 'b', rollout_percentage: 50 },
    ],
  },
  {
    variants: [
      { key: 'a', rollout_percentage: 33.3 },
      { key: 'b', rollout_percentage: 33.3 },
      { key: 'c', rollout_percentage: 33.4 },
    ],
  },
  { variants: [{ key: 'a', rollout_percentage: 20 }] },
];
const PAYLOADS: Exclude<Filters['payloads'], undefined> = {
  true: '{"on": true}',
  a: '"text"',
  b: '[1, {"deep": null}]',
  c: '12',
};

type Kind = 'person' | 'group' | 'mixed';

function condition(kind: Kind, earlier: readonly string[]): fc.Arbitrary<Condition> {
  const aboutGroup = kind === 'group' ? fc.constant(true) : kind === 'mixed' ? fc.boolean() : fc.constant(false);
  const about = [personFilter, cohortFilter(COHORT_IDS), ...(earlier.length > 0 ? [flagFilter(earlier)] : [])];
  return aboutGroup.chain((isGroup) =>
    fc
      .record({
        properties: fc.array(
          isGroup ? groupFilter : fc.oneof({ weight: 3, arbitrary: personFilter }, ...about.slice(1)),
          { maxLength: 3 },
        ),
        rollout_percentage: rollout,
        variant: fc.constantFrom<string | null>(null, null, 'a', 'b', 'unknown'),
      })
      .map(({ rollout_percentage, ...rest }) => ({
        ...rest,
        ...(rollout_percentage === undefined ? {} : { rollout_percentage }),
        ...(kind === 'mixed' ? { aggregation_group_type_index: isGroup ? 0 : null } : {}),
      })),
  );
}

/** A flag that may depend on the earlier ones, by key. */
export function flag(id: number, earlier: readonly string[]): fc.Arbitrary<Flag> {
  return fc.constantFrom<Kind>('person', 'person', 'person', 'group', 'mixed').chain((kind) =>
    fc
      .record({
        groups: fc.array(condition(kind, earlier), { maxLength: 4 }),
        multivariate: fc.constantFrom(...SPLITS),
        early_exit: fc.boolean(),
        holdout: fc.option(fc.record({ id: fc.constant(7), exclusion_percentage: fc.constantFrom(0, 20, 100) }), {
          freq: 5,
        }),
        active: fc.constantFrom(true, true, true, true, true, false),
        device: fc.constantFrom(false, false, false, true),
      })
      .map(({ active, device, holdout, ...rest }): Flag => ({
        id,
        key: `flag-${id}`,
        active,
        filters: {
          ...rest,
          payloads: PAYLOADS,
          aggregation_group_type_index: kind === 'group' ? 0 : null,
          holdout: kind === 'group' ? null : holdout,
        },
        ...(device ? { bucketing_identifier: 'device_id' } : {}),
      })),
  );
}

const properties: fc.Arbitrary<JsonObject> = fc.record(
  Object.fromEntries(FIELDS.map(([key, values]) => [key, values])),
);

/** In a company or in none, always on a device. */
export const subject: fc.Arbitrary<Subject> = fc
  .record({
    distinctId: fc.uuid(),
    deviceId: fc.uuid(),
    personProperties: properties,
    company: properties,
    isInCompany: fc.boolean(),
    key: fc.uuid(),
  })
  .map(({ company, isInCompany, key, ...rest }) => ({
    ...rest,
    groups: isInCompany ? { company: key } : {},
    groupProperties: isInCompany ? { company } : {},
  }));
