/** Random realistic flags for property tests, with every kind of condition, variant and payload. */

import fc from 'fast-check';
import { arrayOrEmpty, isJsonObject, objectOrEmpty, type JsonObject, type JsonValue } from '../../src/base/json.ts';

const word = fc.constantFrom('email', 'country', 'plan', 'seats', 'beta', 'company');
const text = fc.constantFrom('@acme.com', 'DE', 'pro', '25', 'ünï ✓', 'two words', 'true', '');
const percentage = fc.constantFrom<number | null | undefined>(0, 1, 25, 33.3, 50, 100, null, undefined);

/** What a property of a person has as its type, and a comparison for equality as its operator. */
const person = fc.constantFrom('person', undefined);
const equality = fc.constantFrom('exact', undefined, null);

const personProperty: fc.Arbitrary<JsonObject> = fc
  .oneof(
    fc.record({
      key: word,
      type: person,
      operator: fc.oneof(equality, fc.constant('is_not')),
      value: fc.array(text, { minLength: 1, maxLength: 3 }),
    }),
    fc.record({
      key: word,
      type: person,
      operator: fc.constantFrom('icontains', 'not_icontains', 'gte'),
      value: text,
    }),
    fc.record({ key: word, type: person, operator: fc.constant('is_set'), value: fc.constant('is_set') }),
    fc.record({
      key: fc.constant('id'),
      type: fc.constant('cohort'),
      operator: fc.constantFrom('in', 'not_in', undefined, null),
      value: fc.constantFrom(42, 43, 57),
    }),
  )
  .map(defined);

const groupProperty: fc.Arbitrary<JsonObject> = fc
  .record({
    key: word,
    type: fc.constant('group'),
    group_type_index: fc.constant(0),
    operator: equality,
    value: fc.array(text, { minLength: 1, maxLength: 2 }),
  })
  .map(defined);

/** The object without its `undefined` members. */
function defined(object: Record<string, JsonValue | undefined>): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));
}

function conditions(variants: readonly string[], property: fc.Arbitrary<JsonObject>): fc.Arbitrary<JsonObject[]> {
  const condition = fc
    .record({
      properties: fc.option(fc.array(property, { maxLength: 3 }), { nil: undefined }),
      rollout_percentage: percentage,
      variant: fc.constantFrom<string | null | undefined>(null, undefined, ...variants),
      description: fc.constantFrom<string | undefined>(undefined, 'staff', 'early birds'),
    })
    .map(defined);
  return fc.array(condition, { minLength: 1, maxLength: 4 });
}

const payloadValue: fc.Arbitrary<JsonValue> = fc.oneof(
  fc.constantFrom<JsonValue>(
    null,
    42,
    true,
    '"text"',
    '{"a": 1, "b": [1, 2]}',
    { color: 'red', nested: { deep: [1, 'x'] } },
    [1, 'two'],
  ),
);

const SPLITS: readonly (readonly [string, number][])[] = [
  [],
  [],
  [
    ['control', 50],
    ['test', 50],
  ],
  [
    ['a', 33.3],
    ['b', 33.3],
    ['c', 33.4],
  ],
  [['only', 100]],
];

/** The `filters` of a flag, in all combinations that both generations of the service accept. */
export function filters(): fc.Arbitrary<JsonObject> {
  return fc.tuple(fc.constantFrom(...SPLITS), fc.boolean()).chain(([split, grouped]) => {
    const variants = split.map(([key]) => key);
    const payloadKeys = variants.length > 0 ? variants : ['true'];
    return fc
      .record({
        groups: conditions(variants, grouped ? groupProperty : personProperty),
        payloads: fc.oneof(
          { weight: 4, arbitrary: fc.dictionary(fc.constantFrom(...payloadKeys), payloadValue) },
          fc.constantFrom(null, undefined),
        ),
        named: fc.boolean(),
        nulls: fc.boolean(),
        noVariants: fc.constantFrom(null, undefined, { variants: [] }),
      })
      .map(({ groups, payloads, named, nulls, noVariants }) =>
        defined({
          groups,
          payloads: isJsonObject(payloads) ? { ...payloads } : payloads,
          multivariate:
            split.length > 0
              ? {
                  variants: split.map(([key, share]) => ({
                    key,
                    rollout_percentage: share,
                    ...(named ? { name: key.toUpperCase() } : {}),
                  })),
                }
              : noVariants,
          aggregation_group_type_index: grouped ? 0 : nulls ? null : undefined,
        }),
      );
  });
}

/** The managed fields of a declared flag by API name; each may be absent. */
export function flagFields(): fc.Arbitrary<JsonObject> {
  return fc
    .record({
      name: fc.option(fc.constantFrom('', 'One page', ' padded ', 'two\nlines', 'ünï'), { nil: undefined }),
      active: fc.option(fc.boolean(), { nil: undefined }),
      filters: fc.option(filters(), { nil: undefined, freq: 5 }),
      tags: fc.option(fc.uniqueArray(fc.constantFrom('web', 'Api', ' mobile ', 'q3')), { nil: undefined }),
      ensure_experience_continuity: fc.option(fc.boolean(), { nil: undefined }),
    })
    .map(defined);
}

/** Today's service stores the aggregation that all conditions share in place of a null, so no plan leads to such a flag. */
export function isStored({ filters: stored }: JsonObject): boolean {
  const { groups, aggregation_group_type_index: own } = objectOrEmpty(stored);
  const [common = null, ...others] = new Set(
    arrayOrEmpty(groups).map((group) => objectOrEmpty(group)['aggregation_group_type_index'] ?? null),
  );
  return own !== null || common === null || others.length > 0;
}
