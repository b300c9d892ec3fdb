import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../../../src/base/json.ts';
import { flagReferences, mapReferences, type ReferenceMapping } from '../../../../src/posthog/flag/model/references.ts';

const holding = (...properties: readonly JsonValue[]): JsonObject => ({ groups: [{ properties }], payloads: { a: 1 } });
const flag = (key: JsonValue): JsonObject => ({ type: 'flag', key, value: true });
const cohort = (value: JsonValue): JsonObject => ({ type: 'cohort', key: 'id', value });
const person = { type: 'person', key: 'email', value: 'x' };
const MAPPING: ReferenceMapping = {
  flag: (key) => `flag ${key}`,
  cohort: (value) => `cohort ${JSON.stringify(value)}`,
};

describe('references', () => {
  it.each<[string, JsonObject, JsonObject]>([
    ['a flag by key and by id', holding(flag('a'), person, flag(7)), holding(flag('flag a'), person, flag('flag 7'))],
    ['a cohort', holding(cohort(42), cohort('beta')), holding(cohort('cohort 42'), cohort('cohort "beta"'))],
    ['a flag beside other properties', holding(flag('a'), null, 'x'), holding(flag('flag a'), null, 'x')],
    ['a flag without a key', holding(flag(null), flag('a')), holding(flag(null), flag('flag a'))],
    [
      'a flag in super_groups',
      { super_groups: [{ properties: [flag('a')] }], groups: [{}] },
      { super_groups: [{ properties: [flag('flag a')] }], groups: [{}] },
    ],
    [
      'a flag beside malformed conditions',
      { groups: [1, null, { properties: 'x' }, { properties: [flag('a')] }] },
      { groups: [1, null, { properties: 'x' }, { properties: [flag('flag a')] }] },
    ],
  ])('are mapped: %s', (_name, filters, expected) => expect(mapReferences(filters, MAPPING)).toEqual(expected));

  it('leave filters unchanged if there are none or no kind of them is mapped', () => {
    for (const filters of [holding(person), { groups: 'x' }, {}, { holdout_groups: [{ properties: [flag('a')] }] }]) {
      expect(mapReferences(filters, MAPPING)).toBe(filters);
    }
    expect(mapReferences(holding(flag('a'), cohort(1)), {})).toEqual(holding(flag('a'), cohort(1)));
    const open = holding({ type: 'cohort', key: 'id' }, flag('a'));
    expect(mapReferences(open, MAPPING)).toEqual(holding({ type: 'cohort', key: 'id' }, flag('flag a')));
  });

  it('are listed in document order', () => {
    const filters = { ...holding(flag('b'), cohort(1), flag(7)), super_groups: [{ properties: [flag('a')] }] };
    expect(flagReferences(filters)).toEqual(['b', 7, 'a']);
    expect(flagReferences(holding(person))).toEqual([]);
    expect(flagReferences(undefined)).toEqual([]);
  });
});
