/** Paths, keys, projects, methods, bodies, and the envelope of every refusal. */

import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import { FLAGS, start } from '../harness.ts';

const PROFILES = ['documented', 'posthog'] as const;

const FLAG = `${FLAGS}1/`;
const JSON_TYPE = { 'content-type': 'application/json' };

interface Case {
  readonly what: string;
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | Uint8Array;
  readonly status: number;
  readonly type: string;
  readonly code: string;
}

const REFUSALS: readonly Case[] = [
  {
    what: 'no key',
    headers: { authorization: '' },
    status: 401,
    type: 'authentication_error',
    code: 'not_authenticated',
  },
  {
    what: 'another scheme',
    headers: { authorization: 'Basic eDp5' },
    status: 401,
    type: 'authentication_error',
    code: 'not_authenticated',
  },
  {
    what: 'an empty key',
    headers: { authorization: 'Bearer ' },
    status: 401,
    type: 'authentication_error',
    code: 'authentication_failed',
  },
  {
    what: 'a wrong key',
    headers: { authorization: 'Bearer phx_wrong' },
    status: 401,
    type: 'authentication_error',
    code: 'authentication_failed',
  },
  {
    what: 'a wrong key on a wrong method',
    method: 'PUT',
    headers: { authorization: 'Bearer phx_wrong' },
    status: 401,
    type: 'authentication_error',
    code: 'authentication_failed',
  },
  {
    what: 'an unknown project',
    path: '/api/projects/2/feature_flags/',
    status: 404,
    type: 'invalid_request',
    code: 'not_found',
  },
  {
    what: 'a project id that is not a number',
    path: '/api/projects/one/feature_flags/',
    status: 404,
    type: 'invalid_request',
    code: 'not_found',
  },
  {
    what: 'an unknown path',
    path: '/api/projects/1/dashboards/',
    status: 404,
    type: 'invalid_request',
    code: 'not_found',
  },
  { what: 'a path outside of projects', path: '/', status: 404, type: 'invalid_request', code: 'not_found' },
  {
    what: 'an invalid escape in the path',
    path: '/api/projects/1/feature_flags/%zz/',
    status: 404,
    type: 'invalid_request',
    code: 'not_found',
  },
  { what: 'an unknown flag', path: `${FLAGS}999/`, status: 404, type: 'invalid_request', code: 'not_found' },
  {
    what: 'a flag id that is not a number',
    path: `${FLAGS}new-checkout/`,
    status: 404,
    type: 'invalid_request',
    code: 'not_found',
  },
  {
    what: 'a flag id that is too large',
    path: `${FLAGS}${'9'.repeat(30)}/`,
    status: 404,
    type: 'invalid_request',
    code: 'not_found',
  },
  {
    what: 'PUT on the list',
    method: 'PUT',
    body: '{}',
    status: 405,
    type: 'invalid_request',
    code: 'method_not_allowed',
  },
  { what: 'DELETE on the list', method: 'DELETE', status: 405, type: 'invalid_request', code: 'method_not_allowed' },
  {
    what: 'POST on an activity',
    method: 'POST',
    path: `${FLAGS}activity/`,
    body: '{}',
    status: 405,
    type: 'invalid_request',
    code: 'method_not_allowed',
  },
  {
    what: 'GET on user_blast_radius',
    path: `${FLAGS}user_blast_radius/`,
    status: 405,
    type: 'invalid_request',
    code: 'method_not_allowed',
  },
  {
    what: 'PUT on the activity',
    method: 'PUT',
    path: `${FLAG}activity/`,
    body: '{}',
    status: 405,
    type: 'invalid_request',
    code: 'method_not_allowed',
  },
  {
    what: 'no media type',
    method: 'POST',
    headers: { 'content-type': '' },
    body: '{}',
    status: 415,
    type: 'invalid_request',
    code: 'unsupported_media_type',
  },
  {
    what: 'invalid JSON',
    method: 'POST',
    headers: JSON_TYPE,
    body: '{"key": ',
    status: 400,
    type: 'invalid_request',
    code: 'parse_error',
  },
  {
    what: 'invalid UTF-8',
    method: 'POST',
    headers: JSON_TYPE,
    body: new Uint8Array([0x22, 0xff, 0x22]),
    status: 400,
    type: 'invalid_request',
    code: 'parse_error',
  },
  {
    what: 'a list as the body',
    method: 'POST',
    headers: JSON_TYPE,
    body: '[]',
    status: 400,
    type: 'validation_error',
    code: 'invalid_input',
  },
  { what: 'no body', method: 'POST', headers: JSON_TYPE, status: 400, type: 'validation_error', code: 'required' },
  {
    what: 'a value nested too deeply',
    method: 'POST',
    headers: JSON_TYPE,
    body: `{"key":"deep","filters":{"groups":[],"x":${'['.repeat(50_000)}${']'.repeat(50_000)}}}`,
    status: 500,
    type: 'server_error',
    code: 'error',
  },
];

interface KeyCase {
  readonly method?: string;
  readonly path?: string;
  readonly body?: JsonObject;
  readonly authorization?: string;
  /** The status in that profile; the documented profile reads only the header. */
  readonly posthog: number;
}

describe.each(PROFILES)('the profile %s refuses', (profile) => {
  test.each(REFUSALS)('$what', async ({ method = 'GET', path = FLAGS, headers = {}, body, status, type, code }) => {
    const { service, create } = await start({ profile, apiKeys: ['phx_test'] });
    await create({ key: 'first' });
    const response = await fetch(`${service.url}${path}`, {
      method,
      headers: { authorization: 'Bearer phx_test', ...(body !== undefined && JSON_TYPE), ...headers },
      ...(body !== undefined && { body }),
    });
    // The posthog profile drops unknown members before they cause an error.
    if (status === 500 && profile === 'posthog') return;
    const answered: unknown = await response.json();
    expect([response.status, answered]).toMatchObject([
      status,
      { type, code, attr: code === 'required' ? 'key' : null },
    ]);
    expect(answered).toHaveProperty('detail', expect.any(String));
    if (status === 405) expect(response.headers.get('allow')).toBeTruthy();
  });
});

test('a form is refused without the key in its header, since any page can send it', async () => {
  const { service, get } = await start({ profile: 'posthog' });
  const response = await fetch(`${service.url}${FLAGS}?personal_api_key=any`, {
    method: 'POST',
    body: new URLSearchParams({ key: 'a' }),
  });
  expect([response.status, await response.json()]).toMatchObject([415, { code: 'unsupported_media_type' }]);
  expect((await get(FLAGS)).body).toMatchObject({ count: 0 });
});

test.each(PROFILES)('DELETE on a flag has no body in %s, whether or not the flag exists', async (profile) => {
  const client = await start({ profile });
  await client.create({ key: 'kept' });
  for (const path of [FLAG, `${FLAGS}999/`, `${FLAGS}x/`]) {
    expect(await client.request('DELETE', path)).toMatchObject({ status: 405, text: '' });
  }
  expect((await client.get(FLAG)).body).toMatchObject({ key: 'kept', deleted: false });
});

test.each([
  ['without a trailing slash', '/api/projects/1/feature_flags'],
  ['as an environment', '/api/environments/1/feature_flags/'],
  ['of the current project', '/api/projects/@current/feature_flags/'],
])('answers paths %s', async (_what, path) => {
  const client = await start();
  expect((await client.post(path, { key: 'a' })).status).toBe(201);
  expect((await client.get(`${path.replace(/\/$/, '')}/1`)).body).toMatchObject({ key: 'a' });
});

test('@current does not exist with two projects, which are separate', async () => {
  const client = await start({ projects: [{ id: '1' }, { id: '2' }] });
  await client.create({ key: 'a' });
  expect((await client.get('/api/projects/@current/feature_flags/')).status).toBe(404);
  expect((await client.get('/api/projects/2/feature_flags/')).body).toMatchObject({ count: 0 });
  expect((await client.get('/api/projects/2/feature_flags/1/')).status).toBe(404);
});

test.each([
  ['the query', { path: `${FLAGS}?personal_api_key=phx_test`, posthog: 200 }],
  ['the body', { method: 'POST', body: { key: 'a', personal_api_key: 'phx_test' }, posthog: 201 }],
  [
    'the body before the query',
    { method: 'POST', body: { personal_api_key: 'x' }, path: `${FLAGS}?personal_api_key=phx_test`, posthog: 401 },
  ],
  [
    'the header before the query',
    { path: `${FLAGS}?personal_api_key=phx_test`, authorization: 'Bearer x', posthog: 401 },
  ],
  ['the query, a wrong one', { path: `${FLAGS}?personal_api_key=x`, posthog: 401 }],
  ['the query, an empty one', { path: `${FLAGS}?personal_api_key=`, posthog: 401 }],
])('a key in %s', async (_what, { method = 'GET', path = FLAGS, body, authorization = '', posthog }: KeyCase) => {
  for (const [profile, status] of [
    ['posthog', posthog],
    ['documented', 401],
  ] as const) {
    const client = await start({ profile, apiKeys: ['phx_test'] });
    expect((await client.request(method, path, body, { authorization })).status).toBe(status);
  }
});

test('links to other pages do not contain the key', async () => {
  const client = await start({ profile: 'posthog' });
  await client.create({ key: 'a' });
  await client.create({ key: 'b' });
  const page = await client.request('GET', `${FLAGS}?limit=1&personal_api_key=k`, undefined, { authorization: '' });
  expect(page.body['next']).toBe(`${client.service.url}${FLAGS}?limit=1&offset=1`);
});

test('HEAD is answered as GET without a body', async () => {
  const client = await start();
  expect(await client.request('HEAD', FLAGS)).toMatchObject({ status: 200, text: '' });
});

test('a page of PostHog is said to have no counterpart', async () => {
  const client = await start();
  const { status, body } = await client.get('/settings/user-api-keys');
  expect([status, body]).toMatchObject([404, { detail: expect.stringContaining('no web interface') as string }]);
});
