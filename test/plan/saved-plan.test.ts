import { describe, expect, it } from 'vitest';
import { FlaghoistError } from '../../src/base/errors.ts';
import { buildPlan } from '../../src/plan/build-plan.ts';
import { parseSavedPlan, planDocument } from '../../src/plan/saved-plan.ts';
import { declared, desiredState, liveFlag, liveState, planOptions } from '../helpers/states.ts';

const plan = buildPlan(
  desiredState(declared('a', { active: false }), declared('b', { name: 'ünï' })),
  liveState([liveFlag(1, 'a')]),
  planOptions(),
);
const text = JSON.stringify(planDocument(plan), null, 2);

describe('a saved plan', () => {
  it('comes back as it was', () => expect(parseSavedPlan(text)).toEqual(plan));

  it.each([
    ['cut', text.slice(0, -20)],
    ['empty', ''],
    ['another document', '{"format_version":"1.0"}'],
    ['a list', '[]'],
    ['of another format version', text.replace('"1.0"', '"2.0"')],
    ['edited', text.replace('"after": false', '"after": true')],
    ['without one of its changes', JSON.stringify({ ...planDocument(plan), changes: plan.changes.slice(1) })],
    ['without a hazard', JSON.stringify({ ...planDocument(plan), hazards: [1] })],
  ])('is refused when it is %s', (_name, edited) => {
    expect(() => parseSavedPlan(edited)).toThrow(FlaghoistError);
  });
});
