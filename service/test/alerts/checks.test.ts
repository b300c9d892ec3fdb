/** The checks of alerts in time: those that a seed plans, and those that the holder of the service records. */

import { expect, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import { plainText } from '../../../src/base/json-text.ts';
import { results, start, type Client } from '../harness.ts';
import type { EmbeddedOptions } from '../../src/index.ts';

const ALERTS = '/api/projects/1/alerts/';
const ID = '0191b000-0000-7000-8000-000000000001';
const NOON = new Date('2026-03-10T12:00:00Z');

async function startWith(alerts: readonly JsonObject[], options: Partial<EmbeddedOptions> = {}): Promise<Client> {
  return start({ profile: 'posthog', now: () => NOON, seed: { alerts: [...alerts] }, ...options });
}

const at = (time: string, state: string, value = 1): JsonObject => ({ at: `2026-03-10T${time}:00Z`, state, value });

async function read(client: Client): Promise<JsonObject> {
  const { body } = await client.get(`${ALERTS}${ID}/`);
  const checks = (body['checks'] as JsonObject[]).map(
    ({ created_at: time = '', state = '' }) => `${plainText(time)} ${plainText(state)}`,
  );
  const { state = null, last_checked_at: checked = null, snoozed_until: snoozed = null } = body;
  return { state, checked, snoozed, checks };
}

test('a check to come is made at its time, when the clock reaches it', async () => {
  const client = await startWith([
    { id: ID, name: 'Errors', checks: [at('12:20', 'Not firing'), at('11:00', 'Not firing'), at('12:10', 'Firing')] },
  ]);
  const first = '2026-03-10T11:00:00Z Not firing';
  expect(await read(client)).toMatchObject({ state: 'Not firing', checked: '2026-03-10T11:00:00Z', checks: [first] });
  client.service.clock.set(new Date('2026-03-10T12:09:59Z'));
  expect(await read(client)).toMatchObject({ checks: [first] });
  client.service.clock.set(new Date('2026-03-10T12:10:00Z'));
  expect(await read(client)).toMatchObject({
    state: 'Firing',
    checked: '2026-03-10T12:10:00Z',
    checks: ['2026-03-10T12:10:00Z Firing', first],
  });
  expect(results(await client.get(ALERTS))).toMatchObject([{ state: 'Firing', last_value: 1 }]);
  client.service.clock.set(new Date('2026-03-10T13:00:00Z'));
  expect(await read(client)).toMatchObject({ state: 'Not firing', checked: '2026-03-10T12:20:00Z' });
});

test('an edit between two checks sets the state until the next one', async () => {
  const client = await startWith([
    { id: ID, name: 'Errors', checks: [at('11:00', 'Firing'), at('12:10', 'Firing'), at('12:20', 'Firing')] },
  ]);
  await client.patch(`${ALERTS}${ID}/`, { threshold: { configuration: { type: 'absolute', bounds: { upper: 9 } } } });
  expect(await read(client)).toMatchObject({ state: 'Not firing', checked: '2026-03-10T11:00:00Z' });
  client.service.clock.set(new Date('2026-03-10T12:15:00Z'));
  // The check before it is made first, although nobody has read the alert since.
  await client.patch(`${ALERTS}${ID}/`, { enabled: false });
  expect(await read(client)).toMatchObject({ state: 'Not firing', checked: '2026-03-10T12:10:00Z' });
  client.service.clock.set(new Date('2026-03-10T12:30:00Z'));
  expect(await read(client)).toMatchObject({ state: 'Not firing', checked: '2026-03-10T12:10:00Z' });
});

test('a snoozed alert is not checked; the first check after the snooze ends it', async () => {
  const client = await startWith([
    {
      id: ID,
      name: 'Errors',
      snoozed_until: '2026-03-10T12:15:00Z',
      checks: [at('11:00', 'Firing'), at('12:10', 'Not firing'), at('12:20', 'Firing')],
    },
  ]);
  const snoozed = { state: 'Snoozed', snoozed: '2026-03-10T12:15:00Z', checks: ['2026-03-10T11:00:00Z Firing'] };
  expect(await read(client)).toMatchObject(snoozed);
  client.service.clock.set(new Date('2026-03-10T12:16:00Z'));
  expect(await read(client)).toMatchObject(snoozed);
  client.service.clock.set(new Date('2026-03-10T12:20:00Z'));
  expect(await read(client)).toMatchObject({ state: 'Firing', snoozed: null, checked: '2026-03-10T12:20:00Z' });
});

test.each([
  ['disabled', { enabled: false }, { state: 'Not firing', snoozed: null }],
  ['snoozed before its last check', { snoozed_until: '2026-03-10T10:00:00Z' }, { state: 'Firing', snoozed: null }],
  ['whose snooze ended without a check', { snoozed_until: '2026-03-10T11:30:00Z' }, { state: 'Snoozed' }],
])('a seeded alert that is %s', async (_name, given, expected) => {
  const client = await startWith([{ id: ID, name: 'Errors', ...given, checks: [at('11:00', 'Firing')] }]);
  expect(await read(client)).toMatchObject({ ...expected, checked: '2026-03-10T11:00:00Z' });
});

test('the holder of the service checks alerts by name or id', async () => {
  const client = await startWith([
    { id: ID, name: 'Errors' },
    { name: 'Errors' },
    { name: 'Errors', enabled: false },
    { name: 'Other' },
  ]);
  client.service.checkAlert({ alert: 'Errors', state: 'Firing', value: 7 });
  expect(results(await client.get(ALERTS))).toMatchObject([
    { name: 'Other', state: 'Not firing', last_checked_at: null },
    { enabled: false, state: 'Not firing', last_checked_at: null },
    { state: 'Firing', last_value: 7 },
    { state: 'Firing', last_value: 7, last_checked_at: '2026-03-10T12:00:00Z' },
  ]);
  client.service.checkAlert({ alert: ID, state: 'Errored' });
  expect(await read(client)).toMatchObject({
    state: 'Errored',
    checks: ['2026-03-10T12:00:00Z Errored', '2026-03-10T12:00:00Z Firing'],
  });
  expect(() => client.service.checkAlert({ alert: 'Unknown', state: 'Firing' })).toThrow('no alert "Unknown"');
  expect(() => client.service.checkAlert({ alert: ID, state: 'Firing', projectId: '2' })).toThrow('Project 2');
});

test('checks older than 14 days are gone, and the state stays', async () => {
  const client = await startWith([{ id: ID, name: 'Errors', checks: [at('11:00', 'Firing')] }]);
  client.service.clock.set(new Date('2026-03-24T11:00:01Z'));
  expect(await read(client)).toEqual({ state: 'Firing', checked: '2026-03-10T11:00:00Z', snoozed: null, checks: [] });
});

test.each([
  ['real_time', '2026-03-10T12:02:00Z'],
  ['every_15_minutes', '2026-03-10T12:15:00Z'],
  ['hourly', '2026-03-10T13:00:00Z'],
  ['daily', '2026-03-11T01:00:00Z'],
  ['weekly', '2026-03-16T03:00:00Z'],
  ['monthly', '2026-04-01T04:00:00Z'],
])('the next check of an alert that is checked %s', async (interval, next) => {
  const client = await startWith([{ name: 'Errors', calculation_interval: interval, checks: [at('12:00', 'Firing')] }]);
  expect(results(await client.get(ALERTS))).toMatchObject([{ next_check_at: next }]);
});

test('an organization without the paid feature has at most five alerts in a project', async () => {
  const seed = { missing_features: ['alerts'], alerts: ['a', 'b', 'c', 'd'].map((name) => ({ name })) };
  const client = await startWith([], { seed });
  const alert = {
    insight: 1,
    subscribed_users: [],
    threshold: { configuration: { type: 'absolute', bounds: { lower: 1 } } },
  };
  expect((await client.post(ALERTS, alert)).status).toBe(201);
  expect(await client.post(ALERTS, alert)).toMatchObject({ status: 400, body: { attr: 'alert' } });
});

test('the same paths are below environments', async () => {
  const client = await startWith([{ id: ID, name: 'Errors' }]);
  expect(await client.get(`/api/environments/1/alerts/${ID}/`)).toMatchObject({
    status: 200,
    body: { name: 'Errors' },
  });
});

test.each([
  ['/alerts/0/checks/1/at', { name: 'a', checks: [at('11:00', 'Firing'), { at: 'soon', state: 'Firing' }] }],
  ['/alerts/0/snoozed_until', { name: 'a', snoozed_until: 'later' }],
  ['/alerts/0/checks/0/state', { name: 'a', checks: [at('11:00', 'Snoozed')] }],
  ['/alerts/0/id', { name: 'a', id: '7' }],
])('a seed is refused at %s', async (place, alert) => {
  await expect(startWith([alert])).rejects.toMatchObject({
    code: 'usage',
    message: expect.stringContaining(`invalid at ${place}: `) as string,
  });
});

test('a seed is refused for two alerts with one id', async () => {
  await expect(
    startWith([
      { id: ID, name: 'a' },
      { id: ID.toUpperCase(), name: 'b' },
    ]),
  ).rejects.toMatchObject({
    message: expect.stringContaining('/alerts/1/id') as string,
  });
});
