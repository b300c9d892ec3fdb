/** The effect of a flag's change, and which of it is missing. */

import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import { PARTS_OF_OTHER_PRODUCTS } from '../../../src/posthog/flag/model/canonical.ts';
import { comparableFlag } from '../../../src/posthog/flag/comparison.ts';
import { withFound } from '../../../src/posthog/flag/values-of-others.ts';
import { missingEffect } from '../../../src/posthog/flag/write.ts';
import type { UpdateFlag } from '../../../src/posthog/plan.ts';
import { declared, desiredState, liveFlag, liveState, planFor } from '../../helpers/states.ts';

const names = { keyOf: (): undefined => undefined };
const GROUPS = [{ rollout_percentage: 10 }];

function updateOf(fields: JsonObject, live: JsonObject): UpdateFlag {
  const state = liveState([liveFlag(1, 'a', live)]);
  return planFor(desiredState(declared('a', fields)), state).changes[0] as UpdateFlag;
}

describe.each(PARTS_OF_OTHER_PRODUCTS)('an update of filters with %s', (part) => {
  const live = { filters: { groups: [], [part]: { x: 1 } } };

  it('does not require the part if it is only carried along', () => {
    const change = updateOf({ filters: { groups: GROUPS } }, live);
    expect(change.body).toEqual({ filters: { groups: GROUPS, [part]: { x: 1 } } });
    const after = comparableFlag(liveFlag(1, 'a', { filters: { groups: GROUPS } }), names);
    expect(withFound(change.body, after, change)).toEqual({ filters: { groups: GROUPS } });
    expect(missingEffect(change, after, names)).toEqual([]);
  });

  it.each([{ x: 2 }, null, 'whole'])('requires the part if a manifest declares it: %j', (value) => {
    const change = updateOf({ filters: { groups: GROUPS, [part]: value } }, live);
    const before = comparableFlag(liveFlag(1, 'a', live), names);
    expect(withFound(change.body, before, change)).toEqual({ filters: { groups: GROUPS, [part]: value } });
  });
});

describe('the effect of a change', () => {
  it('is its whole body for other fields', () => {
    const change = updateOf({ name: 'x', filters: { groups: GROUPS, early_exit: true } }, { name: 'y' });
    const before = comparableFlag(liveFlag(1, 'a', { name: 'y' }), names);
    expect(withFound(change.body, before, change)).toEqual(change.body);
  });

  it('is missing where the live flag differs', () => {
    const change = updateOf({ name: 'x', active: false }, { name: 'y' });
    const now = comparableFlag(liveFlag(1, 'a', { name: 'x' }), names);
    expect(missingEffect(change, now, names)).toEqual([{ path: '/active', before: true, after: false }]);
  });
});
