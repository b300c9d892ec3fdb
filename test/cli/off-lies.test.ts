/** `off` says that a flag is off only if a read after the write shows it, whatever the answers on the way say. */

import { expect, test } from 'vitest';
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../src/base/json.ts';
import type { Profile } from '../../service/src/index.ts';
import { serve, type Reply, type SeenRequest } from '../posthog/client/support/server.ts';
import { forward } from '../helpers/gate.ts';
import { runCli, type Ran } from '../helpers/run.ts';
import { createWorkspace } from '../helpers/workspace.ts';
import { openWorld } from '../helpers/world.ts';

interface Lie {
  /** What the write is answered, in place of being executed; absent: it is executed. */
  readonly write?: (live: JsonObject) => Reply;
  /** What a later read of the flag answers; absent: the truth. */
  readonly read?: (live: JsonObject) => Reply;
  /** What the list answers of the flag before any write; absent: the truth. */
  readonly list?: JsonObject;
}

interface Told {
  readonly code: number;
  readonly title: string;
  readonly says: string;
}

const isOff = (live: JsonObject): Reply => ({ body: { ...live, active: false } });
const ON: Told = { code: 1, title: 'Not turned off in main', says: 'not_stored' };
const UNKNOWN: Told = { code: 3, title: 'Not known to be off in main', says: 'not_verified' };
const FAILED: Told = { code: 1, title: 'Not turned off in main', says: 'failed' };

const ROWS: readonly (readonly [name: string, lie: Lie, told: Told])[] = [
  ['200 with the flag as it was', { write: (live) => ({ body: live }) }, ON],
  ['200 with the flag off, and nothing stored', { write: isOff }, ON],
  ['the same, and no later read is answered', { write: isOff, read: () => ({ status: 500 }) }, UNKNOWN],
  ['the same, and the flag is not found later', { write: isOff, read: () => ({ status: 404, body: {} }) }, UNKNOWN],
  [
    'the same, and another flag is read later',
    { write: isOff, read: (live) => ({ body: { ...live, id: 9 } }) },
    UNKNOWN,
  ],
  ['a state that is null', { write: isOff, read: (live) => ({ body: { ...live, active: null } }) }, ON],
  ['a read that still answers the former state', { read: (live) => ({ body: { ...live, active: true } }) }, ON],
  ['200 without a body', { write: () => ({ body: '' }) }, FAILED],
  ['204', { write: () => ({ status: 204 }) }, FAILED],
  ['202', { write: () => ({ status: 202, body: { detail: 'queued' } }) }, FAILED],
  ['a login page', { write: () => ({ body: '<html>', headers: { 'content-type': 'text/html' } }) }, FAILED],
  ['a redirect', { write: () => ({ status: 303, headers: { location: '/login' } }) }, FAILED],
];

const PROFILES: readonly Profile[] = ['documented', 'posthog'];

test.each(ROWS.flatMap(([name, lie, told]) => PROFILES.map((profile) => ({ name, profile, lie, told }))))(
  'after $name, the flag is not called off ($profile)',
  async ({ profile, lie, told }) => {
    const done = await runLied(profile, lie);
    expect([done.code, done.stdout]).toEqual([told.code, expect.stringContaining(told.title) as string]);
    expect(done.stdout).toContain(told.says);
    expect(done.stderr).not.toContain('To keep this');
  },
);

test.each(PROFILES)('a flag that only the list calls off is read alone, and turned off (%s)', async (profile) => {
  const done = await runLied(profile, { list: { active: false } });
  expect([done.code, done.stdout]).toEqual([0, expect.stringContaining('Turned off in main') as string]);
  expect(done.isActive).toBe(false);
});

async function runLied(profile: Profile, lie: Lie): Promise<Ran & { readonly isActive: unknown }> {
  const filters = { groups: [{ properties: [], rollout_percentage: 30 }] };
  const world = await openWorld(profile, { flags: [{ id: 7, key: 'checkout', active: true, filters }] });
  const { host } = await serve(liesOf(world.url, lie));
  const config = `projects: { main: { host: "${host}", project_id: "1" } }\n`;
  const workspace = createWorkspace({ 'flagwright.yaml': config });
  const env = { POSTHOG_API_KEY: 'phx_planted_key_0123456789' };
  const done = await runCli(['off', 'checkout', '-y', '--deadline', '20s'], { cwd: workspace.root, env });
  return { ...done, isActive: (await world.client.getFlag(7)).active };
}

function liesOf(url: string, { write, read, list }: Lie): (request: SeenRequest) => Promise<Reply> {
  let isWritten = false;
  return async (request) => {
    const live = async (): Promise<JsonObject> => {
      const { body } = await forward(url, {
        ...request,
        method: 'GET',
        url: '/api/projects/1/feature_flags/7/',
        body: '',
      });
      return JSON.parse(String(body)) as JsonObject;
    };
    if (request.method !== 'GET') {
      isWritten = true;
      return write === undefined ? forward(url, request) : write(await live());
    }
    if (isWritten && read !== undefined && request.url.includes('feature_flags/7/')) return read(await live());
    const reply = await forward(url, request);
    return list === undefined || isWritten ? reply : withListed(reply, list);
  };
}

function withListed(reply: Reply, change: JsonObject): Reply {
  const body = JSON.parse(String(reply.body)) as JsonValue;
  if (!isJsonObject(body) || !isJsonArray(body['results'])) return reply;
  return {
    ...reply,
    body: { ...body, results: body['results'].map((one) => (isJsonObject(one) ? { ...one, ...change } : one)) },
  };
}
