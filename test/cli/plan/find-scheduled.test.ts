import { describe, expect, test } from 'vitest';
import { findScheduledOf, scheduledSubjects } from '../../../src/cli/plan/forecast.ts';
import type { LoadedProject } from '../../../src/cli/project/load-project.ts';
import type { LiveState } from '../../../src/posthog/live.ts';
import { declared, desiredState, liveFlag, liveState, planFor } from '../../helpers/states.ts';
import { watchSession } from '../../helpers/watched-session.ts';

const AT = '2026-07-01T08:00:00Z';
const scheduled = (id: number, flag: number | string, value: boolean): object => ({
  ...{ id, record_id: String(flag), model_name: 'FeatureFlag', scheduled_at: AT, executed_at: null },
  payload: { operation: 'update_status', value },
  ...{ failure_reason: null, is_recurring: false, recurrence_interval: null, end_date: null, created_by: null },
});
const flags = [liveFlag(1, 'a'), liveFlag(2, 'b'), liveFlag(3, 'c')];
const live = (schedules: readonly object[] | undefined, more: object = {}): LiveState =>
  ({ ...liveState(flags), ...(schedules === undefined ? {} : { schedules }), ...more }) as unknown as LiveState;
const loaded = { project: { service: 'remote', name: 'main' } } as unknown as LoadedProject;
const { session } = watchSession({ context: { now: () => Date.parse('2026-06-15T10:00:00Z') } });
const SUBJECTS = [
  { key: 'a', id: 1 },
  { key: 'b', id: 2 },
];

describe('what the service is to change by itself', () => {
  test('is told of the flags that are asked about', async () => {
    const state = live([scheduled(10, 1, false), scheduled(11, 3, false)]);
    const found = await findScheduledOf(session, { loaded, live: state }, SUBJECTS);
    expect(found?.changes.map((one) => [one.id, one.effects === undefined])).toEqual([[10, false]]);
  });

  test('is compared with the flags as the plan leaves them', async () => {
    const state = live([scheduled(10, 1, false)]);
    const plan = planFor(desiredState(declared('a', { active: false })), state);
    const [alone, after] = [
      await findScheduledOf(session, { loaded, live: state }, SUBJECTS),
      await findScheduledOf(session, { loaded, live: state, applied: plan }, SUBJECTS),
    ];
    expect(alone?.changes[0]?.effects).not.toEqual([]);
    expect(after?.changes[0]?.effects).toEqual([]);
  });

  test('is nothing where nothing is scheduled for them, or says why it is not known', async () => {
    const find = async (state: LiveState): Promise<unknown> =>
      findScheduledOf(session, { loaded, live: state }, SUBJECTS);
    expect(await find(live(undefined))).toBeUndefined();
    expect(await find(live([scheduled(11, 3, false)]))).toBeUndefined();
    expect(await find(live(undefined, { unknownSchedules: 'failed' }))).toEqual({ changes: [], unknown: 'failed' });
    expect(await findScheduledOf(session, { loaded, live: live([scheduled(10, 1, false)]) }, [])).toBeUndefined();
  });
});

test('the flags of the warnings about schedules are each told of once, if the schedule is known', () => {
  const warning = (id: number, key: string, code = 'scheduled'): object => ({ code, id, key });
  const warnings = [warning(10, 'a'), warning(12, 'a'), warning(11, 'b'), warning(99, 'c'), warning(13, 'x', 'other')];
  const state = live([scheduled(10, 1, false), scheduled(11, 2, true), scheduled(12, 1, true), scheduled(13, 3, true)]);
  expect(scheduledSubjects({ warnings } as never, state)).toEqual(SUBJECTS);
  expect(scheduledSubjects({ warnings } as never, live(undefined))).toEqual([]);
});
