/** Alerts over HTTP: pages, what an answer must have, which check counts, and the usual failures. */

import { randomUUID } from 'node:crypto';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startEmbedded, type EmbeddedOptions, type EmbeddedService } from '../../../../service/src/index.ts';
import type { ServiceClient } from '../../../../src/posthog/service-client.ts';
import { clientFor, failureOf } from '../support/client.ts';
import { serve } from '../support/server.ts';

const ID = '0191b000-0000-7000-8000-000000000001';
const NOON = new Date('2026-03-10T12:00:00Z');
const ALERT = { id: ID, name: '', state: 'Not firing', enabled: true, last_checked_at: null, later: [1] };

async function embedded(
  options: Partial<EmbeddedOptions>,
): Promise<{ service: EmbeddedService; client: ServiceClient }> {
  const service = await startEmbedded({
    data: ':memory:',
    profile: 'posthog',
    now: () => NOON,
    randomUuid: randomUUID,
    ...options,
  });
  onTestFinished(async () => service.close());
  return { service, client: clientFor(service.url) };
}

const seed = {
  alerts: [
    {
      id: ID,
      name: 'Errors',
      checks: [
        { at: '2026-03-10T11:00:00Z', state: 'Firing', value: 9 },
        { at: '2026-03-10T12:10:00Z', state: 'Not firing', value: 0 },
      ],
    },
    { name: 'Latency', enabled: false },
    { name: 'Quiet', snoozed_until: '2026-03-11T00:00:00Z' },
    { name: 'Revenue', can_view: false },
  ],
};

describe('the embedded service', () => {
  test('lists every alert that the owner of the key may view', async () => {
    const { client } = await embedded({ seed });
    expect(await client.listAlerts()).toEqual([
      {
        id: expect.any(String),
        name: 'Quiet',
        state: 'Snoozed',
        enabled: true,
        interval: 'daily',
        snoozedUntil: '2026-03-11T00:00:00Z',
      },
      { id: expect.any(String), name: 'Latency', state: 'Not firing', enabled: false, interval: 'daily' },
      { id: ID, name: 'Errors', state: 'Firing', enabled: true, interval: 'daily', checkedAt: '2026-03-10T11:00:00Z' },
    ]);
  });

  test('reads all pages', async () => {
    const alerts = Array.from({ length: 230 }, (_, index) => ({ name: `Alert ${index}` }));
    const { client } = await embedded({ seed: { alerts } });
    const names = (await client.listAlerts()).map(({ name }) => name);
    expect(new Set(names)).toEqual(new Set(alerts.map(({ name }) => name)));
    expect(client.stats()).toMatchObject({ requests: 3 });
  });

  test('reads one alert with its newest check', async () => {
    const { service, client } = await embedded({ seed });
    expect(await client.readAlert(ID.toUpperCase())).toEqual({
      id: ID,
      name: 'Errors',
      state: 'Firing',
      enabled: true,
      interval: 'daily',
      checkedAt: '2026-03-10T11:00:00Z',
      check: { at: '2026-03-10T11:00:00Z', state: 'Firing' },
    });
    service.clock.set(new Date('2026-03-10T12:10:00Z'));
    expect(await client.readAlert(ID)).toMatchObject({ check: { at: '2026-03-10T12:10:00Z', state: 'Not firing' } });
  });

  test('a check that snoozing or its end wrote is none', async () => {
    const { service, client } = await embedded({ seed });
    const snooze = async (until: string | null): Promise<void> => {
      await fetch(`${service.url}/api/projects/1/alerts/${ID}/`, {
        method: 'PATCH',
        headers: { authorization: 'Bearer phx_test', 'content-type': 'application/json' },
        body: JSON.stringify({ snoozed_until: until }),
      });
    };
    for (let times = 0; times < 6; times += 1) await snooze('1d');
    expect(await client.readAlert(ID)).toMatchObject({ state: 'Snoozed', check: { state: 'Firing' } });
    await snooze(null);
    expect(await client.readAlert(ID)).toMatchObject({
      state: 'Not firing',
      checkedAt: '2026-03-10T11:00:00Z',
      check: { at: '2026-03-10T11:00:00Z', state: 'Firing' },
    });
    service.checkAlert({ alert: ID, state: 'Errored' });
    expect(await client.readAlert(ID)).toMatchObject({ check: { at: '2026-03-10T12:00:00Z', state: 'Errored' } });
  });

  test('an alert that was edited after its last check says so until the next', async () => {
    const { service, client } = await embedded({ seed });
    await fetch(`${service.url}/api/projects/1/alerts/${ID}/`, {
      method: 'PATCH',
      headers: { authorization: 'Bearer phx_test', 'content-type': 'application/json' },
      body: JSON.stringify({ threshold: { configuration: { type: 'absolute', bounds: { upper: 3 } } } }),
    });
    expect(await client.readAlert(ID)).toMatchObject({ state: 'Not firing', isEdited: true });
    service.checkAlert({ alert: ID, state: 'Not firing' });
    expect(await client.readAlert(ID)).not.toHaveProperty('isEdited');
  });

  test('an alert without a check has none', async () => {
    const { client } = await embedded({ seed: { alerts: [{ id: ID, name: 'Errors' }] } });
    expect(await client.readAlert(ID)).toEqual({
      id: ID,
      name: 'Errors',
      state: 'Not firing',
      enabled: true,
      interval: 'daily',
    });
  });

  test('an unknown or hidden alert is not found, and the service of 2023 has none', async () => {
    const { client } = await embedded({ seed });
    expect((await failureOf(client.readAlert(randomUUID()))).failure).toMatchObject({ kind: 'not_found' });
    const { client: older } = await embedded({ seed, profile: 'documented' });
    expect((await failureOf(older.listAlerts())).failure).toMatchObject({ kind: 'not_found' });
  });

  test.each([
    ['listAlerts', 403, 'forbidden'],
    ['listAlerts', 404, 'not_found'],
    ['readAlert', 403, 'forbidden'],
    ['readAlert', 404, 'not_found'],
  ] as const)('%s that is answered %d', async (operation, status, kind) => {
    const faults = { faults: [{ match: { operation }, answer: { status } }] };
    const { client } = await embedded({ seed, faults });
    const call = operation === 'listAlerts' ? client.listAlerts() : client.readAlert(ID);
    expect(await failureOf(call)).toMatchObject({ operation, failure: { kind } });
  });

  test.each([
    ['a limit', { answer: { status: 429, retry_after: 1 } }],
    ['a server error', { answer: { status: 500 } }],
    ['a cut answer', { truncate: {} }],
    ['a reset', { reset: {} }],
    ['a slow answer', { latency: { ms: 20 } }],
  ])('%s is survived', async (_name, effect) => {
    const faults = {
      faults: ['listAlerts', 'readAlert'].map((operation) => ({ match: { operation }, ...effect })),
    };
    const { client } = await embedded({ seed, faults });
    expect(await client.listAlerts()).toHaveLength(3);
    expect(await client.readAlert(ID)).toMatchObject({ name: 'Errors' });
  });
});

test('both ask for what they need', async () => {
  const { host, seen } = await serve(({ url }) => ({
    body: url.includes(ID) ? { ...ALERT, checks: [] } : { count: 1, next: null, previous: null, results: [ALERT] },
  }));
  const client = clientFor(host);
  const alert = { id: ID, name: '', state: 'Not firing', enabled: true };
  expect(await client.listAlerts()).toEqual([alert]);
  expect(await client.readAlert(ID)).toEqual(alert);
  expect(seen.map(({ url }) => url)).toEqual([
    '/api/projects/1/alerts/?limit=100',
    `/api/projects/1/alerts/${ID}/?checks_limit=20`,
  ]);
});

test('a check of PostHog may be a moment later than the time of the last check', async () => {
  const check = { state: 'Not firing', calculated_value: null };
  const at = (time: string): object => ({ ...check, created_at: time });
  const checks = [at('2026-03-10T11:05:00.000000Z'), at('2026-03-10T11:00:00.412000Z')];
  const { host } = await serve(() => ({ body: { ...ALERT, last_checked_at: '2026-03-10T11:00:00.398000Z', checks } }));
  expect(await clientFor(host).readAlert(ID)).toMatchObject({ check: { at: '2026-03-10T11:00:00.412000Z' } });
});

describe('an answer of another shape', () => {
  test.each([
    ['/results/0/id', { id: 7 }],
    ['/results/0/name', { name: null }],
    ['/results/0/state', { state: null }],
    ['/results/0/enabled', { enabled: 'true' }],
    ['/results/0/last_checked_at', { last_checked_at: 'today' }],
    ['/results/0/snoozed_until', { snoozed_until: 5 }],
  ])('a list with another %s', async (at, changed) => {
    const { host } = await serve(() => ({ body: { count: 1, results: [{ ...ALERT, ...changed }] } }));
    expect((await failureOf(clientFor(host).listAlerts())).failure).toMatchObject({ kind: 'invalid_answer', at });
  });

  test.each([
    ['/id', { id: randomUUID() }],
    ['/checks', { checks: null }],
    ['/checks/0', { checks: ['Firing'] }],
    ['/checks/0/created_at', { checks: [{ created_at: null, state: 'Firing' }] }],
    ['/checks/0/state', { checks: [{ created_at: '2026-03-10T11:00:00Z' }] }],
  ])('an alert with another %s', async (at, changed) => {
    const { host } = await serve(() => ({ body: { ...ALERT, checks: [], ...changed } }));
    expect((await failureOf(clientFor(host).readAlert(ID))).failure).toMatchObject({ kind: 'invalid_answer', at });
  });
});
