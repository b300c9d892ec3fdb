import { expect, test } from 'vitest';
import type { JsonValue } from '../../../src/base/json.ts';
import { idOf, lookupNames } from '../../../src/posthog/names/names.ts';

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
