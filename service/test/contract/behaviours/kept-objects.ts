/**
 * Objects that the service only keeps: actions, settings of projects and proxy records. The
 * names in brackets are tests of the Terraform provider that need the same.
 */

import type { JsonObject } from '../../../../src/base/json.ts';
import { type Behaviour, type Expectation, ok, refusal, type Step, today } from '../behaviour.ts';

const ACTIONS = '/actions/';
const PROXIES = '//api/organizations/@current/proxy_records/';
const SETTINGS = '//api/environments/{project}/';

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
    steps: [ACTIONS, PROXIES, SETTINGS].map((path): Step => ({
      ask: `GET ${path}`,
      expect: refusal(404, 'not_found'),
    })),
  },
];
