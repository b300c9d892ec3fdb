/** The clock of a running service, moved by its handle and over HTTP. */

import { expect, test } from 'vitest';
import { FlagwrightError } from '../../src/base/errors.ts';
import type { JsonObject, JsonValue } from '../../src/base/json.ts';
import { FLAGS, pathOf, start, type Client } from './harness.ts';

const NOW = '2026-11-01T00:00:00Z';
const startAt = new Date('2027-01-01T08:00:00Z');

async function startClock(more: { readonly clockRoute?: boolean } = {}): Promise<Client> {
  return start({ profile: 'posthog', now: () => new Date(NOW), startAt, ...more });
}

test('everything that the service dates has the time of its clock', async () => {
  const client = await startClock();
  const filters: JsonObject = {
    groups: [
      {
        properties: [{ key: 'joined', type: 'person', operator: 'is_date_before', value: '-7d' }],
        rollout_percentage: 100,
      },
    ],
  };
  const flag = await client.create({ key: 'a', filters });
  const evaluate = async (): Promise<JsonValue | undefined> => {
    const person = { token: 'phc_1', distinct_id: 'ada', person_properties: { joined: '2026-12-30' } };
    const { body, headers } = await client.post('/flags?v=2', person);
    expect(headers.get('date')).toBe(client.service.clock.now().toUTCString());
    return ((body['flags'] as JsonObject)['a'] as JsonObject)['enabled'];
  };
  expect(await evaluate()).toBe(false);
  client.service.clock.set(new Date('2027-02-01T00:00:00+01:00'));
  expect(await evaluate()).toBe(true);
  await client.patch(pathOf(flag), { name: 'Later' });
  const { body } = await client.get(pathOf(flag));
  expect(body).toMatchObject({ created_at: '2027-01-01T08:00:00Z', updated_at: '2027-01-31T23:00:00Z' });
  const { body: log } = await client.get(`${FLAGS}activity/`);
  expect(log['results']).toMatchObject([
    { created_at: '2027-01-31T23:00:00Z' },
    { created_at: '2027-01-01T08:00:00Z' },
  ]);
});

test('the clock runs on from where it was set, and refuses to go back', async () => {
  let real = Date.parse(NOW);
  const { service } = await start({ profile: 'posthog', now: () => new Date(real), startAt });
  real += 5000;
  expect(service.clock.now().toISOString()).toBe('2027-01-01T08:00:05.000Z');
  service.clock.advance(1000);
  expect(service.clock.now().toISOString()).toBe('2027-01-01T08:00:06.000Z');
  for (const move of [
    () => service.clock.advance(-1),
    () => service.clock.set(startAt),
    () => service.clock.set(new Date(NaN)),
  ]) {
    expect(move).toThrow(FlagwrightError);
  }
  expect(() => service.clock.advance(367 * 86_400_000)).toThrow('at most 366 days');
});

const CLOCK = '/_flagwright/clock';

test('requests read and move the clock where the service is told to let them', async () => {
  const client = await startClock({ clockRoute: true });
  expect((await client.get(CLOCK)).body).toEqual({ now: '2027-01-01T08:00:00Z' });
  expect((await client.post(CLOCK, { advance_seconds: 60 })).body).toEqual({ now: '2027-01-01T08:01:00Z' });
  expect((await client.post(CLOCK, { set: '2027-01-02T00:00:00+01:00' })).body).toEqual({
    now: '2027-01-01T23:00:00Z',
  });
  const wrong: JsonValue[] = [
    {},
    { set: '2027-01-03' },
    { set: 1 },
    { set: '2027-01-01T00:00:00Z' },
    { advance_seconds: -1 },
    { advance_seconds: 1, set: '2028-01-01T00:00:00Z' },
  ];
  for (const body of wrong) expect([body, (await client.post(CLOCK, body)).status]).toEqual([body, 400]);
  expect((await client.request('DELETE', CLOCK)).status).toBe(405);
  expect((await client.get(CLOCK)).body).toEqual({ now: '2027-01-01T23:00:00Z' });
});

test.each<[string, RequestInit, number]>([
  ['without a key', { body: '{"advance_seconds":1}', headers: { 'content-type': 'application/json' } }, 401],
  [
    'with a form',
    { body: 'advance_seconds=1', headers: { 'content-type': 'text/plain', authorization: 'Bearer k' } },
    415,
  ],
  ['of a preflight', { method: 'OPTIONS', headers: { origin: 'https://example.org' } }, 401],
])('a request %s, as a page of another origin could send it, moves nothing', async (_name, request, status) => {
  const client = await startClock({ clockRoute: true });
  const answered = await fetch(`${client.service.url}${CLOCK}`, { method: 'POST', ...request });
  expect([answered.status, answered.headers.get('access-control-allow-origin')]).toEqual([status, null]);
  expect(client.service.clock.now()).toEqual(startAt);
});

test('no request moves the clock otherwise', async () => {
  const client = await startClock();
  expect((await client.post(CLOCK, { advance_seconds: 60 })).status).toBe(404);
});
