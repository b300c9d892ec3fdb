/** Invalid input, and the service's answer to it. */

import { refusal, type Behaviour, type Step } from '../behaviour.ts';

function refused(name: string, ...steps: readonly Step[]): Behaviour {
  return { name: `refused: ${name}`, steps };
}

function real(behaviour: Behaviour): Behaviour {
  return { ...behaviour, real: true };
}

const properties = (value: unknown): string => `/persons/?properties=${encodeURIComponent(JSON.stringify(value))}`;
const invalidProperties = refusal(400, 'invalid_input', 'properties');

export const REFUSALS: readonly Behaviour[] = [
  real(
    refused('no key, a wrong scheme, an empty key', {
      ask: 'GET /persons/',
      headers: { authorization: '' },
      expect: refusal(401, 'not_authenticated'),
    }),
  ),
  refused(
    'another scheme, an empty key',
    { ask: 'GET /persons/', headers: { authorization: 'Basic eDp5' }, expect: refusal(401, 'not_authenticated') },
    { ask: 'GET /persons/', headers: { authorization: 'Bearer ' }, expect: refusal(401, 'authentication_failed') },
  ),
  real(
    refused('a project that is no number', {
      ask: 'GET //api/projects/none/persons/',
      expect: refusal(404, 'not_found'),
    }),
  ),
  refused('an unknown project', { ask: 'GET //api/projects/99/persons/', expect: refusal(404, 'not_found') }),
  refused('an unknown path', { ask: 'GET /persons/1/shoes/', expect: refusal(404, 'not_found') }),
  refused(
    'ids that are no numbers',
    { ask: 'GET /feature_flags/abc/', expect: refusal(404, 'not_found') },
    {
      ask: 'GET /persons/abc/',
      expect: { documented: refusal(404, 'not_found'), posthog: refusal(400, 'invalid_input', null) },
    },
    {
      ask: 'GET /persons/99999999999999999999/',
      expect: { documented: refusal(404, 'not_found'), posthog: refusal(400, 'invalid_input', null) },
    },
    { ask: 'GET /persons/00000000-0000-4000-8000-000000000000/', expect: refusal(404, 'not_found') },
    { ask: 'GET /persons/0/', expect: refusal(404, 'not_found') },
  ),
  refused(
    'bodies that are no JSON, of the wrong type, of another media type',
    { ask: 'PATCH /persons/1/', raw: '{"properties": ', expect: refusal(400, 'parse_error') },
    { ask: 'PATCH /persons/1/', body: [], expect: refusal(400, 'invalid_input', null) },
    { ask: 'PATCH /persons/1/', body: 'text', expect: refusal(400, 'invalid_input', null) },
    { ask: 'POST /persons/1/split/', body: 5, expect: refusal(400, 'invalid_input', null) },
    { ask: 'POST /persons/funnel/', body: [], expect: refusal(400, 'invalid_input', null) },
    {
      ask: 'PATCH /persons/1/',
      raw: 'a=b',
      headers: { 'content-type': 'text/plain' },
      expect: refusal(415, 'unsupported_media_type'),
    },
  ),
  refused('a body that is too large', {
    ask: 'PATCH /persons/1/',
    raw: JSON.stringify({ properties: { text: 'x'.repeat(21 * 1024 * 1024) } }),
    expect: refusal(413, 'request_too_large'),
  }),
  refused(
    'filters that are none',
    { ask: 'GET /persons/?properties=not-json', expect: invalidProperties },
    ...[
      ['text'],
      [{ value: 1 }],
      [{ key: 'a', operator: 'like', value: 1 }],
      [{ key: 'a', type: 'flag', value: 1 }],
      5,
    ].map((value) => ({ ask: `GET ${properties(value)}`, expect: invalidProperties })),
    ...['(', '[a', '(?:)*', '*'].map((value) => ({
      ask: `GET ${properties([{ key: 'a', operator: 'regex', value }])}`,
      expect: invalidProperties,
    })),
    { ask: `GET ${properties([{ key: 'a', operator: 'gt' }])}`, expect: invalidProperties },
  ),
  refused(
    'methods that a path has not',
    { ask: 'PUT /feature_flags/', body: {}, expect: refusal(405, 'method_not_allowed') },
    { ask: 'POST /persons/1/', body: {}, expect: refusal(405, 'method_not_allowed') },
    { ask: 'DELETE /persons/', expect: refusal(405, 'method_not_allowed') },
    { ask: 'POST /persons/trends/', body: {}, expect: refusal(405, 'method_not_allowed') },
    {
      ask: 'POST /persons/values/',
      body: {},
      expect: { ...refusal(405, 'method_not_allowed'), headers: { allow: 'GET' } },
    },
  ),
];
