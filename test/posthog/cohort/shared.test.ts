/** Two live cohorts of one declared name: the plan says how to merge them, and goes on with everything else. */

import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import { buildPlan, type BuildOptions } from '../../../src/posthog/planning/build-plan.ts';
import { withFoundNames } from '../../../src/posthog/reading/found-names.ts';
import { findUnwritable, findUnrecorded } from '../../../src/posthog/planning/drift-groups.ts';
import type { Cohort } from '../../../src/posthog/cohort/cohort.ts';
import type { Plan } from '../../../src/posthog/plan.ts';
import { warningText } from '../../../src/report/words/warnings.ts';
import { cohort, desiredOf } from '../../helpers/cohorts.ts';
import { entry, liveFlag, planOptions } from '../../helpers/states.ts';

const group = (...values: JsonObject[]): JsonObject => ({ properties: { type: 'AND', values } });
const PRO = group({ key: 'plan', type: 'person', operator: 'exact', value: 'pro' });
const onCohort = (value: string | number, share = 10): JsonObject => ({
  groups: [{ properties: [{ key: 'id', type: 'cohort', value }], rollout_percentage: share }],
});
const TWINS: readonly Cohort[] = [
  cohort(7, 'Beta', { filters: PRO }),
  cohort(8, ' Beta ', { filters: PRO }),
  cohort(9, 'outer', { filters: group({ key: 'id', type: 'cohort', value: 8 }), description: 'Old.' }),
];
const ROLE = '0188a2d0-7b3c-7e61-9f61-2f6f2f6a1c11';
const DECLARED = {
  cohorts: {
    beta: { name: 'Beta', filters: PRO },
    outer: { description: 'New.', filters: group({ key: 'id', type: 'cohort', value: 'beta' }) },
    created: { filters: group({ key: 'id', type: 'cohort', value: 'beta' }) },
    crew: { filters: PRO },
  },
  flags: {
    direct: { active: false, filters: onCohort('beta', 20), role_access: [] },
    through: { filters: onCohort('outer', 30) },
    fresh: { filters: onCohort('beta'), role_access: [ROLE] },
    'of-created': { filters: onCohort('created') },
    other: { description: 'New.' },
  },
};

function planOf(desired: JsonObject = DECLARED, options: Partial<BuildOptions> = {}, ids = {}): Plan {
  return buildPlan(
    desiredOf(desired, ids),
    {
      flags: [
        liveFlag(1, 'direct', { filters: onCohort(7) }),
        liveFlag(2, 'through', { filters: onCohort(9) }),
        liveFlag(3, 'other'),
        liveFlag(4, 'unmanaged', { filters: onCohort(7) }),
      ],
      roleAccess: { 1: [entry(1, ROLE)] },
      cohorts: TWINS,
    },
    { ...planOptions(), ...options },
  );
}

const writesOf = ({ changes }: Plan): unknown[] =>
  changes.map((change) => [change.ref, change.action, 'body' in change ? Object.keys(change.body) : []]);

describe('a plan with two live cohorts of one declared name', () => {
  it('leaves them and the conditions on them alone, and goes on with everything else', () => {
    expect(writesOf(planOf())).toEqual([
      ['cohort:crew', 'create', ['name', 'filters']],
      ['flag:other', 'update', ['name']],
      ['cohort:outer', 'update', ['description']],
      ['flag:through', 'update', ['filters']],
      ['flag:direct', 'update', ['active']],
      [`role_access:direct:${ROLE}`, 'revoke', []],
    ]);
  });

  it('names them once, with the flags that use each and what is left out', () => {
    const { warnings } = planOf();
    const shared = warnings.filter(({ code }) => code === 'cohort_name_shared');
    expect(shared).toEqual([
      {
        code: 'cohort_name_shared',
        key: 'cohort:beta',
        name: 'Beta',
        cohorts: [
          { id: 7, flags: ['direct', 'unmanaged'] },
          { id: 8, flags: ['through'] },
        ],
        held: ['cohort:created', 'cohort:outer', 'direct', 'fresh', 'of-created'],
      },
    ]);
    expect(shared.map((warning) => warningText(warning, (text) => text))).toEqual([
      'cohort:beta: 2 cohorts of the project are named Beta: id 7 (used by direct, unmanaged), id 8 (used by through). No plan can write them, nor what names them in cohort:created, cohort:outer, direct, fresh, of-created. To merge them, add `beta: 7` under `projects.*.cohorts` in flagwright.yaml and apply: the declared flags then use that one. Then delete the other (id 8) in PostHog, once no other flag uses it.',
    ]);
  });

  it('is not in sync, and nothing of them counts as applied', () => {
    const { warnings } = planOf();
    const names = ['cohort:beta', 'cohort:created', 'cohort:outer', 'direct', 'fresh', 'of-created'];
    expect(findUnwritable(warnings).map(({ key }) => key)).toEqual(names);
    expect(findUnrecorded({ left: [], warnings })).toEqual(names.map((key) => ({ key })));
    const facts = { kind: 'commit', commit: 'a'.repeat(40), from: 'ref' } as const;
    const { unrecorded = [] } = planOf(DECLARED, { base: { facts, desired: desiredOf({ flags: {} }) } });
    expect(unrecorded.map(({ key }) => key)).toEqual(names);
  });

  it('deletes neither of them', () => {
    const plan = planOf({ flags: {}, cohorts: { beta: { name: 'Beta', deleted: true } } });
    expect(plan.changes).toEqual([]);
    expect(plan.warnings).toMatchObject([{ code: 'cohort_name_shared', held: [] }]);
  });

  it('knows them by a name that only the base declared', () => {
    const facts = { kind: 'commit', commit: 'a'.repeat(40), from: 'ref' } as const;
    const base = { facts, desired: desiredOf({ cohorts: { beta: { name: 'Beta', filters: PRO } } }) };
    const renamed = planOf({ flags: {}, cohorts: { beta: { name: 'Gamma', filters: PRO } } }, { base });
    expect(renamed.changes).toEqual([]);
    expect(renamed.warnings).toMatchObject([{ code: 'cohort_name_shared', name: 'Beta' }]);
  });

  it('is as any other once the configuration says which one is meant', () => {
    const plan = planOf(DECLARED, {}, { beta: 7 });
    expect(plan.warnings.map(({ code }) => code)).not.toContain('cohort_name_shared');
    expect(writesOf(plan)).toContainEqual(['cohort:outer', 'update', ['description', 'filters']]);
    expect(plan.changes.filter(({ action }) => action === 'create')).toHaveLength(4);
  });

  it('and a target selects and warns as usual', () => {
    const targeted = planOf(DECLARED, { targets: ['other'] });
    expect(writesOf(targeted)).toEqual([['flag:other', 'update', ['name']]]);
    expect(targeted.warnings).toEqual([]);
    const own = planOf(DECLARED, { targets: ['cohort:beta'] });
    expect(own.warnings.map(({ code }) => code)).toEqual(['cohort_name_shared']);
  });
});

describe('the id of an alias whose name two cohorts have', () => {
  const project = { name: 'p', roles: {}, cohorts: {} };
  const desired = desiredOf(DECLARED);
  const live = { cohorts: TWINS };

  it('is unknown to a plan, and refused where manifests are written or compared by it', () => {
    expect(withFoundNames(project, desired, { live, shared: 'omit' }).cohorts).toEqual({ outer: 9 });
    expect(() => withFoundNames(project, desired, { live, shared: 'refuse' })).toThrow(
      'Cohort "beta" is found by its name, but 2 cohorts of the project are named "Beta" (ids 7, 8).',
    );
  });
});
