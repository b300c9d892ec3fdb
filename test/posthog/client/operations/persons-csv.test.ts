import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import type { ServiceClient } from '../../../../src/posthog/client/client.ts';
import { clientFor, failureOf, KEY } from '../support/client.ts';
import { serve, serveInTurn, serveSocket, type Reply } from '../support/server.ts';
import { holdTimers, turns } from '../../../helpers/timers.ts';
import { until } from '../../../helpers/until.ts';

const PERSONS = '/api/projects/1/persons/';
const CSV: Reply = { headers: { 'content-type': 'text/csv' }, body: 'id,name\r\n7,Ada\r\n' };

async function textOf(bytes: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of bytes) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

type Csv = ServiceClient['csv'];
const CALLS: { readonly [Name in keyof Csv]: readonly [(csv: Csv) => AsyncIterable<Uint8Array>, string, string] } = {
  listPersons: [(c) => c.listPersons({ email: 'a@b' }), 'GET', '?email=a%40b&format=csv'],
  createPerson: [(c) => c.createPerson({}), 'POST', '?format=csv'],
  getPerson: [(c) => c.getPerson(7), 'GET', '7/?format=csv'],
  updatePerson: [(c) => c.updatePerson(7, {}), 'PATCH', '7/?format=csv'],
  splitPerson: [(c) => c.splitPerson(7), 'POST', '7/split/?format=csv'],
  setPersonProperty: [(c) => c.setPersonProperty(7, 'a', 1), 'POST', '7/update_property/?key=a&value=1&format=csv'],
  unsetPersonProperty: [(c) => c.unsetPersonProperty(7, 'a'), 'POST', '7/delete_property/?%24unset=a&format=csv'],
  personActivity: [(c) => c.personActivity(7), 'GET', '7/activity/?format=csv'],
  projectPersonActivity: [(c) => c.projectPersonActivity({ page: 2 }), 'GET', 'activity/?page=2&format=csv'],
  personPropertiesTimeline: [(c) => c.personPropertiesTimeline(7), 'GET', '7/properties_timeline/?format=csv'],
  personCohorts: [(c) => c.personCohorts(7), 'GET', 'cohorts/?person_id=7&format=csv'],
  personProperties: [(c) => c.personProperties(), 'GET', 'properties/?format=csv'],
  personValues: [(c) => c.personValues({ key: 'a' }), 'GET', 'values/?key=a&format=csv'],
  personFunnel: [(c) => c.personFunnel(), 'GET', 'funnel/?format=csv'],
  postPersonFunnel: [(c) => c.postPersonFunnel({}), 'POST', 'funnel/?format=csv'],
  personFunnelCorrelation: [(c) => c.personFunnelCorrelation(), 'GET', 'funnel/correlation/?format=csv'],
  postPersonFunnelCorrelation: [(c) => c.postPersonFunnelCorrelation(), 'POST', 'funnel/correlation/?format=csv'],
  personPath: [(c) => c.personPath(), 'GET', 'path/?format=csv'],
  postPersonPath: [(c) => c.postPersonPath(), 'POST', 'path/?format=csv'],
  personLifecycle: [(c) => c.personLifecycle(), 'GET', 'lifecycle/?format=csv'],
  personRetention: [(c) => c.personRetention(), 'GET', 'retention/?format=csv'],
  personStickiness: [(c) => c.personStickiness(), 'GET', 'stickiness/?format=csv'],
  personTrends: [(c) => c.personTrends({ limit: 2 }), 'GET', 'trends/?limit=2&format=csv'],
};

test.each(Object.entries(CALLS))('csv.%s', async (_name, [call, method, url]) => {
  const { host, seen } = await serveInTurn(CSV);
  expect(await textOf(call(clientFor(host).csv))).toBe(CSV.body);
  expect(seen).toMatchObject([{ method, url: PERSONS + url, headers: { accept: 'text/csv' } }]);
});

describe('a download', () => {
  test('sends nothing before it is read, and is sent anew by each reading', async () => {
    const { host, seen } = await serveInTurn(CSV);
    const { csv } = clientFor(host);
    const bytes = csv.personProperties();
    await turns();
    expect(seen).toHaveLength(0);
    await textOf(bytes);
    expect(seen).toHaveLength(1);
  });

  test.each<[string, Reply, object]>([
    ['JSON', { body: { results: [] } }, { kind: 'invalid_answer', why: 'shape', expected: 'text/csv' }],
    ['a page', { headers: { 'content-type': 'text/html' }, body: '<html>' }, { kind: 'invalid_answer', why: 'shape' }],
    [
      'compressed',
      { headers: { 'content-type': 'text/csv', 'content-encoding': 'gzip' }, body: 'x' },
      { kind: 'invalid_answer', why: 'encoded' },
    ],
    [
      '403',
      { status: 403, body: { detail: `no scope for ${KEY}` } },
      { kind: 'forbidden', detail: 'no scope for [key]' },
    ],
    ['a redirect', { status: 302, headers: { location: 'http://other.invalid/' } }, { kind: 'redirected' }],
  ])('%s fails', async (_name, reply, failure) => {
    const { host } = await serveInTurn(reply);
    const error = await failureOf(textOf(clientFor(host).csv.listPersons()));
    expect(error).toMatchObject({ failure, operation: 'listPersons', attempts: 1 });
  });

  test('is repeated after a failure that came before the first byte', async () => {
    const { host, seen } = await serveInTurn({ status: 503 }, { status: 429, headers: { 'retry-after': '7' } }, CSV);
    expect(await textOf(clientFor(host).csv.listPersons())).toBe(CSV.body);
    expect(seen).toHaveLength(3);
  });

  test('that breaks halfway gives what came, then fails, and is not repeated', async () => {
    const { host, received } = await serveSocket((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-type: text/csv\r\ncontent-length: 500\r\n\r\nid,name\r\n', () =>
        setTimeout(() => socket.resetAndDestroy(), 20),
      );
    });
    const got: string[] = [];
    const reading = (async () => {
      for await (const chunk of clientFor(host).csv.listPersons()) got.push(Buffer.from(chunk).toString());
    })();
    expect(await failureOf(reading)).toMatchObject({ failure: { kind: 'network' }, attempts: 1 });
    expect(got.join('')).toBe('id,name\r\n');
    expect(received).toHaveLength(1);
  });

  test('that stops coming is broken off after the time for one wait', async () => {
    const timers = holdTimers();
    const { host } = await serve((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/csv' });
      response.write('id,name\r\n');
      return undefined;
    });
    let came = '';
    const reading = (async () => {
      for await (const chunk of clientFor(host, { timeoutMs: 50 }).csv.listPersons())
        came += Buffer.from(chunk).toString();
    })();
    const failing = failureOf(reading);
    await until(() => expect(came).toBe('id,name\r\n'));
    timers.pass(50);
    expect(await failing).toMatchObject({ failure: { kind: 'timeout', timeoutMs: 50 } });
  });

  test('that goes on for longer than one wait is not broken off', async () => {
    const timers = holdTimers();
    let came = '';
    const { host } = await serve(async (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/csv' });
      for (let line = 0; line < 6; line += 1) {
        response.write(`${line}\r\n`);
        await until(() => expect(came).toContain(`${line}`));
        timers.pass(40);
      }
      response.end();
      return undefined;
    });
    for await (const chunk of clientFor(host, { timeoutMs: 120 }).csv.listPersons())
      came += Buffer.from(chunk).toString();
    expect(came).toBe('0\r\n1\r\n2\r\n3\r\n4\r\n5\r\n');
  });

  test('ends with the signal of the client', async () => {
    const stop = new AbortController();
    const { host } = await serve((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/csv' });
      response.write('id,name\r\n', () => setTimeout(() => stop.abort(), 10));
      return undefined;
    });
    expect(await failureOf(textOf(clientFor(host, { signal: stop.signal }).csv.listPersons()))).toMatchObject({
      failure: { kind: 'aborted', code: 'interrupted' },
    });
  });

  test('left early closes its connection', async () => {
    let closed: () => void = () => undefined;
    const closing = new Promise<void>((resolve) => (closed = resolve));
    const { host } = await serve((_request, response) => {
      response.on('close', closed);
      response.writeHead(200, { 'content-type': 'text/csv' });
      response.write('x'.repeat(1000));
      return undefined;
    });
    for await (const chunk of clientFor(host).csv.listPersons()) {
      expect(chunk.length).toBeGreaterThan(0);
      break;
    }
    await closing;
  });

  test('is read no faster than it is used', async () => {
    const chunk = 'x'.repeat(64 * 1024);
    let written = 0;
    const { host } = await serve(async (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/csv' });
      let open = true;
      const closed = once(response, 'close').then(() => (open = false));
      for (; open && written < 2000; written += 1) {
        if (response.write(chunk)) continue;
        await Promise.race([once(response, 'drain'), closed]);
      }
      response.end();
      return undefined;
    });
    for await (const part of clientFor(host).csv.listPersons()) {
      expect(part.length).toBeGreaterThan(0);
      // A service without backpressure would write everything.
      await turns(2000);
      break;
    }
    // 125 MiB were available; the buffers of two sockets hold a few.
    expect(written).toBeLessThan(400);
  });
});
