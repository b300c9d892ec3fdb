/** The routes of SDKs: definitions, remote evaluation, events. */

import { ok, refusal, type Behaviour } from '../behaviour.ts';

const token = 'phc_1';
const ANY_ORIGIN = { 'access-control-allow-origin': '*' };
const ada = { token, distinct_id: 'ada' };

export const SDK: readonly Behaviour[] = [
  {
    name: 'definitions, and 304 if unchanged',
    steps: [
      {
        ask: 'GET //flags/definitions?token=phc_1&send_cohorts',
        expect: {
          ...ok({ property_matching_version: 1, flags: [{ key: 'everybody' }, {}, {}, {}, {}, { key: 'paying' }] }),
          headers: { 'cache-control': 'private, must-revalidate' },
        },
      },
      {
        ask: 'GET //flags/definitions?token=phc_1',
        headers: { 'if-none-match': '*' },
        expect: { status: 304, text: '' },
      },
      { ask: 'GET //flags/definitions', headers: { 'if-none-match': 'W/"other"' }, expect: ok() },
      {
        ask: 'POST //flags/definitions',
        body: {},
        expect: { ...refusal(405, 'method_not_allowed'), headers: { allow: 'GET' } },
      },
      { ask: 'GET //flags/definitions', headers: { authorization: '' }, expect: refusal(401, 'not_authenticated') },
      {
        ask: 'GET //api/feature_flag/local_evaluation?token=phc_1',
        expect: ok({ group_type_mapping: { '0': 'company' } }),
      },
    ],
  },
  {
    name: 'remote evaluation, each flag whole',
    steps: [
      {
        ask: 'POST //flags/?v=2',
        body: ada,
        headers: { authorization: '' },
        expect: ok({
          errorsWhileComputingFlags: false,
          flags: {
            everybody: { enabled: true, variant: null, reason: { code: 'condition_match', condition_index: 0 } },
            paying: { enabled: true, variant: 'blue', metadata: { id: 2, payload: '{"color": "blue"}' } },
          },
        }),
      },
      {
        ask: 'POST //flags/?v=4',
        body: ada,
        expect: ok({
          flags: { everybody: { value: true, metadata: { config_version: 1 } }, paying: { value: 'blue' } },
        }),
      },
      {
        ask: 'POST //flags?v=2',
        body: { token, distinct_id: 'stranger', person_properties: { plan: 'pro' }, flag_keys_to_evaluate: ['paying'] },
        expect: ok({ flags: { paying: { variant: 'blue' } } }),
      },
      {
        ask: 'POST //flags?v=2',
        body: { token, distinct_id: 'x', groups: { company: 'new' }, group_properties: { company: { size: '500' } } },
        expect: ok({ flags: { 'for-size': { enabled: true } } }),
      },
      {
        ask: 'POST //flags/',
        body: ada,
        expect: ok({
          featureFlags: { paying: 'blue', everybody: true },
          featureFlagPayloads: { paying: '{"color": "blue"}' },
        }),
      },
    ],
  },
  {
    name: 'decide in its four versions',
    steps: [
      { ask: 'POST //decide/', body: ada, expect: ok({ featureFlags: ['for-cohort', 'paying', 'everybody'] }) },
      { ask: 'POST //decide/?v=2', body: ada, expect: ok({ featureFlags: { paying: 'blue', everybody: true } }) },
      {
        ask: 'POST //decide/?v=3',
        body: { api_key: token, distinct_id: 'ada' },
        expect: ok({
          featureFlags: { paying: 'blue', 'for-size': false },
          featureFlagPayloads: { paying: '{"color": "blue"}' },
        }),
      },
      { ask: 'POST //decide/?v=4', body: ada, expect: ok({ flags: { paying: { variant: 'blue' } } }) },
      {
        ask: 'POST //decide/?v=3',
        raw: `data=${encodeURIComponent(Buffer.from(JSON.stringify(ada)).toString('base64'))}`,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        expect: ok({ featureFlags: { paying: 'blue' } }),
      },
    ],
  },
  {
    name: 'invalid requests of an SDK',
    steps: [
      { ask: 'POST //flags/?v=2', body: { distinct_id: 'ada' }, expect: refusal(401, 'invalid_api_key') },
      { ask: 'POST //flags/?v=2', body: { token }, expect: refusal(400, 'missing_distinct_id', 'distinct_id') },
      { ask: 'POST //flags/?v=2', raw: '{', expect: refusal(400, 'parse_error') },
      {
        ask: 'POST //flags/?v=2',
        raw: 'x',
        headers: { 'content-encoding': 'gzip' },
        expect: refusal(400, 'parse_error'),
      },
      { ask: 'GET //flags/?v=2', expect: refusal(405, 'method_not_allowed') },
    ],
  },
  {
    name: 'cross-origin requests are allowed',
    steps: ['flags', 'decide', 'batch', 'capture', 'e', 'i/v0/e', 'track'].map((path) => ({
      ask: `OPTIONS //${path}/`,
      headers: { authorization: '' },
      expect: { status: 204, text: '', headers: { 'access-control-allow-origin': '*' } },
    })),
  },
  {
    name: 'events create persons, set their properties and merge them',
    steps: [
      {
        ask: 'POST //capture/',
        body: { api_key: token, event: 'came', distinct_id: 'sdk-anonymous', properties: { $set: { a: 1, b: 1 } } },
        expect: ok({ status: 1 }),
      },
      {
        ask: 'POST //batch/',
        body: {
          api_key: token,
          batch: [
            { event: 'came', distinct_id: 'sdk-user', properties: { $set_once: { a: 2, c: 2 } }, $set: { d: 3 } },
            {
              event: '$identify',
              distinct_id: 'sdk-user',
              properties: { $anon_distinct_id: 'sdk-anonymous', $unset: ['d'] },
            },
            { event: 'left', distinct_id: 'sdk-user', timestamp: '2026-03-09T00:00:00Z', properties: {} },
            { event: 'personless', distinct_id: 'sdk-nobody', properties: { $process_person_profile: false } },
            { nonsense: true },
          ],
        },
        expect: ok({ status: 1 }),
      },
      {
        ask: 'GET /persons/?distinct_id=sdk-anonymous',
        expect: ok({ results: [{ distinct_ids: ['sdk-user', 'sdk-anonymous'], properties: { a: 2, b: 1, c: 2 } }] }),
        keep: { id: '/results/0/id' },
      },
      { ask: 'GET /persons/?distinct_id=sdk-nobody', expect: ok({ results: [] }) },
      { ask: 'GET /persons/trends/?entity_id=left', expect: ok({ results: [{ count: 1 }] }) },
      {
        ask: 'POST //e/?v=1',
        body: [
          {
            event: '$groupidentify',
            distinct_id: 'sdk-user',
            properties: { token, $group_type: 'team', $group_key: 't', $group_set: { size: 3 } },
          },
        ],
        expect: ok({ status: 1 }),
      },
      {
        ask: 'POST //i/v0/e/',
        body: { token, event: '$create_alias', distinct_id: 'sdk-user', properties: { alias: 'sdk-alias' } },
        expect: ok(),
      },
      { ask: 'POST //track/', body: { token, event: 'tracked', distinct_id: 'sdk-user' }, expect: ok() },
      { ask: 'GET /persons/{id}/', expect: ok({ distinct_ids: ['sdk-user', 'sdk-anonymous', 'sdk-alias'] }) },
      {
        ask: 'GET //api/feature_flag/local_evaluation?token=phc_1',
        expect: ok({ group_type_mapping: { '0': 'company', '1': 'team' } }),
      },
      {
        ask: 'DELETE /persons/{id}/?delete_events=true',
        expect: { documented: { status: 204 }, posthog: { status: 202 } },
      },
      { ask: 'POST //batch/', body: { batch: [] }, expect: refusal(401, 'invalid_api_key') },
    ],
  },
  {
    name: 'the OpenAPI document',
    steps: [{ ask: 'GET //openapi.json', headers: { authorization: '' }, expect: ok({ openapi: '3.1.0' }) }],
  },
  {
    name: 'JSON sent as a form, as curl does',
    steps: [
      {
        ask: 'POST //flags/?v=2',
        raw: JSON.stringify(ada),
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        expect: ok({ flags: { everybody: { enabled: true } } }),
      },
      {
        ask: 'POST //decide/?v=3',
        raw: JSON.stringify(ada),
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        expect: ok({ featureFlags: { everybody: true } }),
      },
    ],
  },
  {
    name: 'cross-origin pages can read a refusal',
    steps: [
      { ask: 'POST //flags/', raw: '{', expect: { ...refusal(400, 'parse_error'), headers: ANY_ORIGIN } },
      { ask: 'POST //flags/', body: {}, expect: { ...refusal(401, 'invalid_api_key'), headers: ANY_ORIGIN } },
      { ask: 'GET //flags/', expect: { ...refusal(405, 'method_not_allowed'), headers: ANY_ORIGIN } },
      {
        ask: 'GET //flags/definitions',
        headers: { authorization: '' },
        expect: { ...refusal(401, 'not_authenticated'), headers: { 'access-control-allow-origin': null } },
      },
    ],
  },
];
