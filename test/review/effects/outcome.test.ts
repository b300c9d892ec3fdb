/** What a person gets that they did not get before. */

import { expect, it } from 'vitest';
import type { FlagValue } from '../../../src/evaluation/input.ts';
import { compareValues, type PersonOutcome } from '../../../src/review/effects/worlds.ts';

it.each<[former: FlagValue, wanted: FlagValue, payloads: readonly string[], outcome: PersonOutcome]>([
  [false, false, ['false'], undefined],
  [false, true, ['true'], 'turnsOn'],
  [false, 'a', [], 'turnsOn'],
  [true, false, ['true'], 'turnsOff'],
  ['a', false, [], 'turnsOff'],
  [true, 'a', [], 'changesVariant'],
  ['a', true, ['true'], 'changesVariant'],
  ['a', 'b', ['a', 'b'], 'changesVariant'],
  ['a', 'a', ['a'], 'changesPayload'],
  ['a', 'a', ['b', 'true'], undefined],
  [true, true, ['true'], 'changesPayload'],
  [true, true, ['a'], undefined],
])('%j, then %j, with other payloads of %j: %s', (former, wanted, payloads, outcome) => {
  expect(compareValues(former, wanted, new Set(payloads))).toBe(outcome);
});
