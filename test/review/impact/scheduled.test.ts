/** What scheduled changes do to people: each on the flag as the plan, the changes before it and the steps of its rollouts leave it. */

import { expect, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import type { ScheduledEffects, ScheduledFacts } from '../../../src/review/effects/impact.ts';
import { findScheduled } from '../../../src/review/impact/scheduled.ts';
import type { Flag } from '../../../src/posthog/flag/model/flag.ts';
import type { ScheduledChange } from '../../../src/posthog/flag/schedules.ts';
import type { PlannedRollout } from '../../../src/core/rollout/rollout.ts';
import { declared, desiredState, liveFlag, liveState, planFor } from '../../helpers/states.ts';
import { NOW, summarize } from './support.ts';

const at = (day: number): string => `2026-03-${String(day).padStart(2, '0')}T09:00:00.000Z`;
const everyone = (share: number): JsonObject => ({
  filters: { groups: [{ properties: [], rollout_percentage: share }] },
});

/** Scheduled for a day of March. */
function schedule(day: number, payload: JsonObject, more: JsonObject = {}): ScheduledChange {
  return { id: day, record_id: '1', scheduled_at: at(day), executed_at: null, payload, ...more };
}
const turn = (day: number, value: boolean, more?: JsonObject): ScheduledChange =>
  schedule(day, { operation: 'update_status', value }, more);
const add = (day: number, share: number): ScheduledChange =>
  schedule(day, {
    operation: 'add_release_condition',
    value: { groups: [{ properties: [], rollout_percentage: share }] },
  });

interface Given {
  readonly live?: readonly Flag[];
  /** The fields of `a` that the plan makes; absent: it changes nothing. */
  readonly wanted?: JsonObject;
  readonly schedules: readonly ScheduledChange[];
  readonly rollouts?: readonly PlannedRollout[];
}

function find({ live = [liveFlag(1, 'a', everyone(10))], wanted, schedules, rollouts }: Given): ScheduledFacts {
  const state = liveState(live);
  const { changes } = wanted === undefined ? { changes: [] } : planFor(desiredState(declared('a', wanted)), state);
  return findScheduled(
    {
      live: { ...state, schedules },
      subjects: [
        { key: 'a', id: 1 },
        { key: 'gone', id: 9 },
      ],
      changes,
      ...(rollouts === undefined ? {} : { rollouts, moment: { now: NOW.getTime(), every: 900_000 } }),
    },
    { generation: 'rust-2026', now: NOW },
  );
}

/** `DAY OUTCOME CLASSES`, and of each affected flag its share. */
const told = ({ changes }: ScheduledFacts): string[] =>
  changes.map(({ id, outcome, effects, dormant, impact }: ScheduledEffects) =>
    [
      id,
      outcome,
      ...(effects === undefined ? [] : [effects.flatMap(({ classes }) => classes).join('+') || 'nothing']),
      ...(dormant === true ? ['dormant'] : []),
      ...(impact ?? []).map(({ key, by }) => `${key}:${by}`),
    ].join(' '),
  );

test('each is judged after those before it, on the flag that the plan leaves', () => {
  const schedules = [turn(5, true), turn(3, false), turn(4, false)];
  expect(told(find({ schedules }))).toEqual(['3 made kill a:change', '4 made nothing', '5 made enable a:change']);
  expect(told(find({ schedules, wanted: { active: false, ...everyone(10) } }))).toEqual([
    '3 made nothing',
    '4 made nothing',
    '5 made enable a:change',
  ]);
});

test('what is not made has no effect, and leaves the flag to the next one', () => {
  const bound = (state: string): JsonObject => ({ change_request: { id: 'r', state } });
  expect(
    told(
      find({
        schedules: [
          turn(2, false, bound('rejected')),
          schedule(3, { operation: 'launch' }),
          turn(4, true),
          turn(5, false, bound('approved')),
        ],
      }),
    ),
  ).toEqual(['2 not_approved', '3 unknown', '4 made nothing', '5 made kill a:change']);
});

test('of a flag that is off, a condition is dormant, and of others only what changes is told', () => {
  const off = liveFlag(1, 'a', { active: false, ...everyone(10) });
  const dependent = liveFlag(2, 'b', {
    filters: { groups: [{ properties: [{ key: '1', type: 'flag', operator: 'flag_evaluates_to', value: true }] }] },
  });
  expect(told(find({ live: [off], schedules: [add(3, 50)] }))).toEqual(['3 made widen dormant a:change']);
  expect(told(find({ live: [liveFlag(1, 'a', everyone(10)), dependent], schedules: [turn(3, false)] }))).toEqual([
    '3 made kill a:change b:dependency',
  ]);
});

test('who scheduled it, how long it repeats and its approval are said where the service says them', () => {
  const more = {
    ...{ is_recurring: true, recurrence_interval: 'weekly', end_date: at(30) },
    created_by: { email: 'ana@acme.example', first_name: 'Ana' },
    change_request: { id: 'r1', state: 'pending' },
  };
  const [full, plain] = find({ schedules: [turn(3, false, more), turn(4, true, { end_date: null })] }).changes;
  expect(full).toMatchObject({
    ...{ key: 'a', id: 3, at: at(3), operation: 'update_status', value: false, repeats: 'weekly', until: at(30) },
    ...{ by: expect.stringContaining('ana@acme.example') as string, approval: { request: 'r1', state: 'pending' } },
  });
  expect(Object.keys(plain ?? {})).toEqual(
    expect.not.arrayContaining(['until', 'by', 'approval', 'repeats', 'dormant']) as string[],
  );
});

test('whether there may be more is passed on', () => {
  const state = { ...liveState([]), unknownSchedules: 'forbidden' as const };
  const circumstances = { generation: 'rust-2026', now: NOW } as const;
  expect(findScheduled({ live: state, subjects: [], changes: [] }, circumstances)).toEqual({
    changes: [],
    unknown: 'forbidden',
  });
});

const PATH = '/filters/groups/0/rollout_percentage';
const rollout = (more: Partial<PlannedRollout> = {}): PlannedRollout => ({
  ...{ key: 'a', pointer: '/rollout_percentage', path: PATH, from: 0 },
  steps: [
    { at: at(1), to: 10 },
    { at: at(4), to: 60 },
    { at: at(6), to: 100 },
  ],
  ...{ step: 0, applied: { step: 0, at: at(1) } },
  ...more,
});
test('the steps of its rollouts are made in between, where the flag stands at its step', () => {
  const schedules = [turn(3, false), turn(5, true), turn(7, false)];
  const judged = (own: PlannedRollout, live?: readonly Flag[]): ScheduledFacts =>
    find({ schedules, rollouts: [rollout({ key: 'b' }), own], ...(live === undefined ? {} : { live }) });
  // Off, on, and off again.
  const shares = (found: ScheduledFacts): unknown => {
    const [off, on, again] = found.changes.map(({ impact }) => summarize(impact?.[0])['others']);
    return [off?.turnsOff, on?.turnsOn, again?.turnsOff];
  };
  expect(told(judged(rollout()))).toEqual(['3 made kill a:change', '5 made enable a:change', '7 made kill a:change']);
  expect(shares(judged(rollout()))).toEqual([10, 60, 100]);
  // A step that is due is made by the plan, so the next one waits for its own time.
  const due = rollout({ step: 1, applied: { step: 0, at: at(1) } });
  expect(shares(judged(due, [liveFlag(1, 'a', everyone(60))]))).toEqual([60, 60, 100]);
  // Somebody set another value, so that no step follows it.
  expect(shares(judged(rollout(), [liveFlag(1, 'a', everyone(25))]))).toEqual([25, 25, 25]);
  expect(shares(find({ schedules }))).toEqual([10, 10, 10]);
});
