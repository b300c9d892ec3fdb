/** The evaluation routes of the OpenFeature Remote Evaluation Protocol. */

import type { JsonValue } from '../../../../src/base/json.ts';
import { ok, type Behaviour, type Expectation, type Step } from '../behaviour.ts';

const ONE = '//ofrep/v1/evaluate/flags';
const ALL = `POST ${ONE}`;
const ada = { context: { targetingKey: 'ada' } };
const PAYING = {
  key: 'paying',
  value: 'blue',
  reason: 'TARGETING_MATCH',
  variant: 'blue',
  metadata: { id: 2, posthog_reason: 'Matched condition set 1', payload: '{"color": "blue"}' },
};

function failure(status: number, errorCode: string, key?: string): Expectation {
  const headers = { 'access-control-allow-origin': '*' };
  return { status, body: { errorCode, ...(key !== undefined && { key }) }, headers };
}

/** Both routes refuse the same bodies. */
function refused(body: JsonValue, errorCode: string): readonly Step[] {
  return [
    { ask: ALL, body, expect: failure(400, errorCode) },
    { ask: `${ALL}/paying`, body, expect: failure(400, errorCode, 'paying') },
  ];
}

function evaluated(key: string, context: object, expected: object): Step {
  const body = { context: { targetingKey: 'stranger', ...context } };
  return { ask: `${ALL}/${key}`, body, expect: ok({ key, ...expected }) };
}

export const OFREP: readonly Behaviour[] = [
  {
    name: 'one flag of an OpenFeature SDK',
    steps: [
      { ask: `${ALL}/paying`, body: ada, headers: { authorization: '' }, expect: ok(PAYING) },
      evaluated('paying', { plan: 'pro' }, { value: 'blue' }),
      evaluated('everybody', {}, { value: true, variant: 'true', reason: 'TARGETING_MATCH' }),
      evaluated('off', {}, { value: false, variant: 'false', reason: 'DISABLED' }),
      evaluated('for-size', {}, { value: false, reason: 'TARGETING_MATCH' }),
      evaluated('for-size', { groups: { company: 'acme' } }, { value: true }),
      evaluated('for-size', { groups: { company: 7 }, group_properties: { company: { size: 500 } } }, { value: true }),
      {
        ask: `${ALL}/paying`,
        body: { context: { targetingKey: 'stranger' } },
        expect: { ...ok({ variant: 'false' }), members: { '': ['key', 'metadata', 'reason', 'variant'] } },
      },
    ],
  },
  {
    name: 'all flags of an OpenFeature SDK, and 304 if unchanged',
    steps: [
      {
        ask: ALL,
        body: ada,
        expect: {
          ...ok({ flags: [{}, {}, {}, {}, PAYING, { key: 'everybody' }] }),
          headers: { 'access-control-expose-headers': 'ETag, Retry-After' },
        },
      },
      {
        ask: ALL,
        body: ada,
        headers: { 'if-none-match': '*' },
        expect: { status: 304, text: '', headers: { 'access-control-allow-origin': '*' } },
      },
      { ask: ALL, body: ada, headers: { 'if-none-match': 'W/"other"' }, expect: ok() },
    ],
  },
  {
    name: 'wrong contexts of an OpenFeature SDK',
    steps: [
      ...refused({}, 'INVALID_CONTEXT'),
      ...refused([], 'INVALID_CONTEXT'),
      ...refused({ context: 'ada' }, 'INVALID_CONTEXT'),
      ...refused({ context: null }, 'INVALID_CONTEXT'),
      ...refused({ context: {} }, 'TARGETING_KEY_MISSING'),
      ...refused({ context: { targetingKey: '' } }, 'TARGETING_KEY_MISSING'),
      ...refused({ context: { targetingKey: null } }, 'TARGETING_KEY_MISSING'),
      ...refused({ context: { targetingKey: 7 } }, 'INVALID_CONTEXT'),
      ...refused({ context: { targetingKey: 'ada', groups: ['acme'] } }, 'INVALID_CONTEXT'),
      ...refused({ context: { targetingKey: 'ada', groups: { company: {} } } }, 'INVALID_CONTEXT'),
      ...refused({ context: { targetingKey: 'ada', group_properties: { company: 5 } } }, 'INVALID_CONTEXT'),
      { ask: ALL, raw: '{', expect: failure(400, 'PARSE_ERROR') },
      { ask: `${ALL}/paying`, raw: '{', expect: failure(400, 'PARSE_ERROR', 'paying') },
    ],
  },
  {
    name: 'other refusals of an OpenFeature SDK',
    steps: [
      { ask: `${ALL}/nope`, body: ada, expect: failure(404, 'FLAG_NOT_FOUND', 'nope') },
      { ask: `${ALL}/Paying`, body: ada, expect: failure(404, 'FLAG_NOT_FOUND', 'Paying') },
      { ask: `${ALL}/a%2Fb`, body: ada, expect: failure(404, 'FLAG_NOT_FOUND', 'a/b') },
      { ask: `${ALL}/%zz`, body: ada, expect: failure(404, 'FLAG_NOT_FOUND', '%zz') },
      { ask: `GET ${ONE}`, expect: failure(405, 'GENERAL') },
      { ask: `GET ${ONE}/paying`, expect: failure(405, 'GENERAL', 'paying') },
    ],
  },
  {
    name: 'an OpenFeature SDK in a page of another origin',
    steps: [ONE, `${ONE}/paying`].map((path) => ({
      ask: `OPTIONS ${path}`,
      headers: {
        authorization: '',
        origin: 'http://localhost:5173',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,content-type,if-none-match,x-api-key',
      },
      expect: {
        status: 204,
        text: '',
        headers: {
          'access-control-allow-origin': '*',
          'access-control-allow-methods': 'POST, OPTIONS',
          'access-control-allow-headers': '*, Authorization',
        },
      },
    })),
  },
];
