/** Which identifiers of a person must be told apart, since one hash may use either. */

import { expect, it } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import { createQuestions } from '../../../src/review/impact/knowledge.ts';
import type { FlagSide } from '../../../src/review/effects/worlds.ts';
import { liveFlag } from '../../helpers/states.ts';
import { NOW } from './support.ts';

const DEVICE = { bucketing_identifier: 'device_id' };
const CONTINUED = { ensure_experience_continuity: true };
const groups = [{ rollout_percentage: 50 }];
const HELD_OUT = { filters: { groups, holdout: { id: 1, exclusion_percentage: 10 } } };
const OF_GROUP = { filters: { ...HELD_OUT.filters, aggregation_group_type_index: 0 } };

/** Flags by key, of which the first one is the flag itself. */
type Side = readonly (readonly [key: string, fields: JsonObject])[];

function sideOf(side: Side): FlagSide | undefined {
  const flags = side.map(([key, fields], index) => liveFlag(index + 1, key, fields));
  const [flag] = flags;
  return flag && { flag, flags, evaluate: () => new Map() };
}

it.each<[string, Side, Side, readonly (readonly [string, string])[]]>([
  ['a flag of persons', [['a', {}]], [['a', {}]], []],
  ['a new flag', [], [['a', DEVICE]], []],
  ['a deleted flag', [['a', CONTINUED]], [], []],
  ['a flag of persons, then of devices', [['a', {}]], [['a', DEVICE]], [['person', 'device']]],
  ['a flag of persons, then of their first id', [['a', {}]], [['a', CONTINUED]], [['person', 'anonymous']]],
  ['a flag of first ids, then of devices', [['a', CONTINUED]], [['a', DEVICE]], [['anonymous', 'device']]],
  ['a flag of devices with continuity, as for devices', [['a', { ...DEVICE, ...CONTINUED }]], [['a', DEVICE]], []],
  [
    'two flags',
    [
      ['a', {}],
      ['b', DEVICE],
    ],
    [
      ['a', {}],
      ['b', DEVICE],
    ],
    [],
  ],
  [
    'a flag on which it depends',
    [
      ['a', {}],
      ['b', DEVICE],
    ],
    [
      ['a', {}],
      ['b', {}],
    ],
    [['person', 'device']],
  ],
  ['a holdout of persons', [['a', HELD_OUT]], [['a', HELD_OUT]], []],
  [
    'a holdout of devices, without which it uses the person',
    [['a', { ...HELD_OUT, ...DEVICE }]],
    [],
    [['person', 'device']],
  ],
  [
    'a holdout of devices, without which it uses the first id',
    [['a', { ...HELD_OUT, ...DEVICE, ...CONTINUED }]],
    [],
    [['anonymous', 'device']],
  ],
  [
    'a holdout that flags share',
    [
      ['a', HELD_OUT],
      ['b', { ...HELD_OUT, ...CONTINUED }],
    ],
    [],
    [['person', 'anonymous']],
  ],
  ['a holdout of groups', [['a', { ...OF_GROUP, ...DEVICE }]], [], []],
  ['no holdout', [['a', { filters: { groups, holdout: null }, ...DEVICE }]], [], []],
  [
    'holdouts that use all three identifiers',
    [
      ['a', { ...HELD_OUT, ...DEVICE }],
      ['b', { ...HELD_OUT, ...CONTINUED }],
    ],
    [],
    [
      ['person', 'anonymous'],
      ['person', 'device'],
      ['anonymous', 'device'],
    ],
  ],
])('the identifiers to tell apart are found for %s', (_, before, after, coupled) => {
  const pair = { before: sideOf(before), after: sideOf(after), payloads: new Set<string>() };
  expect(createQuestions(pair, { generation: 'rust-2026', now: NOW, timeZone: 'UTC' }).coupled).toEqual(coupled);
});
