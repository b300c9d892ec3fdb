/** The questions that `doctor` asks the services of several projects, and which keys it does not send. */

import type { IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { probeHosts, type Probes } from '../../../src/cli/doctor/surroundings.ts';
import type { Session } from '../../../src/cli/session/session.ts';
import type { ProjectConfig } from '../../../src/config/config.ts';
import { startBroken } from '../../helpers/broken-service.ts';

const NOW = Date.UTC(2026, 0, 31, 12);
const DATE = 'Sat, 31 Jan 2026 12:00:05 GMT';
const KEY = { label: 'CI', scopes: ['*'], scoped_teams: [], scoped_organizations: [] };

interface Probed extends Probes {
  readonly secrets: readonly string[];
  /** The path and the key of each request. */
  readonly asked: readonly string[];
  readonly url: string;
}

/** Each key of `keys` is a project whose variable has its name. `answer`: status and body. */
async function probe(
  keys: Readonly<Record<string, string | undefined>>,
  answer: (request: IncomingMessage) => readonly [status: number, body: unknown],
  env: Readonly<Record<string, string>> = {},
): Promise<Probed> {
  const asked: string[] = [];
  const secrets: string[] = [];
  const { url } = await startBroken((request, response) => {
    asked.push(`${request.url?.replace(/\?.*/, '')} ${request.headers.authorization}`);
    const [status, body] = answer(request);
    response.writeHead(status, { 'content-type': 'application/json', date: DATE }).end(JSON.stringify(body));
  });
  const given = Object.fromEntries(Object.entries(keys).filter(([, key]) => key !== undefined));
  const session = {
    context: { env: { ...given, ...env }, now: () => NOW, stderr: { isTerminal: false } },
    secrets: { add: (secret: string) => void secrets.push(secret) },
    interrupts: { cut: new AbortController().signal, stop: new AbortController().signal },
    places: { root: '/' },
    paces: new Map(),
    options: {},
    print: async () => Promise.resolve(),
  } as unknown as Session;
  const projects = Object.keys(keys).map((name, index) => ({
    service: 'remote',
    ...{ name, host: url, projectId: `${index}`, apiKeyVariable: name, requestsPerMinute: 60_000, roles: {} },
  }));
  return { ...(await probeHosts(session, projects as unknown as ProjectConfig[])), secrets, asked, url };
}

const page = (flags: readonly object[]): object => ({
  count: flags.length,
  next: null,
  previous: null,
  results: flags,
});
const isAboutKey = ({ url }: IncomingMessage): boolean => url?.includes('personal_api_keys') === true;

test('keys that cannot be right are told by their kind, kept secret, and not sent; their host is asked once without', async () => {
  const { projects, secrets, asked, hosts, url } = await probe(
    {
      MISSING: undefined,
      EMPTY: ' ',
      TOKEN: 'phc_abcdefgh',
      SECRET: 'phs_abcdefgh',
      SPACED: ' phx_a b ',
      ACCENTED: 'phx_é',
      TAILED: 'é_phx',
    },
    () => [401, { detail: 'Wrong.' }],
  );
  expect(Object.fromEntries([...projects].map(([name, { key }]) => [name, key]))).toEqual({
    MISSING: { kind: 'missing', empty: false },
    EMPTY: { kind: 'missing', empty: true },
    TOKEN: { kind: 'project_token' },
    SECRET: { kind: 'project_secret' },
    SPACED: { kind: 'malformed' },
    ACCENTED: { kind: 'malformed' },
    TAILED: { kind: 'malformed' },
  });
  expect(secrets).toEqual(expect.arrayContaining(['phc_abcdefgh', 'phs_abcdefgh', ' phx_a b ', 'phx_a b', 'phx_é']));
  expect(asked).toEqual(['/api/personal_api_keys/@current/ Bearer none']);
  expect([...hosts]).toMatchObject([[url, { failure: { kind: 'unauthorized' }, answer: { receivedAt: NOW } }]]);
});

test('a host that may not have the key is asked nothing', async () => {
  const env = { FLAGWRIGHT_HOSTS: 'https://eu.posthog.com' };
  const { projects, asked, hosts } = await probe({ A: 'phx_abcdefgh', B: undefined }, () => [200, KEY], env);
  expect([...projects.values()].map(({ key }) => key.kind)).toEqual(['withheld', 'withheld']);
  expect([asked, [...hosts]]).toEqual([[], []]);
});

test('each key is asked about once, and the first answer of a host has its time', async () => {
  const { projects, asked, hosts } = await probe(
    { A: 'phx_one_one_one', B: 'phx_one_one_one', C: 'phx_two_two_two' },
    (request) => [200, isAboutKey(request) ? KEY : page([{ id: 1, key: 'a', filters: {} }])],
  );
  expect(asked).toEqual([
    '/api/personal_api_keys/@current/ Bearer phx_one_one_one',
    '/api/projects/0/feature_flags/ Bearer phx_one_one_one',
    '/api/projects/1/feature_flags/ Bearer phx_one_one_one',
    '/api/personal_api_keys/@current/ Bearer phx_two_two_two',
    '/api/projects/2/feature_flags/ Bearer phx_two_two_two',
  ]);
  expect([...hosts.values()]).toEqual([
    { answer: { receivedAt: NOW, ms: expect.any(Number) as number, serviceTime: Date.parse(DATE) } },
  ]);
  expect([...projects.values()].map(({ current, flag }) => [current, flag])).toMatchObject(
    Array.from({ length: 3 }, () => [{ value: { label: 'CI' } }, { value: { key: 'a' } }]),
  );
});

test.each([
  [401, 1],
  [403, 2],
  [404, 2],
  [500, 1],
])('after an answer of %d about the key, %d requests are sent in all', async (status, requests) => {
  const { asked, projects } = await probe({ A: 'phx_one_one_one' }, (request) =>
    isAboutKey(request) ? [status, { detail: 'No.' }] : [200, page([])],
  );
  expect(asked).toHaveLength(requests);
  expect(projects.get('A')?.current).toHaveProperty('failure');
  expect(projects.get('A')?.flag).toEqual(requests === 1 ? undefined : { value: null });
});

const flags = (amount: number, own: object): object[] =>
  Array.from({ length: amount }, (_, id) => ({ id, key: `f${id}`, filters: {}, ...own }));
const [LOCKED, OPEN] = [{ can_edit: false }, { can_edit: true }];

test.each<[string, readonly object[], number | undefined]>([
  ['no flag', [], undefined],
  ['a flag that does not say who may edit it', flags(1, {}), undefined],
  ['two that only others may edit', flags(2, LOCKED), 2],
  ['one of these and one of its own', [...flags(1, LOCKED), ...flags(1, OPEN)], undefined],
  ['its own flag after a hundred of others', [...flags(100, LOCKED), ...flags(1, OPEN)], 100],
])('the owner of the key sees %s', async (_, all, readOnly) => {
  const { projects } = await probe({ A: 'phx_one_one_one' }, (request) => [200, isAboutKey(request) ? KEY : page(all)]);
  expect(projects.get('A')?.readOnly).toBe(readOnly);
});

test('flags that cannot be read are a failure of the project and not of the host', async () => {
  const { projects, hosts } = await probe({ A: 'phx_one_one_one' }, (request) =>
    isAboutKey(request) ? [200, KEY] : [403, { detail: 'No.' }],
  );
  expect(projects.get('A')?.flag).toMatchObject({ failure: { kind: 'forbidden' } });
  expect([...hosts.values()].map(({ failure }) => failure)).toEqual([undefined]);
});
