/** Equality with true and false by the `property_matching_version` of the project: by truth in 1, and explicit in 2. */

import fc from 'fast-check';
import { expect, it, test } from 'vitest';
import type { JsonValue } from '../../src/base/json.ts';
import { matchesProperty } from '../../src/evaluation/match-property.ts';
import { comparesFalse } from '../../src/posthog/flag/model/normal-forms.ts';
import { holds } from '../helpers/runs.ts';
import { contextWith, person } from './support.ts';

const [BY_TRUTH, EXPLICIT] = (['rust-2026', 'rust-2026-explicit'] as const).map((generation) =>
  contextWith({ generation }),
);

function match(operator: string, wanted: JsonValue, found: JsonValue, context = EXPLICIT): boolean {
  return matchesProperty(person('x', operator, wanted), { x: found }, context ?? contextWith()) === true;
}

it.each<[wanted: JsonValue, found: JsonValue, byTruth: boolean, explicit: boolean]>([
  [false, 'banana', true, false],
  [false, 'false', true, true],
  [false, 'FALSE', true, true],
  [false, 0, true, false],
  ['false', null, true, false],
  [['false'], '', true, false],
  [['true', 'false'], 'true', false, true],
  [['true', 'false'], 'banana', true, false],
  [['true', false], 'False', true, true],
  [true, 'True', true, true],
  [true, ['true'], true, false],
  ['true', 1, false, false],
  [[], 'true', true, true],
  [[], 'banana', false, false],
  ['Banana', 'bANANA', true, true],
  [['a', 'false'], 'false', true, true],
])('exact %j of %j is %j in 1 and %j in 2', (wanted, found, byTruth, explicit) => {
  expect(match('exact', wanted, found, BY_TRUTH)).toBe(byTruth);
  expect(match('exact', wanted, found)).toBe(explicit);
  expect(match('is_not', wanted, found, BY_TRUTH)).toBe(!byTruth);
  expect(match('is_not', wanted, found)).toBe(!explicit);
});

test('the versions differ only where a filter has false, or true is a list', () => {
  const scalar = fc.oneof(
    fc.constantFrom('true', 'FALSE', true, false, 'a', 'A', 0, null),
    fc.string({ maxLength: 2 }),
  );
  const wanted = fc.oneof(scalar, fc.array(scalar, { maxLength: 3 }));
  holds(500, [fc.constantFrom('exact', 'is_not', 'icontains'), wanted, scalar], (operator, value, found) => {
    const isSame = match(operator, value, found, BY_TRUTH) === match(operator, value, found);
    if (!isSame) expect(comparesFalse({ groups: [{ properties: [person('x', operator, value)] }] })).toBe(true);
  });
});
