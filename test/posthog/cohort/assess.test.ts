/** What changes of cohorts lead to: which flags they concern, whom a delete harms, and what the service refuses. */

import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import { buildPlan } from '../../../src/posthog/planning/build-plan.ts';
import type { Plan } from '../../../src/posthog/plan.ts';
import { cohort, desiredOf } from '../../helpers/cohorts.ts';
import { liveFlag, planOptions } from '../../helpers/states.ts';

const group = (...values: JsonObject[]): JsonObject => ({ properties: { type: 'AND', values } });
const PRO = group({ key: 'plan', type: 'person', operator: 'exact', value: 'pro' });
const EVENTS = group({
  type: 'behavioral',
  key: '$pageview',
  value: 'performed_event',
  event_type: 'events',
  time_value: 30,
  time_interval: 'day',
});
const on = (id: number): JsonObject => ({
  filters: { groups: [{ properties: [{ key: 'id', type: 'cohort', operator: 'in', value: id }] }] },
});

/** `direct` and `through` use the cohort 7, the latter through 8; `other` uses 9, and `nobody` none. */
function planOf(beta: JsonObject): Plan {
  return buildPlan(
    desiredOf({ flags: {}, cohorts: { beta } }),
    {
      flags: [
        liveFlag(1, 'direct', on(7)),
        liveFlag(2, 'through', on(8)),
        liveFlag(3, 'other', on(9)),
        liveFlag(4, 'nobody'),
        liveFlag(5, 'gone', { ...on(7), deleted: true }),
      ],
      roleAccess: {},
      cohorts: [
        cohort(7, 'beta', { filters: PRO }),
        cohort(8, 'outer', { filters: group({ key: 'id', type: 'cohort', value: 7 }) }),
        cohort(9, 'another', { filters: PRO }),
      ],
    },
    planOptions(),
  );
}

describe('the flags that a change of a cohort concerns', () => {
  test('are those with conditions on it, itself or through other cohorts, and no others', () => {
    const definition = group({ key: 'plan', type: 'person', operator: 'exact', value: 'free' });
    const warnings = planOf({ filters: definition }).warnings.filter(({ code }) => code === 'cohort_flags');
    expect(warnings).toEqual([
      { code: 'cohort_flags', key: 'cohort:beta', action: 'update', flags: ['direct', 'through'] },
    ]);
  });

  test('are named where its delete would leave conditions on no cohort', () => {
    expect(planOf({ deleted: true }).hazards).toMatchObject([
      { code: 'cohort_used', flags: ['direct', 'through'], cohorts: ['outer'] },
    ]);
  });

  test('are named where its definition begins to depend on events, which the service refuses', () => {
    expect(planOf({ filters: EVENTS }).warnings).toContainEqual({
      code: 'cohort_behavioral',
      key: 'cohort:beta',
      flags: ['direct', 'through'],
    });
    expect(planOf({ filters: PRO, description: 'New.' }).warnings.map(({ code }) => code)).not.toContain(
      'cohort_behavioral',
    );
  });
});
