/** What a person gets that they did not get before. */

import { expect, it } from 'vitest';
import type { FlagValue } from '../../src/evaluation/evaluation.ts';
import { compareValues, valueOf, type FlagSide, type PersonOutcome } from '../../src/impact/outcome.ts';
import { liveFlag } from '../helpers/states.ts';
import { CONTEXT } from './observe.ts';

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

it('a side without the flag, and a flag that is not evaluated, have the value false', () => {
  const context = { ...CONTEXT, timeZone: 'UTC', generation: 'rust-2026' } as const;
  const subject = { distinctId: 'u', personProperties: {}, groups: {}, groupProperties: {} };
  const flag = liveFlag(1, 'a');
  const nothing: FlagSide = { flag, flags: [flag], evaluate: () => new Map() };
  expect([undefined, nothing].map((side) => valueOf(side, subject, context))).toEqual([false, false]);
});
