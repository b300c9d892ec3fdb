/**
 * Objects that the service only keeps: actions, hog functions, surveys with their flags, settings of projects and proxy records. The
 * names in brackets are tests of the Terraform provider that need the same.
 */

import type { JsonObject } from '../../../../src/base/json.ts';
import { type Behaviour, type Expectation, ok, refusal, type Step, today } from '../behaviour.ts';

const ACTIONS = '/actions/';
const FUNCTIONS = '/hog_functions/';
const SURVEYS = '/surveys/';
const PROXIES = '//api/organizations/@current/proxy_records/';
const SETTINGS = '//api/environments/{project}/';
const NOBODY = '00000000-0000-4000-8000-000000000000';
const WEBHOOK: JsonObject = { template_id: 'template-webhook', inputs: { url: { value: 'https://example.org/hook' } } };
const QUESTION: JsonObject = { type: 'open', question: 'How is it?' };

function created(path: string, body: JsonObject, expected?: JsonObject): Step {
  const answer = { status: 201, ...(expected !== undefined && { body: expected }) };
  return { ask: `POST ${path}`, body, expect: answer, keep: { id: '/id' } };
}

const change = (path: string, body: JsonObject, expected: Expectation): Step => ({
  ask: `PATCH ${path}{id}/`,
  body,
  expect: expected,
});

function refusals(
  ask: string,
  cases: readonly (readonly [body: JsonObject, code: string, attr: string | null])[],
): Step[] {
  return cases.map(([body, code, attr]) => ({ ask, body, expect: refusal(400, code, attr) }));
}

const survey = (more: JsonObject = {}): JsonObject => ({
  name: 'Pricing',
  type: 'popover',
  questions: [QUESTION],
  ...more,
});
const removed: Step = { ask: `DELETE ${SURVEYS}{id}/`, expect: { status: 204, text: '' } };

/** What an unseen survey asks of a person. */
function unseen(name: string): JsonObject {
  const unset = (key: string): JsonObject => ({ key, operator: 'is_not_set', type: 'person' });
  return { groups: [{ properties: [unset(`$survey_dismissed/${name}`), unset(`$survey_responded/${name}`)] }] };
}

export const KEPT_OBJECTS: readonly Behaviour[] = [
  today(
    'an action is created with defaults, changed, and deleted by a PATCH [TestAction_Update, TestAction_ClearTagsAndSteps]',
    [
      created(
        ACTIONS,
        { name: ' Buys ', tags: ['B', 'a', 'b'], steps: [{ event: 'paid', url: '/buy', later: 1 }] },
        {
          name: 'Buys',
          description: '',
          tags: ['b', 'a'],
          post_to_slack: false,
          steps: [{ event: 'paid', url: '/buy', url_matching: 'contains', selector: null, properties: null }],
          deleted: false,
          is_action: true,
          team_id: 1,
          pinned_at: null,
          created_at: '2026-03-10T12:00:00Z',
        },
      ),
      { ask: `GET ${ACTIONS}`, expect: ok({ results: [{ name: 'Buys' }] }) },
      change(
        ACTIONS,
        { steps: [], tags: [], description: 'All' },
        ok({ steps: [], tags: [], description: 'All', name: 'Buys' }),
      ),
      change(ACTIONS, { pinned_at: '2020-01-01T00:00:00Z' }, ok({ pinned_at: '2026-03-10T12:00:00Z' })),
      change(ACTIONS, { pinned_at: null }, ok({ pinned_at: null })),
      { ask: `DELETE ${ACTIONS}{id}/`, expect: { status: 405, text: '' } },
      change(ACTIONS, { deleted: true }, ok({ deleted: true })),
      { ask: `GET ${ACTIONS}`, expect: ok({ results: [] }) },
      { ask: `GET ${ACTIONS}{id}/`, expect: ok({ deleted: true, name: 'Buys' }) },
    ],
  ),
  today('the name of an action is unique among those that are not deleted', [
    created(ACTIONS, { name: 'Twice' }),
    ...refusals(`POST ${ACTIONS}`, [[{ name: 'Twice' }, 'unique', 'name']]),
    change(ACTIONS, { name: 'Twice', deleted: true }, ok({ name: 'Twice' })),
    created(ACTIONS, { name: 'Twice' }),
    change(ACTIONS, { deleted: true }, ok()),
  ]),
  today('fields of actions have types and lengths', [
    ...refusals(`POST ${ACTIONS}`, [
      [{ name: ' ' }, 'blank', 'name'],
      [{ name: 'a'.repeat(401) }, 'max_length', 'name'],
      [{ description: null }, 'null', 'description'],
      [{ steps: {} }, 'not_a_list', 'steps'],
      [{ steps: [{ url_matching: 'starts' }] }, 'invalid_choice', 'url_matching'],
      [{ post_to_slack: 'maybe' }, 'invalid_input', 'post_to_slack'],
    ]),
    { ask: `GET ${ACTIONS}9999/`, expect: refusal(404, 'not_found') },
    { ask: `PATCH ${ACTIONS}x/`, body: {}, expect: refusal(404, 'not_found') },
  ]),
  today('a hog function takes from its template what is not sent [TestHogFunction_WebhookDestination]', [
    created(
      FUNCTIONS,
      { ...WEBHOOK, name: 'Notify', enabled: true, filters: { events: [{ id: 'paid' }], later: 1 } },
      {
        type: 'destination',
        name: 'Notify',
        enabled: true,
        template: { id: 'template-webhook', type: 'destination' },
        inputs: { url: { value: 'https://example.org/hook', order: 0 } },
        filters: { source: 'events', events: [{ id: 'paid' }] },
        execution_order: null,
        version: 1,
        draft: null,
      },
    ),
    { ask: `GET ${FUNCTIONS}{id}/`, expect: ok({ name: 'Notify', inputs_schema: [{ key: 'url' }, {}, {}, {}, {}] }) },
    change(FUNCTIONS, { name: 'Notify all', enabled: false }, ok({ name: 'Notify all', enabled: false, version: 1 })),
    change(FUNCTIONS, { hog: 'return event\n' }, ok({ hog: 'return event', version: 2 })),
    { ask: `DELETE ${FUNCTIONS}{id}/`, expect: { status: 405, text: '' } },
    change(FUNCTIONS, { deleted: true }, ok()),
    { ask: `GET ${FUNCTIONS}{id}/`, expect: refusal(404, 'not_found') },
    change(FUNCTIONS, { name: 'Other' }, refusal(404, 'not_found')),
    change(FUNCTIONS, { deleted: false }, ok({ name: 'Notify all' })),
    change(FUNCTIONS, { deleted: true }, ok()),
  ]),
  today('a secret input is never shown, and a mark in its place keeps it [TestHogFunction_InputsSchemaJSON]', [
    created(
      FUNCTIONS,
      {
        ...WEBHOOK,
        inputs_schema: [{ key: 'token', type: 'string', secret: true, required: true }],
        inputs: { token: { value: 'hush' }, other: { value: 1 } },
      },
      { inputs: { token: { secret: true } } },
    ),
    {
      ask: `GET ${FUNCTIONS}{id}/`,
      expect: { status: 200, members: { '/inputs': ['token'], '/inputs/token': ['secret'] } },
    },
    change(FUNCTIONS, { inputs: { token: { secret: true } } }, ok({ inputs: { token: { secret: true } }, version: 1 })),
    change(FUNCTIONS, { inputs: { token: { value: 'new' } } }, ok({ inputs: { token: { secret: true } }, version: 2 })),
    change(FUNCTIONS, { deleted: true }, ok()),
    ...refusals(`POST ${FUNCTIONS}`, [
      [
        {
          ...WEBHOOK,
          inputs_schema: [{ key: 'token', type: 'string', secret: true }],
          inputs: { token: { secret: true } },
        },
        'invalid_input',
        'inputs__token',
      ],
    ]),
  ]),
  today('transformations are ordered, and a list shows less of each function', [
    ...[1, 2].map((order) =>
      created(FUNCTIONS, { type: 'transformation', hog: 'return event' }, { execution_order: order }),
    ),
    {
      ask: `GET ${FUNCTIONS}?type=transformation&limit=1`,
      expect: ok({ count: 2, results: [{ execution_order: 1 }] }),
    },
    { ask: `GET ${FUNCTIONS}?enabled=true`, expect: ok({ count: 0 }) },
    {
      ask: `GET ${FUNCTIONS}?full=true&limit=1&offset=1`,
      expect: { status: 200, body: { results: [{ inputs: {}, version: 1 }] } },
      keep: { id: '/results/0/id' },
    },
    change(FUNCTIONS, { deleted: true }, ok()),
    {
      ask: `GET ${FUNCTIONS}`,
      expect: ok({ count: 1, results: [{ execution_order: 1 }] }),
      keep: { id: '/results/0/id' },
    },
    change(FUNCTIONS, { type: 'destination' }, refusal(400, 'invalid_input', 'type')),
    change(FUNCTIONS, { deleted: true }, ok()),
  ]),
  today('the schema of an input is kept as it is sent, without what the service does not know', [
    created(
      FUNCTIONS,
      {
        hog: 'return event',
        inputs_schema: [
          { key: 'a', type: 'choice', label: '', choices: [{ label: 'B', value: 'b' }], default: 'b', later: 1 },
          { key: 'c', type: 'string', required: true, hidden: true, description: 'C', templating: 'liquid' },
        ],
        inputs: { a: { value: 'b' }, c: { value: 'x', later: 1 } },
      },
      {
        inputs_schema: [
          { key: 'a', label: '', choices: [{ label: 'B', value: 'b' }], default: 'b', required: false, hidden: false },
          { key: 'c', required: true, hidden: true, description: 'C', templating: 'liquid', secret: false },
        ],
        inputs: { a: { value: 'b', order: 0 }, c: { value: 'x', order: 1, templating: 'liquid' } },
      },
    ),
    change(FUNCTIONS, { deleted: true }, ok()),
  ]),
  today('fields of hog functions are checked', [
    ...refusals(`POST ${FUNCTIONS}`, [
      [{ name: 'No code' }, 'invalid_input', 'hog'],
      [{ type: 'robot', hog: 'x' }, 'invalid_choice', 'type'],
      [{ type: 'warehouse_source_webhook', hog: 'x' }, 'invalid_input', 'type'],
      [{ template_id: 'template-unknown' }, 'invalid_input', 'template_id'],
      [{ template_id: 'template-webhook' }, 'invalid_input', 'inputs__url'],
      [{ ...WEBHOOK, inputs: { url: { value: 5 } } }, 'invalid_input', 'inputs__url'],
      [{ ...WEBHOOK, inputs: { url: 'https://example.org' } }, 'invalid_input', 'inputs__url'],
      [{ hog: 'x', inputs_schema: [{ key: 'a', type: 'choice', choices: 'b' }] }, 'not_a_list', 'choices'],
      [{ hog: 'x', inputs_schema: [{ key: 'a', type: 'robot' }] }, 'invalid_choice', 'type'],
      [{ hog: 'x', inputs_schema: [{ type: 'string' }] }, 'required', 'key'],
      [{ hog: 'x', filters: { source: 'nowhere' } }, 'invalid_choice', 'source'],
      [{ hog: 'x', type: 'site_app', mappings: [{}] }, 'invalid_input', 'mappings'],
      [{ hog: 'x'.repeat(100 * 1024 + 1) }, 'invalid_input', 'hog'],
    ]),
    { ask: `GET ${FUNCTIONS}${NOBODY}/`, expect: refusal(404, 'not_found') },
  ]),
  today(
    'a survey is created with defaults, changed, and deleted for good [TestSurvey_Basic, TestSurvey_ClearNumericLimits]',
    [
      created(SURVEYS, survey({ responses_limit: 100 }), {
        name: 'Pricing',
        type: 'popover',
        schedule: 'once',
        questions: [QUESTION],
        archived: false,
        linked_flag: null,
        responses_limit: 100,
        response_sampling_interval_type: 'week',
        base_language: 'en',
      }),
      {
        ask: `GET ${SURVEYS}`,
        expect: ok({ count: 1, next: null, results: [{ name: 'Pricing', user_access_level: 'editor' }] }),
      },
      { ask: `GET ${SURVEYS}{id}/`, expect: ok({ name: 'Pricing', linked_flag_id: null }) },
      { ask: `GET ${SURVEYS}?archived=true`, expect: ok({ count: 0 }) },
      { ask: `GET ${SURVEYS}?type=api`, expect: ok({ count: 0 }) },
      change(
        SURVEYS,
        { responses_limit: null, archived: true },
        ok({ responses_limit: null, archived: true, name: 'Pricing' }),
      ),
      removed,
      { ask: `GET ${SURVEYS}{id}/`, expect: refusal(404, 'not_found') },
    ],
  ),
  today('a survey names the flag that it is linked to, and the flag the survey [TestSurvey_LinkAndUnlinkFlag]', [
    created(SURVEYS, survey({ linked_flag_id: 1 }), { linked_flag: { id: 1, key: 'everybody' } }),
    { ask: 'GET /feature_flags/1/', expect: ok({ surveys: [{ name: 'Pricing', type: 'popover' }] }) },
    change(SURVEYS, { linked_flag_id: null }, ok({ linked_flag: null })),
    { ask: 'GET /feature_flags/1/', expect: ok({ surveys: [] }) },
    removed,
  ]),
  today('a survey has a flag for people who have not seen it, which is on while it runs and which lists leave out', [
    {
      ...created(SURVEYS, survey(), { internal_targeting_flag: { active: false } }),
      keep: { id: '/id', flag: '/internal_targeting_flag/id', key: '/internal_targeting_flag/key' },
    },
    {
      ask: 'GET /feature_flags/{flag}/',
      expect: ok({ name: 'Targeting flag for survey Pricing', filters: unseen('{id}') }),
    },
    { ask: 'GET /feature_flags/?key={key}', expect: ok({ count: 0 }) },
    { ask: 'POST /feature_flags/', body: { key: '{key}' }, expect: refusal(400, 'unique', 'key') },
    change(SURVEYS, { start_date: '2026-03-01T00:00:00Z' }, ok({ internal_targeting_flag: { active: true } })),
    {
      ask: 'POST //flags?v=2',
      body: { token: 'phc_1', distinct_id: 'nobody' },
      expect: ok({ flags: { '{key}': { enabled: true } } }),
    },
    change(SURVEYS, { end_date: '2026-03-02T00:00:00Z' }, ok({ internal_targeting_flag: { active: false } })),
    removed,
    { ask: 'GET /feature_flags/{flag}/', expect: refusal(404, 'not_found') },
  ]),
  today('a survey for some people has a second flag, which it loses with them', [
    {
      ...created(
        SURVEYS,
        survey({ targeting_flag_filters: { groups: [{ properties: [], rollout_percentage: 20 }] } }),
        {
          targeting_flag: { active: false, filters: { groups: [{ rollout_percentage: 20 }] } },
        },
      ),
      keep: { id: '/id', flag: '/targeting_flag/id' },
    },
    change(
      SURVEYS,
      { targeting_flag_filters: { groups: [{ properties: [], rollout_percentage: 30 }] } },
      ok({ targeting_flag: { filters: { groups: [{ rollout_percentage: 30 }] } } }),
    ),
    change(SURVEYS, { remove_targeting_flag: true }, ok({ targeting_flag: null })),
    { ask: 'GET /feature_flags/{flag}/', expect: refusal(404, 'not_found') },
    removed,
  ]),
  today('a survey that recurs has the starts of its iterations', [
    created(SURVEYS, survey({ iteration_count: 2, iteration_frequency_days: 7 }), {
      iteration_start_dates: null,
      current_iteration: null,
    }),
    change(
      SURVEYS,
      { start_date: '2026-03-01T00:00:00Z' },
      ok({
        iteration_start_dates: ['2026-03-01T00:00:00Z', '2026-03-08T00:00:00Z'],
        current_iteration: 1,
        internal_targeting_flag: { filters: unseen('{id}/1') },
      }),
    ),
    change(SURVEYS, { iteration_count: null }, ok({ iteration_start_dates: [], current_iteration: null })),
    removed,
  ]),
  today('fields of surveys are checked', [
    created(SURVEYS, survey({ name: 'Taken' })),
    ...refusals(`POST ${SURVEYS}`, [
      [{ type: 'popover' }, 'required', 'name'],
      [{ name: 'A' }, 'required', 'type'],
      [survey({ name: 'Taken' }), 'unique', null],
      [survey({ type: 'letter' }), 'invalid_choice', 'type'],
      [survey({ schedule: 'never' }), 'invalid_input', 'schedule'],
      [survey({ questions: [{}] }), 'invalid_input', 'questions'],
      [survey({ questions: [{ question: 'Which?', choices: [''] }] }), 'invalid_input', 'questions'],
      [survey({ conditions: [] }), 'invalid_input', 'conditions'],
      [survey({ linked_flag_id: 9999 }), 'invalid_input', null],
      [survey({ linked_insight_id: 1 }), 'invalid_input', null],
      [survey({ iteration_count: 501 }), 'max_value', 'iteration_count'],
      [survey({ targeting_flag_filters: { groups: [{ rollout_percentage: 100 }] } }), 'invalid_input', null],
      [
        survey({ response_sampling_start_date: '2026-03-09T00:00:00Z' }),
        'invalid_input',
        'response_sampling_start_date',
      ],
      [survey({ response_sampling_interval: 0 }), 'invalid_input', 'response_sampling_interval'],
      [survey({ response_sampling_limit: 5 }), 'invalid_input', 'response_sampling_start_date'],
      [survey({ type: 'external_survey', linked_flag_id: 1 }), 'invalid_input', 'linked_flag_id'],
      [
        survey({ appearance: { shuffleQuestions: true }, questions: [{ ...QUESTION, branching: { type: 'end' } }] }),
        'invalid_input',
        null,
      ],
    ]),
    removed,
  ]),
  today('settings of a project are kept; empty addresses are dropped [TestProjectSettings_Domains]', [
    {
      ask: `GET ${SETTINGS}`,
      expect: ok({ id: 1, app_urls: [], recording_domains: null, session_recording_opt_in: false }),
    },
    {
      ask: `PATCH ${SETTINGS}`,
      body: {
        app_urls: ['https://a.example.org', '', null],
        heatmaps_opt_in: true,
        cookieless_server_hash_mode: 2,
        later: 1,
      },
      expect: ok({ app_urls: ['https://a.example.org'], heatmaps_opt_in: true, cookieless_server_hash_mode: 2 }),
    },
    {
      ask: `PATCH ${SETTINGS}`,
      body: { surveys_opt_in: true },
      expect: ok({ surveys_opt_in: true, heatmaps_opt_in: true }),
    },
    { ask: `GET ${SETTINGS}`, expect: ok({ surveys_opt_in: true, app_urls: ['https://a.example.org'] }) },
    ...refusals(`PATCH ${SETTINGS}`, [
      [{ heatmaps_opt_in: 'x' }, 'invalid_input', 'heatmaps_opt_in'],
      [{ session_recording_opt_in: null }, 'null', 'session_recording_opt_in'],
      [{ cookieless_server_hash_mode: 3 }, 'invalid_choice', 'cookieless_server_hash_mode'],
      [{ app_urls: 'https://a.example.org' }, 'not_a_list', 'app_urls'],
    ]),
    { ask: 'GET //api/environments/2/', expect: refusal(404, 'not_found') },
  ]),
  today('an organization has at most two proxy records, which wait for their DNS [TestProxyRecord_Basic]', [
    {
      ask: `POST ${PROXIES}`,
      body: { domain: 'e.example.org' },
      expect: ok({ domain: 'e.example.org', status: 'waiting', message: null, created_by: 1 }),
      keep: { id: '/id' },
    },
    { ask: `POST ${PROXIES}`, body: { domain: 'e.example.org' }, expect: refusal(400, 'unique', 'domain') },
    { ask: `POST ${PROXIES}`, body: {}, expect: refusal(400, 'required', 'domain') },
    { ask: `POST ${PROXIES}`, body: { domain: 'f.example.org' }, expect: ok(), keep: { other: '/id' } },
    { ask: `POST ${PROXIES}`, body: { domain: 'g.example.org' }, expect: { status: 400, members: { '': ['detail'] } } },
    { ask: `GET ${PROXIES}`, expect: ok({ max_proxy_records: 2, results: [{ domain: 'f.example.org' }, {}] }) },
    { ask: `GET ${PROXIES}{id}/`, expect: ok({ domain: 'e.example.org' }) },
    { ask: `DELETE ${PROXIES}{id}/`, expect: ok({ success: true }) },
    { ask: `DELETE ${PROXIES}{other}/`, expect: ok({ success: true }) },
    { ask: `GET ${PROXIES}{id}/`, expect: refusal(404, 'not_found') },
  ]),
  {
    name: 'the interface of 2023 has none of the objects that are only kept',
    only: 'documented',
    steps: [ACTIONS, FUNCTIONS, SURVEYS, PROXIES, SETTINGS].map((path): Step => ({
      ask: `GET ${path}`,
      expect: refusal(404, 'not_found'),
    })),
  },
];
