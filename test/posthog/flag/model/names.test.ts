import { describe, expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../../../src/base/json.ts';
import { idOf, lookupNames, nameCohorts, nameFlags } from '../../../../src/posthog/flag/model/references.ts';

test.each<[JsonValue | undefined, number | undefined]>([
  [7, 7],
  ['7', 7],
  ['007', 7],
  ['123456789012345', 123456789012345],
  ['1234567890123456', undefined],
  ['a7', undefined],
  ['7a', undefined],
  ['', undefined],
  [1.5, undefined],
  [2 ** 53, undefined],
  [true, undefined],
  [null, undefined],
  [undefined, undefined],
])('the id of %s is %s', (value, id) => expect(idOf(value)).toBe(id));

test('the alphabetically first name is chosen, and no cohort name that reads as an id', () => {
  const names = lookupNames([{ id: 1, key: 'a' }], {
    roles: { support: 'r', admins: 'r', '12': 'q' },
    cohorts: { b: 1, '0': 1, a: 1, c: 1, '7': 2 },
  });
  expect([names.cohort(1), names.cohort(2), names.role('r'), names.role('q'), names.role('x')]).toEqual([
    'a',
    undefined,
    'admins',
    '12',
    undefined,
  ]);
  expect([names.flag(1), names.flag(2)]).toEqual(['a', undefined]);
});

describe('the references of filters', () => {
  const names = lookupNames(
    [
      { id: 1, key: 'checkout' },
      { id: 2, key: '77' },
    ],
    { roles: {}, cohorts: { beta: 5 } },
  );
  const property = (key: JsonValue, more: JsonObject): JsonObject => ({
    groups: [{ properties: [{ key, ...more }], rollout_percentage: 10 }],
  });

  test.each<[written: JsonValue, named: JsonValue]>([
    ['1', 'checkout'],
    [1, 'checkout'],
    ['2', '77'],
    ['3', 3],
    [3, 3],
    ['checkout', 'checkout'],
    ['1x', '1x'],
  ])('to the flag %j become %j', (written, named) => {
    const of = (key: JsonValue): JsonObject => property(key, { type: 'flag', value: true });
    expect(nameFlags(of(written), names)).toEqual(of(named));
  });

  test.each<[written: JsonValue, named: JsonValue]>([
    [5, 'beta'],
    [6, 6],
    ['5', '5'],
    ['beta', 'beta'],
  ])('to the cohort %j become %j', (written, named) => {
    const of = (value: JsonValue): JsonObject => property('id', { type: 'cohort', value });
    expect(nameCohorts(of(written), names)).toEqual(of(named));
  });

  test('of the other sort, and values of people, stay as they are', () => {
    const person = property('age', { type: 'person', value: 5 });
    expect([nameFlags(person, names), nameCohorts(person, names)]).toEqual([person, person]);
    const flag = property('1', { type: 'flag', value: true });
    expect(nameCohorts(flag, names)).toEqual(flag);
    const cohort = property('id', { type: 'cohort', value: 1 });
    expect(nameFlags(cohort, names)).toEqual(cohort);
  });
});
