/** Early access features as today's service has them, and what their stages do to their flags. */

import type { JsonObject } from '../../../../src/base/json.ts';
import { type Behaviour, ok, refusal, type Step, today } from '../behaviour.ts';

const PATH = '/early_access_feature/';
const NOBODY = '00000000-0000-4000-8000-000000000000';
const HALF: JsonObject = { groups: [{ properties: [], rollout_percentage: 50 }] };

/** A flag `{prefix}-{name}`, kept as `flag`. */
function flag(name: string, filters: JsonObject = HALF): Step {
  return {
    ask: 'POST /feature_flags/',
    body: { key: `contract-${name}`, filters },
    expect: { status: 201 },
    keep: { flag: '/id', key: '/key' },
  };
}

/** A feature of the flag of the last step, kept as `feature`. */
function feature(stage: string, more: JsonObject = {}): Step {
  return {
    ask: `POST ${PATH}`,
    body: { name: 'Sharing', stage, feature_flag_id: '{flag}', ...more },
    expect: { status: 201, body: { name: 'Sharing', stage } },
    keep: { feature: '/id' },
  };
}

const move = (stage: string): Step => ({
  ask: `PATCH ${PATH}{feature}/`,
  body: { stage },
  expect: ok({ stage }),
});

function flagHas(filters: JsonObject, more: JsonObject = {}): Step {
  return { ask: 'GET /feature_flags/{flag}/', expect: ok({ filters, ...more }) };
}

const removed: Step = { ask: `DELETE ${PATH}{feature}/`, expect: { status: 204, text: '' } };

export const EARLY_ACCESS: readonly Behaviour[] = [
  today('a feature is created of a flag, read, changed and deleted for good', [
    flag('linked'),
    {
      ask: `POST ${PATH}`,
      body: {
        name: ' Sharing ',
        description: 'Share a page',
        stage: 'draft',
        documentation_url: 'https://example.org/sharing',
        feature_flag_id: '{flag}',
        later: 1,
      },
      expect: {
        status: 201,
        body: {
          name: 'Sharing',
          description: 'Share a page',
          stage: 'draft',
          documentation_url: 'https://example.org/sharing',
          payload: {},
          created_at: '2026-03-10T12:00:00Z',
          feature_flag: { key: 'contract-linked' },
        },
        members: {
          '': [
            'assignee',
            'created_at',
            'created_by',
            'description',
            'documentation_url',
            'feature_flag',
            'id',
            'name',
            'payload',
            'stage',
            'user_access_level',
          ],
        },
      },
      keep: { feature: '/id' },
    },
    { ask: `GET ${PATH}{feature}/`, expect: ok({ name: 'Sharing', stage: 'draft' }) },
    { ask: `GET ${PATH}`, expect: ok({ count: 1, next: null, previous: null, results: [{ name: 'Sharing' }] }) },
    {
      ask: `PATCH ${PATH}{feature}/`,
      body: { description: '', documentation_url: '', payload: { icon: 'share' }, feature_flag_id: 1 },
      expect: ok({
        description: '',
        documentation_url: '',
        payload: { icon: 'share' },
        feature_flag: { key: 'contract-linked' },
      }),
    },
    { ask: `PATCH ${PATH}{feature}/`, body: { payload: null }, expect: ok({ payload: {} }) },
    { ask: `PUT ${PATH}{feature}/`, body: { name: 'Shared' }, expect: refusal(400, 'required', 'stage') },
    { ask: `PUT ${PATH}{feature}/`, body: { name: 'Shared', stage: 'draft' }, expect: ok({ name: 'Shared' }) },
    flagHas(HALF, { features: [{ name: 'Shared', stage: 'draft', flagKey: 'contract-linked' }] }),
    removed,
    { ask: `GET ${PATH}{feature}/`, expect: refusal(404, 'not_found') },
    flagHas(HALF, { features: [] }),
  ]),
  today('features are listed oldest first, in pages', [
    flag('first'),
    feature('draft'),
    { ...feature('draft', { name: 'Later', feature_flag_id: 1 }), expect: { status: 201 }, keep: { other: '/id' } },
    { ask: `GET ${PATH}?limit=1`, expect: ok({ count: 2, results: [{ name: 'Sharing' }] }) },
    { ask: `GET ${PATH}?limit=1&offset=1`, expect: ok({ count: 2, next: null, results: [{ name: 'Later' }] }) },
    removed,
    { ask: `DELETE ${PATH}{other}/`, expect: { status: 204, text: '' } },
  ]),
  today('a feature without a flag gets one for nobody, whose key is made of its name', [
    {
      ask: `POST ${PATH}`,
      body: { name: 'Größe & Form – 2.0', stage: 'beta' },
      expect: {
        status: 201,
        body: {
          feature_flag: {
            key: 'groe-form-20',
            active: true,
            filters: { groups: [{ rollout_percentage: 0 }], feature_enrollment: true },
          },
        },
      },
      keep: { feature: '/id', flag: '/feature_flag/id' },
    },
    removed,
    { ask: 'PATCH /feature_flags/{flag}/', body: { deleted: true }, expect: ok() },
    { ask: `POST ${PATH}`, body: { name: 'Off', stage: 'draft' }, expect: refusal(400, 'unique', 'key') },
    { ask: `POST ${PATH}`, body: { name: '!?', stage: 'draft' }, expect: refusal(400, 'blank', 'key') },
  ]),
  today('alpha, beta and general availability let people enroll, other stages do not', [
    flag('staged'),
    feature('draft'),
    flagHas(HALF, { version: 1 }),
    move('concept'),
    flagHas(HALF, { version: 2 }),
    move('alpha'),
    flagHas({ ...HALF, feature_enrollment: true }, { version: 3 }),
    move('beta'),
    move('general-availability'),
    flagHas({ ...HALF, feature_enrollment: true }, { version: 3 }),
    { ask: `PATCH ${PATH}{feature}/`, body: { name: 'Still on' }, expect: ok({ name: 'Still on' }) },
    flagHas({ ...HALF, feature_enrollment: true }, { version: 3 }),
    move('archived'),
    flagHas({ ...HALF, feature_enrollment: null }, { version: 4 }),
    removed,
  ]),
  today('a flag with an early access feature is not deleted', [
    flag('guarded'),
    feature('draft'),
    { ask: 'PATCH /feature_flags/{flag}/', body: { deleted: true }, expect: refusal(400, 'invalid_input', null) },
    removed,
    { ask: 'PATCH /feature_flags/{flag}/', body: { deleted: true }, expect: ok({ deleted: true }) },
  ]),
  today('a flag that has a feature, is for groups or has variants gets none', [
    flag('taken'),
    feature('draft'),
    { ...feature('draft'), expect: refusal(400, 'invalid_input', null), keep: {} },
    ...[5, 2, 9999].map((id): Step => ({
      ask: `POST ${PATH}`,
      body: { name: 'Refused', stage: 'draft', feature_flag_id: id },
      expect: refusal(400, 'invalid_input', null),
    })),
    removed,
  ]),
  today('fields of features have types, lengths and choices', [
    ...(
      [
        [{}, 'required', 'name'],
        [{ name: 'A' }, 'required', 'stage'],
        [{ name: ' ', stage: 'draft' }, 'blank', 'name'],
        [{ name: 'a'.repeat(201), stage: 'draft' }, 'max_length', 'name'],
        [{ name: 'A', stage: 'released' }, 'invalid_choice', 'stage'],
        [{ name: 'A', stage: null }, 'null', 'stage'],
        [{ name: 'A', stage: 'draft', description: null }, 'null', 'description'],
        [{ name: 'A', stage: 'draft', documentation_url: 'example' }, 'invalid_input', 'documentation_url'],
        [
          { name: 'A', stage: 'draft', documentation_url: `https://example.org/${'a'.repeat(800)}` },
          'max_length',
          'documentation_url',
        ],
        [{ name: 'A', stage: 'draft', payload: null }, 'null', 'payload'],
        [{ name: 'A', stage: 'draft', feature_flag_id: 'x' }, 'invalid_input', 'feature_flag_id'],
      ] as const
    ).map(([body, code, attr]): Step => ({ ask: `POST ${PATH}`, body, expect: refusal(400, code, attr) })),
    { ask: `GET ${PATH}`, expect: ok({ count: 0 }) },
    { ask: `GET ${PATH}${NOBODY}/`, expect: refusal(404, 'not_found') },
    { ask: `PATCH ${PATH}x/`, body: {}, expect: refusal(404, 'not_found') },
    { ask: `DELETE ${PATH}${NOBODY}/`, expect: refusal(404, 'not_found') },
  ]),
  {
    name: 'the interface of 2023 has no early access features',
    only: 'documented',
    steps: [{ ask: `GET ${PATH}`, expect: refusal(404, 'not_found') }],
  },
];
