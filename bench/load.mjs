// The embedded service under load: CPU of a page of flags, time of filtered pages of persons, and many connections at once.
// `npm run build && node bench/load.mjs`; prints a table, and fails if a figure misses its limit.

import { fork } from 'node:child_process';
import { join } from 'node:path';
import { Agent, request } from 'undici';
import { cleanEnv, median, root } from './measure.mjs';

const FLAGS = 10_000;
const PERSONS = 100_000;
const CONNECTIONS = 1000;
const PAGES = 50;

const child = fork(join(root, 'bench/load-service.mjs'), { stdio: 'inherit', env: cleanEnv });
const ask = (message) =>
  new Promise((resolve) => {
    child.once('message', resolve);
    child.send(message);
  });

const { url } = await ask({ start: { flags: FLAGS, persons: PERSONS } });
const project = `${url}/api/projects/1`;
const headers = { authorization: 'Bearer phx_bench' };
const dispatcher = new Agent({ connections: CONNECTIONS });

async function get(path) {
  const { statusCode, body } = await request(`${project}${path}`, { headers, dispatcher });
  const text = await body.text();
  if (statusCode !== 200) throw new Error(`${path} answered ${statusCode}: ${text.slice(0, 200)}`);
  return text;
}

/** CPU of the service for one request, in ms. */
async function cpuOf(path) {
  await get(path);
  const before = await ask({ cpu: true });
  for (let index = 0; index < PAGES; index += 1) await get(path);
  const after = await ask({ cpu: true });
  return (after.ms - before.ms) / PAGES;
}

/** Median time of one request, in ms, once its index is there. */
async function timeOf(path) {
  await get(path);
  const times = [];
  for (let index = 0; index < 9; index += 1) {
    const start = performance.now();
    await get(path);
    times.push(performance.now() - start);
  }
  return median(times);
}

const filtered = (...properties) => `/persons/?properties=${encodeURIComponent(JSON.stringify(properties))}`;

const rows = [
  [`CPU of a page of 100 of ${FLAGS} flags, the first`, await cpuOf('/feature_flags/?limit=100'), 10],
  ['… the last', await cpuOf(`/feature_flags/?limit=100&offset=${FLAGS - 100}`), 10],
  [`a page of ${PERSONS} persons`, await timeOf('/persons/'), 50],
  ['… the last', await timeOf(`/persons/?offset=${PERSONS - 100}`), 50],
  ['… by distinct id', await timeOf('/persons/?distinct_id=user-77'), 50],
  ['… by email', await timeOf('/persons/?email=user77@team77.example'), 50],
  ['… by search, one found', await timeOf('/persons/?search=user99999@'), 50],
  ['… exact, one found', await timeOf(filtered({ key: 'name', value: 'User 77' })), 50],
  ['… exact, a third found', await timeOf(filtered({ key: 'plan', value: 'pro' })), 50],
  ['… one of a list', await timeOf(filtered({ key: 'plan', value: ['pro', 'enterprise'] })), 50],
  ['… icontains, one found', await timeOf(filtered({ key: 'name', operator: 'icontains', value: 'ser 99998' })), 50],
  ['… icontains, all found', await timeOf(filtered({ key: 'name', operator: 'icontains', value: 'user' })), 50],
  ['… gt, none found', await timeOf(filtered({ key: 'seats', operator: 'gt', value: 1000 })), 50],
  ['… is_not_set, none found', await timeOf(filtered({ key: 'name', operator: 'is_not_set', value: 'x' })), 50],
  ['… regex, half found', await timeOf(filtered({ key: 'name', operator: 'regex', value: '[02468]$' })), 50],
  [
    '… two filters',
    await timeOf(filtered({ key: 'plan', value: 'pro' }, { key: 'seats', operator: 'gt', value: 40 })),
    50,
  ],
  [
    '… regex, one found (no index helps)',
    await timeOf(filtered({ key: 'name', operator: 'regex', value: '^User 5$' })),
  ],
  [`${CONNECTIONS} connections, a page of flags each: all answered`, await allAtOnce()],
];

async function allAtOnce() {
  const start = performance.now();
  await Promise.all(Array.from({ length: CONNECTIONS }, () => get('/feature_flags/?limit=10')));
  return performance.now() - start;
}

for (const [name, ms, reach] of rows) {
  const verdict = reach === undefined ? '' : ms <= reach ? `ok (at most ${reach})` : `NOT REACHED (at most ${reach})`;
  console.log(`${name.padEnd(64)} ${ms.toFixed(1).padStart(8)} ms  ${verdict}`);
}
child.kill();
await dispatcher.close();
process.exitCode = rows.some(([, ms, reach]) => reach !== undefined && ms > reach) ? 1 : 0;
