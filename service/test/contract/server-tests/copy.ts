/** PostHog's tests of copying a flag into other projects of the organization. */

import type { JsonObject } from '../../../../src/base/json.ts';
import { ok, refusal, type Step } from '../behaviour.ts';
import { flagsSeed, type ServerTest } from './case.ts';

const PATH = '//api/organizations/@current/feature_flags/copy_flags/';
const KEY = 'copied-flag-key';
const SOURCE: JsonObject = { key: KEY, filters: { groups: [{ rollout_percentage: 65 }] } };

const common = { only: 'posthog', projects: [{ id: '1' }, { id: '2' }, { id: '3' }] } as const;

function copies(more: JsonObject, expected: Step['expect']): Step {
  return {
    ask: `POST ${PATH}`,
    body: { feature_flag_key: KEY, from_project: 1, target_project_ids: [2], ...more },
    expect: expected,
    keep: { copy: '/success/0/id' },
  };
}

/** The copy into project 2. */
function succeeds(flag: JsonObject, more: JsonObject = {}): Step {
  return copies(more, ok({ success: [{ key: KEY, team_id: 2, ...flag }], failed: [] }));
}

/** A copy with this number of warnings about its dependencies. */
function drops(count: number, flag: JsonObject, more: JsonObject = {}): Step {
  const step = succeeds(flag, more);
  const members = { '/success/0/flag_dependency_warnings': Array.from({ length: count }, (_, index) => `${index}`) };
  return count === 0 ? step : { ...step, expect: { ...step.expect, members } as Step['expect'] };
}

function exists(project: number, body: JsonObject, keep = 'existing'): Step {
  return {
    ask: `POST //api/projects/${project}/feature_flags/`,
    body: { key: KEY, filters: { groups: [{ rollout_percentage: 99 }] }, ...body },
    expect: { status: 201 },
    keep: { [keep]: '/id' },
  };
}

function refuses(more: JsonObject, status: 400 | 403): Step {
  return {
    ask: `POST ${PATH}`,
    body: { feature_flag_key: KEY, from_project: 1, target_project_ids: [2], ...more },
    expect: { status, members: { '': ['error'] } },
  };
}

/** Nothing was written to project 2. */
const untouched: Step = { ask: 'GET //api/projects/2/feature_flags/', expect: ok({ count: 0 }) };

function dependsOn(id: number | string, ...others: readonly JsonObject[]): JsonObject {
  const dependency = { key: String(id), type: 'flag', operator: 'flag_evaluates_to', value: true };
  return { groups: [{ properties: [dependency, ...others], rollout_percentage: 100 }] };
}

const parent: JsonObject = { id: 11, key: 'parent-flag', filters: { groups: [{ rollout_percentage: 100 }] } };
const plan: JsonObject = { key: 'plan', type: 'person', operator: 'exact', value: 'pro' };
const rules: JsonObject = { version: 2, return_type: 'boolean', default_value: false, rules: [] };

function chain(...flags: readonly JsonObject[]): JsonObject {
  return flagsSeed({ key: KEY, filters: dependsOn(11) }, ...flags);
}

const inCohort = (value: number): JsonObject => ({ key: 'id', type: 'cohort', value });
const cohort = (id: number, name: string, value: JsonObject): JsonObject => ({
  id,
  name,
  filters: { properties: { type: 'AND', values: [value] } },
});

const CLEARED = { multivariate: null, payloads: null, holdout: null, feature_enrollment: null, early_exit: null };

export const COPY: readonly ServerTest[] = [
  {
    ...common,
    name: 'test_copy_feature_flag_create_new',
    seed: flagsSeed({ ...SOURCE, tags: ['kept-here'], version: 7 }),
    steps: [
      succeeds({
        version: 1,
        active: true,
        deleted: false,
        tags: [],
        updated_existing: false,
        filters: {
          ...CLEARED,
          groups: [{ rollout_percentage: 65, properties: [], aggregation_group_type_index: null }],
          aggregation_group_type_index: null,
        },
      }),
      { ask: 'GET //api/projects/2/feature_flags/{copy}/', expect: ok({ key: KEY }) },
      { ask: 'GET //api/projects/2/feature_flags/{copy}/activity/', expect: ok({ total_count: 1 }) },
      { ask: 'GET //api/projects/1/feature_flags/1/', expect: ok({ version: 7, tags: ['kept-here'] }) },
    ],
  },
  {
    ...common,
    name: 'test_copy_feature_flag_update_existing',
    seed: flagsSeed(SOURCE),
    steps: [
      exists(2, {
        name: 'Existing flag',
        tags: ['stays'],
        filters: {
          groups: [{ rollout_percentage: 99 }],
          multivariate: { variants: [{ key: 'a', rollout_percentage: 100 }] },
          payloads: { a: '1' },
        },
      }),
      succeeds({
        name: '',
        version: 2,
        tags: ['stays'],
        updated_existing: true,
        filters: { ...CLEARED, groups: [{ rollout_percentage: 65 }] },
      }),
      { ask: 'GET //api/projects/2/feature_flags/{existing}/', expect: ok({ version: 2 }) },
    ],
  },
  {
    ...common,
    name: 'test_copy_feature_flag_update_override_deleted',
    seed: flagsSeed(SOURCE),
    steps: [
      exists(2, { name: 'Existing flag', tags: ['gone'] }),
      { ask: 'PATCH //api/projects/2/feature_flags/{existing}/', body: { deleted: true }, expect: ok() },
      succeeds({ version: 1, tags: [], updated_existing: false }),
      { ask: 'GET //api/projects/2/feature_flags/{existing}/', expect: refusal(404, 'not_found') },
    ],
  },
  ...(
    [
      ['disable_true_new', true, false, false],
      ['disable_true_existing', true, true, false],
      ['disable_false_new', false, false, true],
      ['disable_omitted_new', undefined, false, true],
    ] as const
  ).map(([name, disable, isExisting, active]): ServerTest => ({
    ...common,
    name: `test_copy_feature_flag_disable_copied_flag ${name}`,
    seed: flagsSeed(SOURCE),
    steps: [
      ...(isExisting ? [exists(2, { active: true })] : []),
      succeeds({ active }, disable === undefined ? {} : { disable_copied_flag: disable }),
      { ask: 'GET //api/projects/1/feature_flags/1/', expect: ok({ active: true }) },
    ],
  })),
  {
    ...common,
    name: 'test_copy_feature_flag_missing_fields',
    seed: flagsSeed(SOURCE),
    steps: [
      { ask: `POST ${PATH}`, body: {}, expect: refusal(400, 'required', 'feature_flag_key') },
      copies({ target_project_ids: [] }, refusal(400, 'empty', 'target_project_ids')),
      copies({ target_project_ids: Array.from({ length: 51 }, () => 2) }, refusal(400, 'max_length')),
      copies({ target_project_ids: 2 }, refusal(400, 'not_a_list', 'target_project_ids')),
      copies({ from_project: 'one' }, refusal(400, 'invalid_input', 'from_project')),
      untouched,
    ],
  },
  {
    ...common,
    name: 'test_copy_feature_flag_nonexistent_key',
    seed: flagsSeed(SOURCE, { key: 'gone', deleted: true }),
    steps: [refuses({ feature_flag_key: 'nonexistent-key' }, 400), refuses({ feature_flag_key: 'gone' }, 400)],
  },
  {
    ...common,
    name: 'test_copy_feature_flag_from_other_org_returns_not_found',
    seed: flagsSeed(SOURCE),
    steps: [refuses({ from_project: 999 }, 400)],
  },
  {
    ...common,
    name: 'test_copy_feature_flag_to_nonexistent_target',
    seed: flagsSeed(SOURCE),
    steps: [
      copies(
        { target_project_ids: [999, 3] },
        ok({ success: [{ team_id: 3 }], failed: [{ project_id: 999, error_message: 'Project not found.' }] }),
      ),
    ],
  },
  {
    ...common,
    name: 'test_copy_feature_flag_source_object_denied_returns_forbidden',
    seed: flagsSeed({ ...SOURCE, can_edit: false }),
    steps: [refuses({}, 403), untouched],
  },
  {
    ...common,
    name: 'test_copy_rejects_a_source_in_another_config_format',
    seed: flagsSeed({ key: KEY, filters: rules }),
    steps: [refuses({}, 400), untouched],
  },
  {
    ...common,
    name: 'test_copy_names_a_dependency_in_another_config_format',
    seed: chain({ ...parent, filters: rules }),
    steps: [refuses({ copy_dependencies: true }, 400), untouched],
  },
  {
    ...common,
    name: 'test_copy_feature_flag_cohort_nonexistent_in_destination_2',
    seed: {
      cohorts: [cohort(1, 'inner', plan), cohort(2, 'middle', inCohort(1)), cohort(5, 'head', inCohort(2))],
      ...flagsSeed({ key: KEY, filters: { groups: [{ properties: [inCohort(5)] }] } }),
    },
    steps: [
      succeeds({ filters: { groups: [{ properties: [{ type: 'cohort', value: 8, cohort_name: 'head' }] }] } }),
      {
        ask: 'GET //api/projects/2/cohorts/',
        expect: ok({
          results: [
            { id: 8, name: 'head', filters: { properties: { values: [{ type: 'cohort', value: 7 }] } } },
            { id: 7, name: 'middle', filters: { properties: { values: [{ type: 'cohort', value: 6 }] } } },
            { id: 6, name: 'inner', filters: { properties: { values: [{ key: 'plan', value: 'pro' }] } } },
          ],
        }),
      },
      succeeds({ updated_existing: true, filters: { groups: [{ properties: [{ value: 8 }] }] } }),
    ],
  },
  {
    ...common,
    name: 'test_copy_feature_flag_destination_cohort_not_overridden',
    projects: [{ id: '1' }, { id: '2', cohorts: { 'cohort-1': 40 } }],
    seed: {
      cohorts: [cohort(1, 'cohort-1', plan)],
      ...flagsSeed({ key: KEY, filters: { groups: [{ properties: [inCohort(1)] }] } }),
    },
    steps: [
      succeeds({ filters: { groups: [{ properties: [{ value: 40 }] }] } }),
      { ask: 'GET //api/projects/2/cohorts/', expect: ok({ results: [{ id: 40, is_static: true }] }) },
    ],
  },
  {
    ...common,
    name: 'test_copy_feature_flag_fails_for_target_when_cohort_includes_deleted_cohort',
    seed: {
      cohorts: [cohort(1, 'head', inCohort(77))],
      ...flagsSeed({ key: KEY, filters: { groups: [{ properties: [inCohort(1)] }] } }),
    },
    steps: [
      copies({}, ok({ success: [], failed: [{ project_id: 2 }] })),
      untouched,
      { ask: 'GET //api/projects/2/cohorts/', expect: ok({ count: 0 }) },
    ],
  },
  ...(
    [
      ['present_and_active', true, [], true, 0],
      ['missing_with_sibling', undefined, [plan], false, 1],
      ['missing_only_property', undefined, [], false, 2],
      ['disabled_in_target', false, [], false, 2],
    ] as const
  ).map(([name, isTargetActive, siblings, active, warnings]): ServerTest => ({
    ...common,
    name: `test_copy_feature_flag_remaps_or_drops_dependency ${name}`,
    seed: flagsSeed({ key: KEY, filters: dependsOn(11, ...siblings) }, parent),
    steps: [
      ...(isTargetActive === undefined ? [] : [exists(2, { key: 'parent-flag', active: isTargetActive })]),
      drops(warnings, {
        active,
        filters: {
          groups: [
            { properties: [...(active ? [{ type: 'flag', key: '{existing}' }] : []), ...siblings.map(() => plan)] },
          ],
        },
      }),
    ],
  })),
  {
    ...common,
    name: 'test_copy_feature_flag_drops_disabled_source_dependency_even_when_target_same_key_flag_is_active',
    seed: chain({ ...parent, active: false }),
    steps: [
      exists(2, { key: 'parent-flag' }),
      drops(2, { active: false, filters: { groups: [{ properties: [] }] } }, { copy_dependencies: true }),
      { ask: 'GET //api/projects/2/feature_flags/{existing}/', expect: ok({ active: true, version: 1 }) },
    ],
  },
  {
    ...common,
    name: 'test_copy_feature_flag_drops_unresolved_dependency_when_dependency_map_is_empty',
    seed: flagsSeed({ key: KEY, filters: dependsOn(999_999_999) }),
    steps: [
      drops(2, { active: false, filters: { groups: [{ properties: [] }] } }),
      refuses({ copy_dependencies: true }, 400),
    ],
  },
  {
    ...common,
    name: 'test_copy_feature_flag_with_dependencies_query_count',
    seed: chain(
      { ...parent, filters: dependsOn(12) },
      { id: 12, key: 'grandparent-flag', filters: { groups: [{ rollout_percentage: 100 }] } },
    ),
    steps: [
      drops(
        0,
        { active: true, copied_dependency_keys: ['grandparent-flag', 'parent-flag'] },
        { copy_dependencies: true },
      ),
      { ask: 'GET //api/projects/2/feature_flags/', expect: ok({ count: 3 }) },
      // The second copy finds both in place.
      succeeds({ updated_existing: true, active: true }, { copy_dependencies: true }),
      {
        ask: 'GET //api/projects/2/feature_flags/?search=parent-flag',
        expect: ok({ results: [{ version: 1 }, { version: 1 }] }),
      },
    ],
  },
  {
    ...common,
    name: 'a cycle of dependencies is not copied, and a flag is copied without those that are disabled further on',
    seed: flagsSeed(
      { key: 'cycle', filters: dependsOn(2) },
      { key: 'cycle-2', filters: dependsOn(1) },
      { key: KEY, filters: dependsOn(11) },
      { ...parent, filters: dependsOn(12) },
      { id: 12, key: 'off', active: false, filters: { groups: [{}] } },
    ),
    steps: [
      refuses({ feature_flag_key: 'cycle', copy_dependencies: true }, 400),
      untouched,
      drops(2, { active: false }, { copy_dependencies: true }),
      { ask: 'GET //api/projects/2/feature_flags/', expect: ok({ count: 1 }) },
    ],
  },
  {
    ...common,
    name: 'a copy that the target refuses is undone with its dependencies and cohorts',
    seed: {
      cohorts: [cohort(1, 'head', plan)],
      ...flagsSeed(
        {
          key: KEY,
          filters: { groups: [...(dependsOn(11)['groups'] as JsonObject[]), { properties: [inCohort(1), {}] }] },
        },
        parent,
      ),
    },
    steps: [
      copies({ copy_dependencies: true }, ok({ success: [], failed: [{ project_id: 2 }] })),
      untouched,
      { ask: 'GET //api/projects/2/cohorts/', expect: ok({ count: 0 }) },
    ],
  },
];
