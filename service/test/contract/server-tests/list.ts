/** PostHog's tests of the list: parameters, search, staleness. */

import type { JsonObject } from '../../../../src/base/json.ts';
import { ok, refusal } from '../behaviour.ts';
import { flagsSeed, lists, type ServerTest } from './case.ts';

const only = 'posthog';

function person(key: string, value: string): JsonObject {
  return { key, type: 'person', operator: 'exact', value };
}

const OLD = '2024-01-01T00:00:00Z';
const YESTERDAY = '2026-03-09T12:00:00Z';

const everybody = { rollout_percentage: 100, properties: [] };
const targeted = { rollout_percentage: 100, properties: [person('email', 'test@example.com')] };
const halves = {
  variants: [
    { key: 'test', rollout_percentage: 50 },
    { key: 'test2', rollout_percentage: 50 },
  ],
};

const authors = [7, 8, 9].map((id, index) => ({
  key: ['red_button', 'blue_button', 'orange_button'][index] ?? '',
  created_by: { id },
}));

export const LIST: readonly ServerTest[] = [
  {
    name: 'test_get_flags_with_active_and_created_by_id_filters',
    only,
    seed: flagsSeed(
      { key: 'red_button', created_by: { id: 1 } },
      { key: 'blue_button', created_by: { id: 1 } },
      { key: 'orange_button', created_by: { id: 2 }, active: false },
      { key: 'green_button', created_by: { id: 1 }, active: false },
    ),
    steps: [lists('?created_by_id=1&active=false', 'green_button')],
  },
  {
    name: 'test_get_flags_with_multiple_created_by_id_filter',
    only,
    seed: flagsSeed(...authors),
    steps: [
      lists('?created_by_id=[7,8]', 'blue_button', 'red_button'),
      lists('?created_by_id=7,9', 'orange_button', 'red_button'),
      lists('?created_by_id=8', 'blue_button'),
      lists('?created_by_id=[10]'),
    ],
  },
  {
    name: 'test_parse_created_by_ids',
    only,
    seed: flagsSeed(...authors),
    steps: [
      lists('?created_by_id=', 'orange_button', 'blue_button', 'red_button'),
      lists('?created_by_id=7,abc,9', 'orange_button', 'red_button'),
      lists('?created_by_id=abc', 'orange_button', 'blue_button', 'red_button'),
      lists('?created_by_id=[8', 'orange_button', 'blue_button', 'red_button'),
      lists('?created_by_id=[8,9', 'orange_button', 'blue_button', 'red_button'),
    ],
  },
  {
    name: 'test_get_flags_with_type_filters',
    only,
    seed: {
      ...flagsSeed({ key: 'red_button' }, { key: 'purple_button', filters: { multivariate: halves } }),
      experiments: [{ id: 1, name: 'Experiment 1', flag: 'red_button' }],
    },
    steps: [
      lists('?type=boolean', 'red_button'),
      lists('?type=multivariant', 'purple_button'),
      lists('?type=experiment', 'red_button'),
    ],
  },
  {
    name: 'test_get_flags_with_search',
    only,
    seed: {
      ...flagsSeed(
        { key: 'blue_search_term_button' },
        { key: 'green_search_term_button', active: false },
        { key: 'experiment_flag' },
      ),
      experiments: [{ id: 1, name: 'unique_experiment_name', flag: 'experiment_flag' }],
    },
    steps: [
      lists('?active=true&search=search_term', 'blue_search_term_button'),
      lists('?search=unique_experiment_name', 'experiment_flag'),
      lists('?search=deleted_unique_experiment'),
    ],
  },
  {
    name: 'test_get_flags_with_search_word_boundaries',
    only,
    seed: flagsSeed(
      { key: 'feature-flag-test' },
      { key: 'feature_flag_experiment' },
      { key: 'my_feature_button', name: 'Feature Button Display' },
      { key: 'unrelated-item' },
    ),
    steps: [
      lists('?search=feature%20flag', 'feature_flag_experiment', 'feature-flag-test'),
      lists('?search=Feature%20Button', 'my_feature_button'),
      lists('?search=feature', 'my_feature_button', 'feature_flag_experiment', 'feature-flag-test'),
    ],
  },
  {
    name: 'test_get_flags_with_search_partial_word_matching',
    only,
    seed: flagsSeed(
      { key: 'web-analytics' },
      { key: 'web_dashboard' },
      { key: 'web analytics', name: 'Web Analytics Feature' },
      { key: 'webanalytics' },
      { key: 'mobile-analytics' },
    ),
    steps: [
      lists('?search=web%20ana', 'webanalytics', 'web analytics', 'web-analytics'),
      lists('?search=web%20dash', 'web_dashboard'),
      lists('?search=web', 'webanalytics', 'web analytics', 'web_dashboard', 'web-analytics'),
      lists('?search=web-ana', 'web-analytics'),
      lists('?search=web_ana'),
    ],
  },
  {
    name: 'test_get_flags_with_search_exact_api_case',
    only,
    seed: flagsSeed({ key: 'web-analytics' }, { key: 'other-flag' }),
    steps: [lists('?search=web%20ana&page=1&limit=100&offset=0', 'web-analytics')],
  },
  {
    name: 'test_get_flags_with_search_trailing_space',
    only,
    seed: flagsSeed({ key: 'web-analytics' }, { key: 'mobile-app' }),
    steps: ['web%20', '%20web', '%20web%20'].map((text) => lists(`?search=${text}`, 'web-analytics')),
  },
  {
    name: 'test_get_flags_with_search_regex_metacharacters',
    only,
    seed: flagsSeed(
      { key: 'test.period.flag' },
      { key: 'test-hyphen-flag' },
      { key: 'test+plus+flag' },
      { key: 'test*asterisk*flag' },
      { key: 'test[bracket]flag' },
      { key: 'test(paren)flag' },
      { key: 'test?question?flag' },
    ),
    steps: [
      lists('?search=test.period', 'test.period.flag'),
      lists('?search=test%2Bplus', 'test+plus+flag'),
      lists('?search=test%2Aasterisk', 'test*asterisk*flag'),
      lists('?search=test%5Bbracket%5D', 'test[bracket]flag'),
      lists('?search=test%28paren%29', 'test(paren)flag'),
      lists('?search=test%3Fquestion', 'test?question?flag'),
    ],
  },
  {
    name: 'test_get_flags_with_search_length_limit',
    only,
    steps: [
      lists(`?search=${'a'.repeat(200)}`),
      {
        ask: `GET /feature_flags/?search=${'a'.repeat(201)}`,
        expect: refusal(400, 'invalid_input', null),
      },
    ],
  },
  {
    name: 'test_get_flags_with_stale_filter',
    only,
    seed: flagsSeed(
      { key: 'stale_flag', created_at: OLD, filters: { groups: [everybody] } },
      { key: 'recent_flag', filters: { groups: [everybody] }, last_called_at: YESTERDAY },
      {
        key: 'partial_flag',
        created_at: OLD,
        filters: { groups: [{ rollout_percentage: 50 }] },
        last_called_at: YESTERDAY,
      },
      { key: 'filtered_flag', created_at: OLD, filters: { groups: [targeted] }, last_called_at: YESTERDAY },
      { key: 'new_flag', created_at: YESTERDAY, filters: { groups: [everybody] } },
      { key: 'disabled_flag', created_at: OLD, active: false, filters: { groups: [everybody] } },
    ),
    steps: [
      {
        ask: 'GET /feature_flags/?active=STALE',
        expect: ok({ count: 1, results: [{ key: 'stale_flag', status: 'STALE' }] }),
      },
      lists('?active=stale', 'disabled_flag'),
    ],
  },
  {
    name: 'test_get_flags_with_stale_filter_multivariate',
    only,
    seed: flagsSeed(
      {
        key: 'stale_multivariate',
        created_at: OLD,
        filters: { groups: [everybody], multivariate: { variants: [{ key: 'test', rollout_percentage: 100 }] } },
      },
      { key: 'active_multivariate', created_at: OLD, filters: { groups: [everybody], multivariate: halves } },
    ),
    steps: [lists('?active=STALE', 'stale_multivariate')],
  },
  {
    name: 'test_get_flags_with_stale_filter_multivariate_condition_variant_override',
    only,
    seed: flagsSeed(
      {
        key: 'stale_multivariate',
        created_at: OLD,
        filters: { groups: [{ ...everybody, variant: 'test' }], multivariate: halves },
      },
      {
        key: 'low_rollout',
        created_at: OLD,
        filters: { groups: [{ ...everybody, rollout_percentage: 90, variant: 'test' }], multivariate: halves },
      },
      {
        key: 'with_properties',
        created_at: OLD,
        filters: { groups: [{ ...targeted, variant: 'test' }], multivariate: halves },
      },
    ),
    steps: [lists('?active=STALE', 'stale_multivariate')],
  },
  {
    name: 'test_get_flags_with_stale_filter_jsonb_edge_cases',
    only,
    seed: flagsSeed(
      {
        key: 'json_null_variant',
        created_at: OLD,
        filters: { groups: [{ ...everybody, variant: null }], multivariate: halves },
      },
      { key: 'empty_multivariate_object', created_at: OLD, filters: { groups: [everybody], multivariate: {} } },
      { key: 'explicit_null', created_at: OLD, filters: { groups: [everybody], multivariate: null, payloads: {} } },
      { key: 'no_conditions', created_at: OLD, filters: { groups: [] } },
    ),
    steps: [
      lists('?active=STALE', 'explicit_null', 'empty_multivariate_object'),
      // The status of one flag and the list do not agree on a flag without conditions.
      { ask: 'GET /feature_flags/4/', expect: ok({ status: 'STALE' }) },
    ],
  },
  {
    name: 'test_get_flags_with_stale_filter_usage_and_config_based',
    only,
    seed: flagsSeed(
      {
        key: 'stale_by_usage_flag',
        created_at: OLD,
        last_called_at: '2026-02-03T12:00:00Z',
        filters: { groups: [{ rollout_percentage: 50 }] },
      },
      { key: 'stale_by_config_flag', created_at: OLD, filters: { groups: [everybody] } },
      {
        key: 'active_flag',
        created_at: OLD,
        last_called_at: '2026-03-10T11:00:00Z',
        filters: { groups: [everybody] },
      },
      { key: 'no_data_partial_rollout_flag', created_at: OLD, filters: { groups: [{ rollout_percentage: 50 }] } },
      { key: 'new_uncalled_flag', created_at: '2026-03-05T12:00:00Z', filters: { groups: [everybody] } },
    ),
    steps: [
      {
        ask: 'GET /feature_flags/?active=STALE&order=id',
        expect: ok({
          count: 2,
          results: [
            { key: 'stale_by_usage_flag', status: 'STALE' },
            { key: 'stale_by_config_flag', status: 'STALE' },
          ],
        }),
      },
    ],
  },
  {
    name: 'test_get_flags_with_evaluation_runtime_filter',
    only,
    seed: flagsSeed(
      { key: 'server_flag', evaluation_runtime: 'server' },
      { key: 'client_flag', evaluation_runtime: 'client' },
      { key: 'all_flag', evaluation_runtime: 'all' },
    ),
    steps: [
      lists('?evaluation_runtime=server', 'server_flag'),
      lists('?evaluation_runtime=client', 'client_flag'),
      lists('?evaluation_runtime=all', 'all_flag'),
    ],
  },
  {
    name: 'test_matching_ids_excludes_archived_by_default',
    only,
    seed: flagsSeed({ key: 'visible_flag' }, { key: 'archived_flag', archived: true, active: false }),
    steps: [
      lists('', 'visible_flag'),
      lists('?archived=true', 'archived_flag'),
      lists('?archived=1', 'archived_flag'),
      lists('?archived=false', 'visible_flag'),
      lists('?archived=', 'visible_flag'),
    ],
  },
  {
    name: 'test_eligible_for_experiment_filter',
    only,
    seed: flagsSeed(
      { key: 'boolean' },
      { key: 'one', filters: { groups: [], multivariate: { variants: [{ key: 'a', rollout_percentage: 100 }] } } },
      { key: 'two', filters: { groups: [], multivariate: halves } },
    ),
    steps: [
      {
        ask: 'GET /feature_flags/?eligible_for_experiment=true',
        expect: ok({ count: 1, results: [{ key: 'two', is_eligible_for_experiment: true }] }),
      },
      lists('?eligible_for_experiment=no', 'two', 'one', 'boolean'),
    ],
  },
];
