/** Keys and ids while a project is being changed. */

import { describe, expect, test } from 'vitest';
import { createDirectory } from '../../src/apply/flag-directory.ts';
import { buildPlan } from '../../src/posthog/build-plan.ts';
import type { Change } from '../../src/posthog/plan.ts';
import { declared, desiredState, liveFlag, liveState, planOptions } from '../helpers/states.ts';

const FLAGS = [liveFlag(1, 'a'), liveFlag(2, 'b')];

function changesTo(...flags: Parameters<typeof desiredState>): readonly Change[] {
  return buildPlan(desiredState(...flags), liveState(FLAGS, { 1: [] }), planOptions()).changes;
}

describe('a directory', () => {
  test('knows the flags that are live', () => {
    const { idOf, keyOf } = createDirectory(FLAGS, []);
    expect([idOf('a'), idOf('b'), idOf('c')]).toEqual([1, 2, undefined]);
    expect([keyOf(1), keyOf(2), keyOf(3)]).toEqual(['a', 'b', undefined]);
  });

  test('knows a flag by the key that the plan gives it', () => {
    const changes = changesTo(declared('z', {}, { previousKeys: ['a'] }));
    const { idOf, keyOf } = createDirectory(FLAGS, changes);
    expect(keyOf(1)).toBe('z');
    expect([idOf('z'), idOf('a')]).toEqual([1, undefined]);
  });

  test('knows no id of a flag that is still to be created, whatever roles it gets', () => {
    const changes = changesTo(declared('new', { name: 'x' }, { roles: ['r1'] }), declared('a', {}, { roles: ['r1'] }));
    expect(changes.map(({ action }) => action).sort()).toEqual(['create', 'grant', 'grant']);
    const directory = createDirectory(FLAGS, changes);
    expect(directory.idOf('new')).toBeUndefined();
    expect(directory.keyOf(1)).toBe('a');
    directory.add('new', 7);
    expect([directory.idOf('new'), directory.keyOf(7)]).toEqual([7, 'new']);
  });
});
