/** PostHog's tests of the activity: members of an entry, recorded fields, pages. */

import type { JsonObject } from '../../../../src/base/json.ts';
import type { Profile } from '../../../src/index.ts';
import { ok, type Step } from '../behaviour.ts';
import type { ServerTest } from './case.ts';

const email = { key: 'email', type: 'person', value: '@posthog.com', operator: 'icontains' };
const FILTERS = { groups: [{ rollout_percentage: 65, properties: [email] }] };

const ENTRY = ['user', 'activity', 'scope', 'item_id', 'detail', 'created_at'];
const TODAY = [...ENTRY, 'id', 'client', 'is_system', 'was_impersonated'];
const DETAIL = ['name', 'changes', 'trigger', 'short_id'];

const created: Step = {
  ask: 'POST /feature_flags/',
  body: { name: 'original name', key: 'a-feature-flag-that-is-updated', filters: FILTERS },
  expect: { status: 201 },
  keep: { id: '/id' },
};

function entry(activity: string, changes: JsonObject[] | null): JsonObject {
  return {
    user: { first_name: 'Embedded', email: 'embedded@example.org' },
    activity,
    scope: 'FeatureFlag',
    detail: { changes, trigger: null, short_id: null },
  };
}

function change(field: string, before: JsonObject[string], after: JsonObject[string]): JsonObject {
  return { type: 'FeatureFlag', action: 'changed', field, before: before ?? null, after: after ?? null };
}

/** Fifteen entries in a project, by fifteen creations, or in a flag, by a creation and fourteen renames. */
function pages(path: string, first: readonly Step[]): readonly Step[] {
  const base = `http://{host}/api/projects/1${path}`;
  const names = (from: number, length: number): JsonObject[] =>
    Array.from({ length }, (_none, index) => ({ detail: { name: `k${from - index}` } }));
  return [
    ...first,
    {
      ask: `GET ${path}`,
      expect: ok({ results: names(14, 10), next: `${base}?page=2&limit=10`, previous: null, total_count: 15 }),
    },
    {
      ask: `GET ${path}?page=2&limit=10`,
      expect: ok({ results: names(4, 5), next: null, previous: `${base}?page=1&limit=10`, total_count: 15 }),
    },
    { ask: `GET ${path}?page=1&limit=5&x=1`, expect: ok({ next: `${base}?page=2&limit=5&x=1`, previous: null }) },
  ];
}

const creations = Array.from({ length: 15 }, (_none, index): Step => ({
  ask: 'POST /feature_flags/',
  body: { name: `feature flag ${index}`, key: `k${index}` },
  expect: { status: 201 },
  ...(index === 0 && { keep: { id: '/id' } }),
}));

const renames = Array.from({ length: 14 }, (_none, index): Step => ({
  ask: 'PATCH /feature_flags/{id}',
  body: { key: `k${index + 1}` },
  expect: { status: 200 },
}));

function updating(only: Profile, before: JsonObject, after: JsonObject): ServerTest {
  const versions = only === 'posthog' ? [change('version', 1, 2)] : [];
  const isToday = only === 'posthog';
  return {
    name: 'test_updating_feature_flag',
    only,
    steps: [
      { ...created, body: { name: 'original name', key: 'a-feature-flag-that-is-updated', filters: before } },
      {
        ask: 'PATCH /feature_flags/{id}',
        body: { name: 'Updated name', filters: FILTERS },
        expect: ok({ name: 'Updated name' }),
      },
      {
        ask: 'GET /feature_flags/{id}/activity',
        expect: {
          status: 200,
          body: {
            results: [
              entry('updated', [
                change('name', 'original name', 'Updated name'),
                change('filters', isToday ? completed(before) : before, after),
                ...versions,
              ]),
              entry('created', isToday ? [] : null),
            ],
          },
          members: {
            '/results/0': isToday ? TODAY : ENTRY,
            '/results/0/detail': isToday ? [...DETAIL, 'type'] : DETAIL,
            '/results/1': isToday ? TODAY : ENTRY,
          },
        },
      },
    ],
  };
}

function completed({ groups }: JsonObject): JsonObject {
  const conditions = Array.isArray(groups) ? (groups as JsonObject[]) : [];
  return {
    aggregation_group_type_index: null,
    groups: conditions.map((group) => ({ properties: [], ...group, aggregation_group_type_index: null })),
  };
}

const HALF = { groups: [{ rollout_percentage: 50 }] };

export const ACTIVITY: readonly ServerTest[] = [
  updating('documented', HALF, FILTERS),
  updating('posthog', HALF, completed(FILTERS)),
  {
    name: 'test_create_feature_flag',
    steps: [
      created,
      {
        ask: 'GET /feature_flags/{id}/activity',
        expect: {
          documented: ok({ results: [entry('created', null)] }),
          posthog: ok({ results: [entry('created', [])] }),
        },
      },
    ],
  },
  {
    name: 'test_get_feature_flag_activity_for_all_flags',
    steps: [
      created,
      { ask: 'PATCH /feature_flags/{id}', body: { active: false }, expect: ok({ active: false }) },
      { ask: 'POST /feature_flags/', body: { key: 'flag-two' }, expect: { status: 201 } },
      {
        ask: 'GET /feature_flags/activity',
        expect: ok({
          results: [
            { activity: 'created', detail: { name: 'flag-two' } },
            { activity: 'updated', detail: { name: 'a-feature-flag-that-is-updated' } },
            { activity: 'created', detail: { name: 'a-feature-flag-that-is-updated' } },
          ],
        }),
      },
    ],
  },
  {
    name: 'test_get_feature_flag_activity_only_from_own_team',
    steps: [{ ask: 'GET /feature_flags/999/activity', expect: { status: 404 } }],
  },
  { name: 'test_paging_all_feature_flag_activity', steps: pages('/feature_flags/activity', creations) },
  {
    name: 'test_paging_specific_feature_flag_activity',
    steps: pages('/feature_flags/{id}/activity', [...creations.slice(0, 1), ...renames]),
  },
  {
    name: 'test_evaluation_contexts_activity_log',
    only: 'posthog',
    steps: [
      created,
      {
        ask: 'PATCH /feature_flags/{id}',
        body: { evaluation_contexts: ['web', 'app'], ensure_experience_continuity: true },
        expect: { status: 200 },
      },
      {
        ask: 'GET /feature_flags/{id}/activity?limit=1',
        expect: ok({
          results: [
            entry('updated', [
              change('ensure_experience_continuity', false, true),
              change('evaluation_contexts', [], ['app', 'web']),
              change('version', 1, 2),
            ]),
          ],
        }),
      },
    ],
  },
];
