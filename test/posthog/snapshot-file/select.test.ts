import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import type { DesiredState } from '../../../src/posthog/desired.ts';
import type { LiveState } from '../../../src/posthog/live.ts';
import { selectLive, selectRetired } from '../../../src/posthog/snapshot-file/parse.ts';
import { selectionOf } from '../../../src/posthog/live-selection.ts';
import { cohort, desiredOf } from '../../helpers/cohorts.ts';
import { declared, dependsOn, desiredState, entry, liveFlag, liveState, planFor } from '../../helpers/states.ts';

function select(whole: LiveState, desired: DesiredState): LiveState {
  return selectLive(whole, selectionOf(desired));
}

it('an archived flag is selected where manifests name it', () => {
  const whole = liveState([liveFlag(1, 'a'), liveFlag(2, 'old', { archived: true })]);
  const keys = (desired: DesiredState): string[] => select(whole, desired).flags.map(({ key }) => key);
  expect(keys(desiredState(declared('a')))).toEqual(['a']);
  expect(keys(desiredState(declared('old')))).toEqual(['a', 'old']);
});

it('a deleted flag is selected where its trace is about a declared key', () => {
  const deleted = liveFlag(2, 'gone', { deleted: true });
  const whole: LiveState = {
    ...liveState([liveFlag(1, 'a'), deleted]),
    traces: { flags: [{ kind: 'former', key: 'gone', id: 2, evidence: 'logged' }] },
  };
  expect(select(whole, desiredState(declared('a')))).toEqual(liveState([liveFlag(1, 'a')]));
  const selected = select(whole, desiredState(declared('gone')));
  expect(selected.traces).toEqual(whole.traces);
  expect(planFor(desiredState(declared('gone')), selected).changes).toMatchObject([
    { action: 'restore', key: 'gone', id: 2 },
  ]);
});

it('access that was not managed when the snapshot was taken is left out with a warning, and never counts as none', () => {
  const whole = liveState([liveFlag(1, 'a'), liveFlag(2, 'b')], { 1: [entry(5, 'r1')] });
  const desired = desiredState(declared('a', {}, { roles: ['r1'] }), declared('b', {}, { roles: ['r1'] }));
  const plan = planFor(desired, select(whole, desired));
  expect(plan.changes).toEqual([]);
  expect(plan.warnings).toEqual([{ code: 'access_unread', key: 'b' }]);
  expect(select(whole, desiredState(declared('a'))).roleAccess).toEqual({});
});

it('cohorts are selected where manifests declare some, and missing ones never count as none', () => {
  const cohorts = [{ id: 4, name: 'Beta' }];
  const desired = desiredOf({
    cohorts: {
      beta: {
        name: 'Beta',
        filters: {
          properties: { type: 'AND', values: [{ key: 'plan', type: 'person', operator: 'exact', value: 'pro' }] },
        },
      },
    },
  });
  expect(select({ ...liveState([]), cohorts }, desiredState())).toEqual(liveState([]));
  expect(select({ ...liveState([]), cohorts }, desired).cohorts).toEqual(cohorts);
  expect(() => select(liveState([]), desired)).toThrow('The manifests declare cohorts, but the snapshot has none.');
});

it('an archived flag is selected where a listed or a selected flag depends on it, and a deleted one is not', () => {
  const on = (id: number): JsonObject => ({ filters: dependsOn(String(id)) });
  const whole = liveState([
    liveFlag(1, 'a', on(2)),
    liveFlag(2, 'old', { archived: true, ...on(3) }),
    liveFlag(3, 'older', { archived: true }),
    liveFlag(4, 'unneeded', { archived: true }),
    liveFlag(5, 'gone', { archived: true, deleted: true }),
  ]);
  const keys = (desired: DesiredState): string[] => select(whole, desired).flags.map(({ key }) => key);
  expect(keys(desiredState(declared('a')))).toEqual(['a', 'old', 'older']);
  expect(keys(desiredState(declared('gone'), declared('unneeded')))).toEqual(['a', 'old', 'older', 'unneeded']);
});

it('flags with certain ids are selected once, also deleted ones', () => {
  const whole = liveState([
    liveFlag(1, 'a'),
    liveFlag(2, 'gone', { deleted: true }),
    liveFlag(3, 'other', { deleted: true }),
  ]);
  const { flags } = selectLive(whole, { flags: { ids: [2, 1] } });
  expect(flags.map(({ id }) => id)).toEqual([1, 2]);
  expect(selectLive(whole, { flags: {} }).flags.map(({ id }) => id)).toEqual([1]);
});

it('further families are selected with their traces, and only those that are asked for', () => {
  const features = [{ id: 'f1', name: 'New', stage: 'beta' }];
  const whole: LiveState = {
    ...liveState([]),
    cohorts: [cohort(4, 'Beta')],
    early_access: features as unknown as NonNullable<LiveState['early_access']>,
    schedules: [{ id: 3, record_id: '1', scheduled_at: '2026-02-01T00:00:00Z', payload: {} }],
    traces: { cohorts: [{ kind: 'unknown', key: 'lost', why: 'too_long' }] },
  };
  const { schedules } = whole;
  expect(selectLive(whole, { flags: {} })).toEqual({ ...liveState([]), schedules });
  expect(selectLive(whole, { flags: {}, early_access: {} })).toEqual({
    ...liveState([]),
    schedules,
    early_access: features,
  });
  expect(selectLive(whole, { flags: {}, cohorts: {} })).toEqual({
    ...liveState([]),
    schedules,
    cohorts: whole.cohorts,
    traces: whole.traces,
  });
  const without = (): unknown => selectLive(liveState([]), { flags: {}, early_access: {} });
  expect(without).toThrow('The manifests declare early access features, but the snapshot has none.');
  expect(without).toThrow(
    expect.objectContaining({ remedy: expect.stringContaining('early_access_feature:read') as string }),
  );
});

it('what the organization says is selected where it is asked for and flags have levels', () => {
  const organization = { roleNames: { r1: 'growth' }, lacksRoleAccess: false };
  const levels = { ...liveState([liveFlag(1, 'a', { user_access_level: 'editor' })]), organization };
  const entries = { ...liveState([liveFlag(1, 'a')]), organization };
  const asking = { flags: {}, roleAccess: { organization: true } };
  expect(selectLive(levels, asking).organization).toEqual(organization);
  expect(selectLive(entries, asking)).not.toHaveProperty('organization');
  expect(selectLive(levels, { flags: {}, roleAccess: {} })).not.toHaveProperty('organization');
});

it('access is selected by key, and by the id of a flag that had the key', () => {
  const traces = { flags: [{ kind: 'former', key: 'gone', id: 2, evidence: 'logged' } as const] };
  const whole: LiveState = {
    ...liveState([liveFlag(1, 'a'), liveFlag(2, 'renamed', { deleted: true }), liveFlag(3, 'c')], {
      1: [entry(5, 'r1')],
      2: [entry(6, 'r1')],
      3: [entry(7, 'r1')],
    }),
    hasPayloadDigests: true,
    traces,
  };
  const flags = { declared: [declared('gone')] };
  const both = selectLive(whole, { flags, roleAccess: { keys: ['a', 'gone'] } });
  expect(both.roleAccess).toEqual({ 1: [entry(5, 'r1')], 2: [entry(6, 'r1')] });
  expect(both).toMatchObject({ hasPayloadDigests: true, traces });
  expect(selectLive(whole, { flags, roleAccess: { keys: ['c'] } }).roleAccess).toEqual({ 3: [entry(7, 'r1')] });
});

describe('of resources that manifests delete', () => {
  const former = { kind: 'former', key: 'gone', id: 2, evidence: 'logged' } as const;
  const whole: LiveState = {
    ...liveState([liveFlag(1, 'a'), liveFlag(2, 'renamed'), liveFlag(3, 'c')]),
    cohorts: [cohort(7, 'Renamed')],
    traces: { flags: [former], cohorts: [{ kind: 'former', key: 'beta', id: 7, evidence: 'recorded' }] },
  };
  const missing = { flags: [{ key: 'gone' }, { key: 'lost' }], cohorts: [{ key: 'beta' }], early_access: [] };
  const NONE_MISSING = { flags: [], cohorts: [], early_access: [] };
  const untold = { kind: 'unknown', key: 'lost', why: 'not_read' };

  it('the snapshot gives the ones that it knows, and says that it does not tell of others', () => {
    const state = { ...liveState([liveFlag(1, 'a')]), cohorts: [] };
    expect(selectRetired(state, whole, missing)).toEqual({
      ...state,
      flags: [liveFlag(1, 'a'), liveFlag(2, 'renamed')],
      cohorts: whole.cohorts,
      traces: { flags: [former, untold], cohorts: whole.traces?.cohorts },
    });
  });

  it('nothing is added twice, and a family that was not read stays so', () => {
    const state: LiveState = { ...liveState([liveFlag(1, 'a'), liveFlag(2, 'renamed')]), traces: { flags: [former] } };
    expect(selectRetired(state, whole, NONE_MISSING)).toBe(state);
    expect(selectRetired(state, whole, { ...NONE_MISSING, flags: [{ key: 'gone' }] })).toBe(state);
    const both = selectRetired(state, whole, missing);
    expect(both.flags).toEqual(state.flags);
    expect(both).not.toHaveProperty('cohorts');
    expect(both.traces?.flags).toEqual([former, untold]);
  });

  it('a snapshot without traces tells of none', () => {
    const { traces: _, ...bare } = whole;
    const state = liveState([liveFlag(1, 'a')]);
    expect(selectRetired(state, bare, { ...NONE_MISSING, flags: [{ key: 'lost' }] })).toEqual({
      ...state,
      traces: { flags: [untold] },
    });
  });
});
