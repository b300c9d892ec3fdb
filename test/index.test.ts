/** The library: its defaults, and what it exports. */

import { describe, expect, test } from 'vitest';
import * as library from '../src/index.ts';
import { declared, desiredState, liveFlag, liveState, planFor } from './helpers/states.ts';

const { buildPlan } = library;

describe('buildPlan without options', () => {
  const desired = desiredState(declared('new'), declared('kept', { name: 'x' }));
  const live = liveState([liveFlag(1, 'kept'), liveFlag(2, 'unmanaged')]);

  test('plans as with the default limits, everything in scope, and nothing protected or permitted', () => {
    const project = { name: 'default', host: 'unknown', project_id: 'unknown' };
    expect(buildPlan(desired, live)).toEqual(planFor(desired, live, { project }));
    expect(buildPlan(desired, live).unmanaged).toEqual(['unmanaged']);
  });

  test('keeps the default of each option that is not given', () => {
    const many = liveState(Array.from({ length: 20 }, (_, index) => liveFlag(index + 1, `f${index}`)));
    const { hazards } = buildPlan(desiredState(declared('f0')), many, { prune: true });
    expect(hazards.map(({ code }) => code)).toContain('deletes');
  });
});

test('the library exports functions that plan, apply, record, revert and evaluate, and nothing of the command', () => {
  const names = Object.keys(library);
  expect(names).toEqual(
    expect.arrayContaining(['buildPlan', 'applyPlan', 'beginJournal', 'invertRun', 'evaluateFlag', 'startEmbedded']),
  );
  expect(names.filter((name) => /^run|Session|Command|ExitCode/.test(name))).toEqual([]);
});
