/** Acknowledged writes survive a restart, and the death of the process at any time. */

import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import Database from 'libsql';
import { Agent, request } from 'undici';
import { expect, onTestFinished, test } from 'vitest';
import { FLAGS, pathOf, results, ROLES, start } from './harness.ts';
import { createWorkspace } from '../../test/helpers/workspace.ts';

const DIST = new URL('../../dist', import.meta.url);

/** A process that serves a file until it is killed. */
const CHILD = `
import { startEmbedded } from '${DIST.href}/index.js';
const service = await startEmbedded({ data: process.argv[1], now: () => new Date(), randomUuid: () => crypto.randomUUID() });
process.stdout.write(service.url + '\\n');
`;

function startChild(data: string): ChildProcess {
  const argv = ['--input-type=module', '-e', CHILD, data];
  return spawn(process.execPath, argv, { stdio: ['ignore', 'pipe', 'inherit'] });
}

function dataFile(): string {
  return join(createWorkspace().root, 'service.db');
}

test('a restart keeps flags, role access, activity and ids', async () => {
  const data = dataFile();
  const first = await start({ data });
  const flag = await first.create({ key: 'a' });
  await first.patch(pathOf(flag), { deleted: true });
  const kept = await first.create({ key: 'b', tags: ['x'] });
  await first.post(`${pathOf(kept)}role_access/`, { role_id: ROLES['support'] ?? '' });
  const log = await first.get(`${FLAGS}activity/`);
  await first.service.close();
  const second = await start({ data });
  expect(results(await second.get(FLAGS))).toEqual([kept]);
  expect((await second.get(pathOf(flag))).body).toMatchObject({ deleted: true });
  expect((await second.get(`${pathOf(kept)}role_access/`)).body).toMatchObject({ count: 1 });
  expect((await second.get(`${FLAGS}activity/`)).body['results']).toEqual(log.body['results']);
  expect((await second.create({ key: 'a' }))['id']).toBe(3);
});

test('kill -9 during writes loses no acknowledged write', async () => {
  const data = dataFile();
  const acknowledged = new Map<string, string>();
  for (const round of [1, 2, 3]) {
    const child = startChild(data);
    const url = await firstLine(child);
    const enough = acknowledged.size + 20 * round;
    const watch = setInterval(() => {
      if (acknowledged.size >= enough) child.kill('SIGKILL');
    }, 1);
    await Promise.all(
      Array.from({ length: 8 }, async (_, worker) => writeUntilDeath(url, `${round}-${worker}`, acknowledged)),
    );
    clearInterval(watch);
  }
  expect(acknowledged.size).toBeGreaterThan(50);
  const client = await start({ data });
  const page = await client.get(`${FLAGS}?limit=100000`);
  const found = new Map(results(page).map((flag) => [flag['key'], flag['name']]));
  for (const [key, name] of acknowledged) expect([key, found.get(key)]).toEqual([key, name]);
  // Each worker may have one request that was committed but not answered.
  expect(found.size).toBeLessThanOrEqual(acknowledged.size + 3 * 8);
});

test('kill -9 during writes of 1,000 connections loses nothing and keeps the file intact', async () => {
  const data = dataFile();
  const child = startChild(data);
  const url = await firstLine(child);
  const dispatcher = new Agent({ connections: 1000, pipelining: 1, connect: { timeout: 0 }, headersTimeout: 0 });
  onTestFinished(async () => dispatcher.destroy());
  onTestFinished(() => void child.kill('SIGKILL'));
  const persons = `${url}/api/projects/1/persons/`;
  const authorization = 'Bearer k';
  const read = async (): Promise<number> => {
    const answered = await request(persons, { headers: { authorization }, dispatcher });
    await answered.body.dump();
    return answered.statusCode;
  };
  const statuses = await Promise.all(Array.from({ length: 1000 }, read));
  expect(statuses.filter((status) => status !== 200)).toEqual([]);
  const acknowledged = new Map<string, string>();
  const writers = Array.from({ length: 1000 }, async (_, index) => {
    const who = `user-${index}`;
    try {
      for (let round = 0; ; round += 1) {
        const body = JSON.stringify({ properties: { who, round } });
        const headers = { authorization, 'content-type': 'application/json' };
        const options = { method: 'POST', headers, body, dispatcher } as const;
        const created = await request(persons, options);
        if (created.statusCode !== 201) throw new Error(`Create answered ${created.statusCode}`);
        const { uuid } = (await created.body.json()) as { uuid: string };
        acknowledged.set(uuid, `${who} ${round}`);
      }
    } catch (error) {
      if (String(error).includes('Create answered')) throw error;
    }
  });
  // Each connection has a write in progress.
  await expect.poll(() => acknowledged.size).toBeGreaterThan(300);
  child.kill('SIGKILL');
  await Promise.all(writers);
  const database = new Database(data);
  expect(database.prepare('PRAGMA integrity_check').get([])).toMatchObject({ integrity_check: 'ok' });
  const rows = database.prepare('SELECT uuid, properties FROM person').all([]) as {
    uuid: string;
    properties: string;
  }[];
  database.close();
  const found = new Map(
    rows.map(({ uuid, properties }) => {
      const { who, round } = JSON.parse(properties) as { who: string; round: number };
      return [uuid, `${who} ${round}`];
    }),
  );
  expect([...acknowledged].filter(([uuid, text]) => found.get(uuid) !== text)).toEqual([]);
  expect(found.size).toBeLessThanOrEqual(acknowledged.size + 1000);
});

/** Creates flags one after another and records acknowledged ones, until the service is killed. */
async function writeUntilDeath(url: string, prefix: string, acknowledged: Map<string, string>): Promise<void> {
  const headers = { authorization: 'Bearer k', 'content-type': 'application/json' };
  try {
    for (let index = 0; ; index += 1) {
      const key = `k-${prefix}-${index}`;
      const body = JSON.stringify({ key, name: 'created' });
      const created = await fetch(`${url}${FLAGS}`, { method: 'POST', headers, body });
      if (created.status !== 201) throw new TypeError(`Create answered ${created.status}`);
      acknowledged.set(key, 'created');
      await created.text();
    }
  } catch (error) {
    if (!(error instanceof TypeError) || error.message.startsWith('Create')) throw error;
  }
}

async function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    child.stdout?.on('data', (chunk) => {
      text += String(chunk);
      if (text.includes('\n')) resolve(text.trim());
    });
    child.on('exit', () => reject(new Error('The service ended before it listened')));
  });
}
