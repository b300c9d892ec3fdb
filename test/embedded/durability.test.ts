/** Acknowledged writes survive a restart, and the death of the process at any moment. */

import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { FLAGS, pathOf, results, ROLES, start } from './harness.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** Inside the package, so that the compiled service finds its dependencies. */
const BUILD = join(ROOT, 'node_modules/.cache/flaghoist-durability');

/** A process that serves a file until it is killed. */
const CHILD = `
import { startEmbedded } from './out/embedded/service.js';
const service = await startEmbedded({ data: process.argv[2], now: () => new Date(), randomUuid: () => crypto.randomUUID() });
process.stdout.write(service.url + '\\n');
`;

beforeAll(() => {
  mkdirSync(BUILD, { recursive: true });
  writeFileSync(join(BUILD, 'package.json'), '{"type":"module"}');
  writeFileSync(join(BUILD, 'serve.js'), CHILD);
  const config = {
    extends: join(ROOT, 'tsconfig.json'),
    files: [join(ROOT, 'src/embedded/service.ts')],
    include: [],
    compilerOptions: {
      outDir: 'out',
      rootDir: join(ROOT, 'src'),
      noCheck: true,
      isolatedDeclarations: false,
      declaration: false,
      declarationMap: false,
      sourceMap: false,
    },
  };
  writeFileSync(join(BUILD, 'tsconfig.json'), JSON.stringify(config));
  const compiled = spawnSync(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', BUILD], {
    encoding: 'utf8',
  });
  expect(compiled.stdout + compiled.stderr).toBe('');
});

afterAll(() => rmSync(BUILD, { recursive: true, force: true }));

function dataFile(): string {
  return join(mkdtempSync(join(tmpdir(), 'flaghoist-')), 'service.db');
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

test('kill -9 in the middle of writes loses none that was acknowledged', async () => {
  const data = dataFile();
  const acknowledged = new Map<string, string>();
  for (const round of [1, 2, 3]) {
    const child = spawn(process.execPath, [join(BUILD, 'serve.js'), data], { stdio: ['ignore', 'pipe', 'inherit'] });
    const url = await firstLine(child);
    setTimeout(() => child.kill('SIGKILL'), 150 * round);
    await Promise.all(
      Array.from({ length: 8 }, async (_, worker) => writeUntilDeath(url, `${round}-${worker}`, acknowledged)),
    );
  }
  expect(acknowledged.size).toBeGreaterThan(50);
  const client = await start({ data });
  const page = await client.get(`${FLAGS}?limit=100000`);
  const found = new Map(results(page).map((flag) => [flag['key'], flag['name']]));
  for (const [key, name] of acknowledged) expect([key, found.get(key)]).toEqual([key, name]);
  // One request of each worker may have been committed and not answered.
  expect(found.size).toBeLessThanOrEqual(acknowledged.size + 3 * 8);
});

/** Creates flags one after the other, noting what was answered, until the service is gone. */
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
