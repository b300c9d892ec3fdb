/** Parts that no manifest declares: they cause a warning, but no drift and no other exit code. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import { PARTS_OF_OTHER_PRODUCTS } from '../../../src/posthog/flag/model/canonical.ts';
import type { Plan } from '../../../src/posthog/plan.ts';
import { VIEW } from '../../report/samples.ts';
import { valuesOf } from '../../helpers/population.ts';
import { holds } from '../../helpers/runs.ts';
import { declared, desiredState, liveFlag, liveState, planFor } from '../../helpers/states.ts';
import { driftText, planText } from '../../report/texts.ts';

const GROUPS = { groups: [{ rollout_percentage: 40 }] };
const filters = (parts: JsonObject): JsonObject => ({ ...GROUPS, ...parts });
const asked = { properties: [{ key: 'beta', operator: 'is_set', value: 'is_set' }] };

/** The plan of a flag whose live rollout percentage is another one than the declared one. */
function planOf(parts: JsonObject, fields: JsonObject = { filters: GROUPS }, live: JsonObject = {}): Plan {
  const others = { groups: [{ rollout_percentage: 30 }] };
  const state = liveState([liveFlag(1, 'a', { filters: { ...others, ...parts }, ...live })]);
  return planFor(desiredState(declared('a', fields)), state);
}

describe('a part that no manifest declares', () => {
  it.each<[JsonObject, Plan['warnings'][number]]>([
    [
      { holdout: { id: 3, exclusion_percentage: 100 } },
      { code: 'holdout_undeclared', key: 'a', part: 'holdout', percent: 100 },
    ],
    [
      { holdout: { id: 3, exclusion_percentage: 0.5 } },
      { code: 'holdout_undeclared', key: 'a', part: 'holdout', percent: 0.5 },
    ],
    [
      { holdout_groups: [{ rollout_percentage: 10 }] },
      { code: 'holdout_undeclared', key: 'a', part: 'holdout_groups', percent: 10 },
    ],
    [{ holdout_groups: [{}] }, { code: 'holdout_undeclared', key: 'a', part: 'holdout_groups', percent: 100 }],
    [{ super_groups: [asked] }, { code: 'early_access_undeclared', key: 'a', part: 'super_groups' }],
    [{ feature_enrollment: true }, { code: 'early_access_undeclared', key: 'a', part: 'feature_enrollment' }],
  ])('causes a warning if it decides values of a flag that changes: %j', (parts, warning) => {
    const plan = planOf(parts);
    expect(plan).toMatchObject({ changes: [{}], warnings: [warning] });
    for (const text of [planText({ kind: 'plan', plan }, VIEW), driftText({ kind: 'drift', plan }, VIEW)]) {
      expect(text).toContain(`filters.${Object.keys(parts).join()}`);
    }
  });

  it.each<[string, Plan]>([
    ['if it excludes no user', planOf({ holdout: { id: 3, exclusion_percentage: 0 } })],
    ['if it is null', planOf({ holdout: null, feature_enrollment: null, super_groups: null, holdout_groups: null })],
    ['if it is empty', planOf({ holdout: {}, feature_enrollment: false, super_groups: [], holdout_groups: [] })],
    ['if it asks for no property', planOf({ super_groups: [{ properties: [] }, asked] })],
    ['if the flag is inactive', planOf({ feature_enrollment: true }, { filters: GROUPS }, { active: false })],
    ['if a manifest disables the flag', planOf({ feature_enrollment: true }, { filters: GROUPS, active: false })],
    ['if no manifest declares filters', planOf({ feature_enrollment: true }, { name: '' })],
    [
      'if a manifest declares it',
      planOf({ feature_enrollment: true }, { filters: filters({ feature_enrollment: true }) }),
    ],
    [
      'if a manifest declares it as null',
      planOf({ feature_enrollment: true }, { filters: filters({ feature_enrollment: null }) }),
    ],
  ])('causes no warning %s', (_name, { warnings }) => expect(warnings).toEqual([]));

  it('causes no warning, in a plan and in drift, if the flag does not change, or in nothing that decides who has it', () => {
    const parts = { holdout: { id: 3, exclusion_percentage: 100 }, feature_enrollment: true };
    const live = liveState([liveFlag(1, 'a', { filters: filters(parts), name: 'A' })]);
    for (const fields of [{ filters: GROUPS }, { filters: GROUPS, name: 'B' }]) {
      expect(planFor(desiredState(declared('a', fields)), live).warnings).toEqual([]);
    }
  });

  it('causes a warning whenever it changes a value', () => {
    const part = fc.oneof(
      fc.record({ holdout: fc.record({ id: fc.nat(9), exclusion_percentage: fc.constantFrom(0, 1, 50, 100) }) }),
      fc.record({ feature_enrollment: fc.constantFrom(true, false, null) }),
      fc.record({
        super_groups: fc.constantFrom<unknown[]>(null, [], [{}], [asked], [{ ...asked, rollout_percentage: 0 }]),
      }),
    ) as fc.Arbitrary<JsonObject>;
    holds(60, [part, fc.boolean()], (parts, active) => {
      const changes = valuesOf({ active, filters: filters(parts) }) !== valuesOf({ active, filters: GROUPS });
      const { warnings } = planOf(parts, { filters: GROUPS, active }, { active });
      if (changes) expect(warnings).toHaveLength(1);
    });
  });

  it('causes a warning for each part in the table of tolerances', () => {
    const told = PARTS_OF_OTHER_PRODUCTS.map((name) => planOf({ [name]: DECIDING[name] ?? null }).warnings.length);
    expect(told).toEqual(PARTS_OF_OTHER_PRODUCTS.map(() => 1));
  });
});

const DECIDING: JsonObject = {
  holdout: { id: 3, exclusion_percentage: 100 },
  holdout_groups: [{}],
  super_groups: [asked],
  feature_enrollment: true,
};

it('many flags are reported in one line, and one by one on request', () => {
  const keys = Array.from({ length: 300 }, (_, index) => `flag-${String(index).padStart(3, '0')}`);
  const live = keys.map((key, index) =>
    liveFlag(index + 1, key, {
      filters: { groups: [{ rollout_percentage: 30 }], holdout: { id: 1, exclusion_percentage: 10 } },
    }),
  );
  const desired = desiredState(...keys.map((key) => declared(key, { filters: GROUPS })));
  const plan = planFor(desired, liveState(live));
  expect(plan.warnings).toHaveLength(300);
  const lines = (verbose: boolean): string[] =>
    planText({ kind: 'plan', plan }, { ...VIEW, verbose })
      .split('\n')
      .filter((line) => line.startsWith('warning'));
  expect(lines(false)).toEqual([
    'warning  Holdouts are set in PostHog for 300 flags: flag-000, flag-001, flag-002, flag-003, flag-004, 295 more. flagwright leaves this alone; to manage it, declare it under filters.',
  ]);
  expect(lines(true)).toHaveLength(300);
});
