import { expect, it } from 'vitest';
import { buildPlan } from '../../../src/posthog/planning/build-plan.ts';
import type { DesiredState } from '../../../src/posthog/desired.ts';
import type { LiveState } from '../../../src/posthog/live.ts';
import { selectLive } from '../../../src/posthog/snapshot-file/select.ts';
import { selectionOf } from '../../../src/posthog/live-selection.ts';
import { desiredOf } from '../../helpers/cohorts.ts';
import { declared, desiredState, entry, liveFlag, liveState, planOptions } from '../../helpers/states.ts';

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
  expect(buildPlan(desiredState(declared('gone')), selected, planOptions()).changes).toMatchObject([
    { action: 'restore', key: 'gone', id: 2 },
  ]);
});

it('access that was not managed when the snapshot was taken is left out with a warning, and never counts as none', () => {
  const whole = liveState([liveFlag(1, 'a'), liveFlag(2, 'b')], { 1: [entry(5, 'r1')] });
  const desired = desiredState(declared('a', {}, { roles: ['r1'] }), declared('b', {}, { roles: ['r1'] }));
  const plan = buildPlan(desired, select(whole, desired), planOptions());
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
  expect(() => select(liveState([]), desired)).toThrow('The manifests declare cohorts, and the snapshot has none.');
});
