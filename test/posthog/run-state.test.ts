/** The state of a run: keys and ids of flags before and after its own writes. */

import { describe, expect, test } from 'vitest';
import { openRun, type RunState } from '../../src/posthog/run-state.ts';
import type { Change } from '../../src/posthog/plan.ts';
import { declared, desiredState, liveFlag, liveState, planFor } from '../helpers/states.ts';

const FLAGS = [liveFlag(1, 'a'), liveFlag(2, 'b')];

function changesTo(...flags: Parameters<typeof desiredState>): readonly Change[] {
  return planFor(desiredState(...flags), liveState(FLAGS, { 1: [] })).changes;
}

const open = (changes: readonly Change[]): RunState => openRun(liveState(FLAGS), changes, { resumed: false });

describe('a run', () => {
  test('finds the ids and keys of live flags', () => {
    const { idOf, keyOf } = open([]).flags;
    expect([idOf('a'), idOf('b'), idOf('c')]).toEqual([1, 2, undefined]);
    expect([keyOf(1), keyOf(2), keyOf(3)]).toEqual(['a', 'b', undefined]);
  });

  test('finds a renamed flag by its planned key', () => {
    const changes = changesTo(declared('z', {}, { previousKeys: ['a'] }));
    const { idOf, keyOf } = open(changes).flags;
    expect(keyOf(1)).toBe('z');
    expect([idOf('z'), idOf('a')]).toEqual([1, undefined]);
  });

  test('knows the resources of each family by the changes of its main kind', () => {
    const flag = { action: 'update', resource: 'flag', ref: 'flag:z', key: 'z', id: 1 } as unknown as Change;
    const cohort = { action: 'update', resource: 'cohort', ref: 'cohort:y', key: 'y', id: 2 } as unknown as Change;
    const { flags, cohorts } = open([flag, cohort]);
    expect([flags.idOf('z'), flags.idOf('y')]).toEqual([1, undefined]);
    expect([cohorts.idOf('z'), cohorts.idOf('y')]).toEqual([undefined, 2]);
  });

  test('has no id for a flag before it is created', () => {
    const changes = changesTo(declared('new', { name: 'x' }, { roles: ['r1'] }), declared('a', {}, { roles: ['r1'] }));
    expect(changes.map(({ action }) => action).sort()).toEqual(['create', 'grant', 'grant']);
    const state = open(changes).flags;
    expect(state.idOf('new')).toBeUndefined();
    expect(state.keyOf(1)).toBe('a');
    state.keep('new', liveFlag(7, 'new'));
    expect([state.idOf('new'), state.keyOf(7)]).toEqual([7, 'new']);
  });

  test('finds a flag as the service last returned it', () => {
    const state = open([]).flags;
    expect(state.find(1)).toBe(FLAGS[0]);
    const answer = liveFlag(1, 'a', { name: 'new' });
    state.keep('a', answer);
    expect(state.find(1)).toBe(answer);
    expect(state.find(3)).toBeUndefined();
  });

  test('counts a key as taken if a flag that is not deleted has it', () => {
    const flags = [
      liveFlag(1, 'a'),
      liveFlag(2, 'b', { deleted: true }),
      liveFlag(3, 'c', { deleted: true }),
      liveFlag(4, 'c'),
    ];
    const { isTaken } = openRun(liveState(flags), [], { resumed: false }).flags;
    expect(['a', 'b', 'c', 'd'].map(isTaken)).toEqual([true, false, true, false]);
  });

  test('expects the effects of its own changes only if it is resumed', () => {
    const changes = changesTo(declared('a', { name: 'new' }));
    const isExpected = (resumed: boolean): boolean =>
      openRun(liveState(FLAGS), changes, { resumed }).isExpected('flag:a');
    expect([isExpected(true), isExpected(false)]).toEqual([true, false]);
  });
});
