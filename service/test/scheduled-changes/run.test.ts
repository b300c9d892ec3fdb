import { describe, expect, test } from 'vitest';
import { plainText } from '../../../src/base/json-text.ts';
import { objectOrEmpty, type JsonObject, type JsonValue } from '../../../src/base/json.ts';
import { start, type Client } from '../harness.ts';

const SCHEDULES = '/api/projects/1/scheduled_changes/';
const DAY_MS = 86_400_000;
const ON = { operation: 'update_status', value: true };
const OFF = { operation: 'update_status', value: false };
const condition = (percent: number): JsonObject => ({ properties: [], rollout_percentage: percent });
const adding = (...groups: JsonObject[]): JsonObject => ({ operation: 'add_release_condition', value: { groups } });

/** A service whose clock stands unless it is moved. */
async function startAt(now: string, seed?: JsonValue): Promise<Client> {
  return start({ profile: 'posthog', now: () => new Date(now), ...(seed !== undefined && { seed }) });
}

async function schedule(client: Client, flag: JsonObject, fields: JsonObject): Promise<string> {
  const record = { record_id: plainText(flag['id'] ?? null), model_name: 'FeatureFlag' };
  const { status, body } = await client.post(SCHEDULES, { ...record, ...fields });
  expect([status, body]).toEqual([201, body]);
  return `${SCHEDULES}${plainText(body['id'] ?? null)}/`;
}

async function read(client: Client, path: string): Promise<JsonObject> {
  return (await client.get(path)).body;
}

async function readFlag(client: Client, flag: JsonObject): Promise<JsonObject> {
  return read(client, `/api/projects/1/feature_flags/${plainText(flag['id'] ?? null)}/`);
}

async function log(client: Client): Promise<JsonObject[]> {
  return (await read(client, '/api/projects/1/feature_flags/activity/?limit=100'))['results'] as JsonObject[];
}

describe('moving the clock', () => {
  test('runs what is due until then at its time, in order', async () => {
    const client = await startAt('2026-11-01T00:00:00Z');
    const flag = await client.create({ key: 'a', active: false, filters: { groups: [condition(10)] } });
    // Scheduled in another order than they run.
    const added = await schedule(client, flag, {
      payload: adding(condition(30)),
      scheduled_at: '2026-11-03T09:00:00Z',
    });
    await schedule(client, flag, { payload: adding(condition(20)), scheduled_at: '2026-11-02T09:00:00Z' });
    const enabled = await schedule(client, flag, { payload: ON, scheduled_at: '2026-11-02T10:00:00Z' });
    const later = await schedule(client, flag, { payload: OFF, scheduled_at: '2026-12-01T09:00:00Z' });
    client.service.clock.set(new Date('2026-11-05T00:00:00Z'));
    const { active, filters, version, updated_at: updated } = await readFlag(client, flag);
    expect({ active, version, updated }).toEqual({ active: true, version: 4, updated: '2026-11-03T09:00:00Z' });
    expect(objectOrEmpty(filters)['groups']).toMatchObject([condition(10), condition(20), condition(30)]);
    expect((await read(client, added))['executed_at']).toBe('2026-11-03T09:00:00Z');
    expect((await read(client, enabled))['executed_at']).toBe('2026-11-02T10:00:00Z');
    expect((await read(client, later))['executed_at']).toBeNull();
    const entries = await log(client);
    expect(entries.map(({ created_at: at, detail }) => [at, objectOrEmpty(detail)['trigger']])).toEqual([
      ['2026-11-03T09:00:00Z', { job_type: 'scheduled_change', job_id: '1', payload: adding(condition(30)) }],
      ['2026-11-02T10:00:00Z', { job_type: 'scheduled_change', job_id: '3', payload: ON }],
      ['2026-11-02T09:00:00Z', { job_type: 'scheduled_change', job_id: '2', payload: adding(condition(20)) }],
      ['2026-11-01T00:00:00Z', null],
    ]);
  });

  test('runs a repeated change each time until its end, and not while it is paused', async () => {
    const client = await startAt('2026-11-01T00:00:00Z');
    const flag = await client.create({ key: 'a', filters: { groups: [condition(10)] } });
    const weekdays = { is_recurring: true, cron_expression: '0 9 * * 1-5', end_date: '2026-11-05T12:00:00Z' };
    const repeated = await schedule(client, flag, { payload: OFF, scheduled_at: '2026-11-02T09:00:00Z', ...weekdays });
    const daily = { is_recurring: true, recurrence_interval: 'daily' };
    const paused = await schedule(client, flag, { payload: ON, scheduled_at: '2026-11-02T17:00:00Z', ...daily });
    client.service.clock.set(new Date('2026-11-03T12:00:00Z'));
    expect(await read(client, repeated)).toMatchObject({
      executed_at: null,
      last_executed_at: '2026-11-03T09:00:00Z',
      scheduled_at: '2026-11-04T09:00:00Z',
    });
    await client.patch(paused, { is_recurring: false });
    client.service.clock.set(new Date('2026-11-10T00:00:00Z'));
    expect(await read(client, repeated)).toMatchObject({ executed_at: '2026-11-05T09:00:00Z' });
    expect(await read(client, paused)).toMatchObject({ executed_at: null, last_executed_at: '2026-11-02T17:00:00Z' });
    // Created, then off, on, off, off, off.
    expect((await log(client)).length).toBe(6);
  });

  test('skips what a stopped service missed of a repeated change, but for one time', async () => {
    const seed = {
      flags: [{ key: 'a', filters: { groups: [{}] } }],
      scheduled_changes: [
        {
          flag: 'a',
          payload: OFF,
          scheduled_at: '2026-10-01T09:00:00+02:00',
          is_recurring: true,
          recurrence_interval: 'weekly',
        },
      ],
    };
    const client = await startAt('2026-11-01T00:00:00Z', seed);
    client.service.clock.advance(1000);
    expect(await read(client, `${SCHEDULES}1/`)).toMatchObject({
      last_executed_at: '2026-11-01T00:00:01Z',
      scheduled_at: '2026-11-05T07:00:00Z',
    });
  });

  test('replaces variants with their payloads', async () => {
    const client = await startAt('2026-11-01T00:00:00Z');
    const variants = (first: number): JsonObject => ({
      variants: [
        { key: 'a', rollout_percentage: first },
        { key: 'b', rollout_percentage: 100 - first },
      ],
    });
    const filters = { groups: [condition(100)], multivariate: variants(50), payloads: { a: '1' } };
    const flag = await client.create({ key: 'a', filters });
    const value = { ...variants(10), payloads: { b: '2' } };
    await schedule(client, flag, {
      payload: { operation: 'update_variants', value },
      scheduled_at: '2026-11-02T00:00:00Z',
    });
    client.service.clock.advance(2 * DAY_MS);
    expect((await readFlag(client, flag))['filters']).toMatchObject({
      multivariate: variants(10),
      payloads: { b: '2' },
    });
    expect(objectOrEmpty(objectOrEmpty((await readFlag(client, flag))['filters'])['payloads'])).toEqual({ b: '2' });
  });
});

describe('a change that fails', () => {
  test.each<[string, JsonObject, string]>([
    ['an unknown operation', { operation: 'rename', value: 'b' }, 'Unrecognized operation: "rename"'],
    ['no value', { operation: 'update_status' }, 'Invalid payload'],
    [
      'variants of a flag without any',
      { operation: 'update_variants', value: { variants: [] } },
      'The flag has no variants',
    ],
    [
      'shares that are not 100',
      { operation: 'update_variants', value: { variants: [{ key: 'x', rollout_percentage: 99 }] } },
      'Invalid variant rollout percentages',
    ],
  ])('%s is not tried again', async (name, payload, reason) => {
    const client = await startAt('2026-11-01T00:00:00Z');
    const multivariate = name.startsWith('shares') ? {} : { multivariate: null };
    const flag = await client.create({ key: 'a', filters: { groups: [condition(10)], ...multivariate } });
    const path = await schedule(client, flag, { payload, scheduled_at: '2026-11-02T00:00:00Z' });
    client.service.clock.advance(2 * DAY_MS);
    const { executed_at: at, failure_reason: why } = await read(client, path);
    expect([at, plainText(why ?? null).startsWith(reason)]).toEqual(['2026-11-02T00:00:00Z', true]);
    expect(await readFlag(client, flag)).toMatchObject({ version: 1 });
  });

  test('one that the service refuses is tried five times, a minute apart, and does not hold others up', async () => {
    const client = await startAt('2026-11-01T00:00:00Z');
    const base = await client.create({ key: 'base', active: true, filters: { groups: [condition(100)] } });
    const depending = { key: plainText(base['id'] ?? null), type: 'flag', operator: 'flag_evaluates_to', value: true };
    const flag = await client.create({ key: 'a', filters: { groups: [{ properties: [depending] }] } });
    const path = await schedule(client, base, { payload: OFF, scheduled_at: '2026-11-02T00:00:00Z' });
    const other = await schedule(client, flag, { payload: OFF, scheduled_at: '2026-11-02T00:10:00Z' });
    client.service.clock.advance(2 * DAY_MS);
    expect(await read(client, path)).toMatchObject({
      executed_at: '2026-11-02T00:04:00Z',
      failure_reason: expect.stringMatching(/depend on this flag: a\. \(attempt 5; it is not tried again\)$/) as string,
    });
    expect((await readFlag(client, base))['active']).toBe(true);
    expect(await read(client, other)).toMatchObject({ executed_at: '2026-11-02T00:10:00Z', failure_reason: null });
  });

  test('one of a deleted flag', async () => {
    const client = await startAt('2026-11-01T00:00:00Z');
    const flag = await client.create({ key: 'a', filters: { groups: [condition(10)] } });
    const path = await schedule(client, flag, { payload: OFF, scheduled_at: '2026-11-02T00:00:00Z' });
    await client.patch(`/api/projects/1/feature_flags/${plainText(flag['id'] ?? null)}/`, { deleted: true });
    client.service.clock.advance(2 * DAY_MS);
    expect(plainText((await read(client, path))['failure_reason'] ?? null)).toContain('The flag does not exist');
  });
});

describe('under an approval policy', () => {
  const REQUESTS = '/api/projects/1/change_requests/';
  const AT = '2026-11-02T00:00:00Z';

  async function governed(policy: JsonObject = {}): Promise<{ client: Client; flag: JsonObject }> {
    const client = await startAt('2026-11-01T00:00:00Z');
    const flag = await client.create({ key: 'a', active: false, filters: { groups: [condition(10)] } });
    const approver = { approver_config: { quorum: 1, users: [1] }, allow_self_approve: true };
    await client.post('/api/projects/1/approval_policies/', {
      action_key: 'feature_flag.enable',
      ...approver,
      ...policy,
    });
    return { client, flag };
  }

  async function bound(client: Client, path: string): Promise<JsonObject> {
    return objectOrEmpty((await read(client, path))['change_request']);
  }

  test('an approved change is made at its time, not when it is approved', async () => {
    const { client, flag } = await governed();
    const path = await schedule(client, flag, { payload: ON, scheduled_at: AT });
    const { id, state } = await bound(client, path);
    expect(state).toBe('pending');
    expect((await client.post(`${REQUESTS}${plainText(id ?? null)}/approve/`, {})).body['status']).toBe('approved');
    expect((await readFlag(client, flag))['active']).toBe(false);
    expect((await client.patch(path, { scheduled_at: '2026-11-01T01:00:00Z' })).status).toBe(400);
    client.service.clock.advance(2 * DAY_MS);
    expect((await readFlag(client, flag))['active']).toBe(true);
    expect(await bound(client, path)).toEqual({ id, state: 'applied' });
  });

  test.each([
    ['pending', async () => undefined, 'expired'],
    [
      'rejected',
      async (client: Client, id: string) => client.post(`${REQUESTS}${id}/reject/`, { reason: 'no' }),
      'rejected',
    ],
  ])('a %s change is not made', async (_state, decide, after) => {
    const { client, flag } = await governed();
    const path = await schedule(client, flag, { payload: ON, scheduled_at: AT });
    const { id } = await bound(client, path);
    await decide(client, plainText(id ?? null));
    client.service.clock.advance(2 * DAY_MS);
    expect((await readFlag(client, flag))['active']).toBe(false);
    expect(await read(client, path)).toMatchObject({ executed_at: AT, change_request: { state: after } });
  });

  test('an approval of another version of the flag expires', async () => {
    const { client, flag } = await governed();
    const path = await schedule(client, flag, { payload: ON, scheduled_at: AT });
    await client.post(`${REQUESTS}${plainText((await bound(client, path))['id'] ?? null)}/approve/`, {});
    await client.patch(`/api/projects/1/feature_flags/${plainText(flag['id'] ?? null)}/`, { name: 'Renamed' });
    client.service.clock.advance(2 * DAY_MS);
    expect((await readFlag(client, flag))['active']).toBe(false);
    expect((await bound(client, path))['state']).toBe('expired');
  });

  test('a second schedule of what waits for an approval is refused, and a cancelled one withdraws its request', async () => {
    const { client, flag } = await governed();
    const path = await schedule(client, flag, { payload: ON, scheduled_at: AT });
    const { id } = await bound(client, path);
    const again = {
      record_id: plainText(flag['id'] ?? null),
      model_name: 'FeatureFlag',
      payload: ON,
      scheduled_at: AT,
    };
    expect((await client.post(SCHEDULES, again)).body['code']).toBe('change_request_pending');
    expect((await client.request('DELETE', path)).status).toBe(204);
    expect((await read(client, `${REQUESTS}${plainText(id ?? null)}/`))['state']).toBe('expired');
  });

  test('a change that nobody had to approve when it was scheduled is skipped if somebody has to at its time', async () => {
    const { client, flag } = await governed({ enabled: false });
    const path = await schedule(client, flag, { payload: ON, scheduled_at: AT });
    expect((await read(client, path))['change_request']).toBeNull();
    const [policy] = (await read(client, '/api/projects/1/approval_policies/'))['results'] as JsonObject[];
    await client.patch(`/api/projects/1/approval_policies/${plainText(policy?.['id'] ?? null)}/`, { enabled: true });
    client.service.clock.advance(2 * DAY_MS);
    expect((await readFlag(client, flag))['active']).toBe(false);
    expect(await read(client, path)).toMatchObject({ executed_at: AT, failure_reason: null });
  });

  test('each time of a repeated change needs an approval of its own', async () => {
    const { client, flag } = await governed();
    const daily = { is_recurring: true, recurrence_interval: 'daily' };
    const path = await schedule(client, flag, { payload: ON, scheduled_at: AT, ...daily });
    const first = await bound(client, path);
    client.service.clock.set(new Date('2026-11-02T12:00:00Z'));
    expect((await read(client, `${REQUESTS}${plainText(first['id'] ?? null)}/`))['state']).toBe('expired');
    const second = await bound(client, path);
    expect([second['state'], second['id'] === first['id']]).toEqual(['pending', false]);
    await client.post(`${REQUESTS}${plainText(second['id'] ?? null)}/approve/`, {});
    client.service.clock.set(new Date('2026-11-03T12:00:00Z'));
    expect((await readFlag(client, flag))['active']).toBe(true);
  });
});
