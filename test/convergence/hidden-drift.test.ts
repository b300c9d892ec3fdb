/** No tolerance hides a change of a person's value: forms that a plan calls equal evaluate alike in both generations. */

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../src/base/json.ts';
import { withCommonAggregation } from '../../src/posthog/flag/model/normal-forms.ts';
import { PARTS_OF_OTHER_PRODUCTS } from '../../src/posthog/flag/model/canonical.ts';
import { filters } from '../helpers/arbitraries.ts';
import { valuesOf } from '../helpers/population.ts';
import { holds, runs } from '../helpers/runs.ts';
import { declared, desiredState, liveFlag, liveState, planFor } from '../helpers/states.ts';

const index = fc.constantFrom<(number | null | undefined)[]>(0, 1, null, undefined, undefined);
const seats = { key: 'seats', operator: 'min', value: 30 };
const enrolled = { properties: [{ key: 'beta', operator: 'is_set', value: 'is_set' }], rollout_percentage: 50 };

/** Filters of every kind, including declared parts of other products, as in an old export. */
const rich: fc.Arbitrary<JsonObject> = fc
  .record({
    base: filters(),
    flag: index,
    conditions: fc.array(index, { minLength: 4, maxLength: 4 }),
    extra: fc.constantFrom<JsonObject[]>({}, {}, { properties: [seats] }, { properties: [] }, { variant: null }),
    parts: fc.constantFrom<JsonObject[]>(
      {},
      {},
      { holdout: { id: 3, exclusion_percentage: 40 } },
      { feature_enrollment: true },
      { super_groups: [enrolled] },
      { early_exit: true },
    ),
  })
  .map(({ base, flag, conditions, extra, parts }) => ({
    ...base,
    ...(flag === undefined ? {} : { aggregation_group_type_index: flag }),
    groups: (base['groups'] as JsonObject[]).map((group, place) => ({
      ...group,
      ...(place === 0 ? extra : {}),
      ...(conditions[place] === undefined ? {} : { aggregation_group_type_index: conditions[place] }),
    })),
    ...parts,
  }));

const fields = fc.record({
  filters: rich,
  active: fc.constantFrom(true, true, true, false),
  ensure_experience_continuity: fc.constantFrom(true, false, null),
  bucketing_identifier: fc.constantFrom('distinct_id', 'device_id'),
});

const LEAVES: readonly JsonValue[] = [
  ...[null, true, false, 0, 1, 7, 25, 50, 99.9, 100, -1, '', 'true', 'null', '0', '25', ' pro', 'PRO', 'x'],
  ...['gte', 'lte', 'min', 'max', 'gt', 'exact', 'is_not', 'person', 'group', '"x"', '{"a": 1}', '[]', '{}'],
  ...[[], {}, [null], [{}], { variants: [] }],
];

const MEMBERS = [
  ...[
    'rollout_percentage',
    'variant',
    'properties',
    'description',
    'sort_key',
    'label',
    'negation',
    'operator',
    'type',
  ],
  ...[
    'aggregation_group_type_index',
    'group_type_index',
    'cohort_name',
    'key',
    'value',
    'early_exit',
    'holdout',
    'name',
  ],
  ...['feature_enrollment', 'super_groups', 'multivariate', 'payloads', 'true', 'x'],
];

type Spot = { readonly put: (value: JsonValue | undefined) => JsonValue; readonly value: JsonValue | undefined };

/** Every nested value, with a function that replaces it in the whole. */
function spotsIn(value: JsonValue, put: (value: JsonValue) => JsonValue): Spot[] {
  if (isJsonArray(value)) {
    return value.flatMap((element, place) => {
      const replaced = (other: JsonValue | undefined): JsonValue =>
        put(other === undefined ? value.toSpliced(place, 1) : value.with(place, other));
      return [{ put: replaced, value: element }, ...spotsIn(element, replaced)];
    });
  }
  if (!isJsonObject(value)) return [];
  return [...new Set([...Object.keys(value), ...MEMBERS])].flatMap((name) => {
    const replaced = (other: JsonValue | undefined): JsonValue => {
      const { [name]: _, ...rest } = value;
      return put(other === undefined ? (rest as JsonObject) : ({ ...value, [name]: other } as JsonObject));
    };
    const member = value[name];
    return [{ put: replaced, value: member }, ...(member === undefined ? [] : spotsIn(member, replaced))];
  });
}

/** One leaf replaced, removed or added, or a list reversed. */
function edited(given: JsonObject, spot: number, leaf: number): JsonObject {
  const spots = spotsIn(given, (value) => value);
  const { put, value } = spots[spot % spots.length] as Spot;
  const choices: (JsonValue | undefined)[] = [undefined, ...LEAVES];
  if (isJsonArray(value)) choices.push(value.toReversed(), value.toReversed(), value.toReversed());
  return put(choices[leaf % choices.length]) as JsonObject;
}

it('an edit that no plan shows changes no value for any person', () => {
  let hidden = 0;
  holds(600, [fields, fc.nat(), fc.nat()], (wanted, spot, leaf) => {
    const live = edited(wanted, spot, leaf);
    const before = isJsonObject(live['filters']) ? live['filters'] : {};
    // Warnings cover fields that the answer lacks, and undeclared parts of other products.
    fc.pre(Object.keys(wanted).every((field) => Object.hasOwn(live, field)));
    fc.pre(
      PARTS_OF_OTHER_PRODUCTS.every((part) => Object.hasOwn(wanted.filters, part) || !Object.hasOwn(before, part)),
    );
    const state = liveState([{ ...liveFlag(1, 'a', live), key: 'a' }]);
    if (planFor(desiredState(declared('a', wanted)), state).changes.length > 0) return;
    hidden += 1;
    expect(valuesOf({ ...live, key: 'a' })).toBe(
      valuesOf({ ...wanted, filters: withCommonAggregation(wanted.filters) }),
    );
  });
  // Otherwise no tolerance could hide the edits.
  expect(hidden).toBeGreaterThan(runs(600) / 60);
});
