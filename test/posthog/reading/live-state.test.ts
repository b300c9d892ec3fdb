/** What a run reads of the service: everything that it needs, in as few requests as possible. */

import { describe, expect, test } from 'vitest';
import type { RoleAccessEntry } from '../../../src/posthog/role-access/access.ts';
import type { JsonObject } from '../../../src/base/json.ts';
import { findFlag } from '../../../src/posthog/flag/find-traces.ts';
import { readLiveState } from '../../../src/posthog/reading/live-state.ts';
import { type LiveSelection, selectionOf } from '../../../src/posthog/live-selection.ts';
import { declared, desiredState, retired } from '../../helpers/states.ts';
import { clientFor, failureOf } from '../client/support/client.ts';
import { serve, type Reply, type TestServer } from '../client/support/server.ts';

const FLAGS = '/api/projects/1/feature_flags/';

interface Held {
  /** The flags of an unfiltered list. */
  readonly listed?: readonly JsonObject[];
  readonly archived?: readonly JsonObject[];
  /** Found one by one. */
  readonly single?: readonly JsonObject[];
  readonly roles?: Readonly<Record<string, readonly string[]>>;
  readonly failing?: Readonly<Record<string, Reply>>;
}

function hold({ listed = [], archived = [], single = [], roles = {}, failing = {} }: Held): Promise<TestServer> {
  const page = (results: readonly JsonObject[]): Reply => ({ body: { count: results.length, next: null, results } });
  return serve(({ url }) => {
    const rest = url.slice(FLAGS.length);
    const refused = failing[rest];
    if (refused !== undefined) return refused;
    if (rest.startsWith('?')) return page(rest.includes('archived=true') ? archived : listed);
    const [id = '', kind] = rest.split('/');
    if (kind === 'role_access') {
      return page((roles[id] ?? []).map((role, index) => ({ id: index + 1, role: { id: role } })));
    }
    const flag = single.find((candidate) => candidate['id'] === Number(id));
    return flag === undefined ? { status: 404, body: { detail: 'Not found.' } } : { body: flag };
  });
}

async function read(held: Held, wanted: LiveSelection) {
  const { host, seen } = await hold(held);
  const live = await readLiveState(clientFor(host), wanted);
  return {
    keys: live.flags.map(({ key }) => key),
    roles: Object.fromEntries(
      Object.entries(live.roleAccess).map(([id, list]) => [
        id,
        (list as readonly RoleAccessEntry[]).map(({ role }) => role.id),
      ]),
    ),
    asked: seen.map(({ url }) => url.slice(FLAGS.length)).sort(),
  };
}

const LIST = '?limit=500';
const ARCHIVE = '?archived=true&limit=500';
const flag = (id: number, key: string, fields: JsonObject = {}): JsonObject => ({
  id,
  key,
  archived: false,
  ...fields,
});

test('wanted state has every key that manifests name', () => {
  const desired = desiredState(
    declared('a', {}, { previousKeys: ['old-a'], roles: [] }),
    declared('b', {}),
    retired('c'),
  );
  expect(selectionOf(desired)).toEqual({
    flags: { keys: ['a', 'old-a', 'b', 'c'], ids: [], declared: desired.flags },
    roleAccess: {
      keys: ['a', 'old-a'],
      ids: [],
      declared: [],
      expected: [{ keys: ['a', 'old-a'], roles: [] }],
      organization: true,
    },
  });
});

describe('archived flags', () => {
  const listed = [flag(1, 'a')];
  const archived = [
    flag(2, 'b', { archived: true }),
    flag(3, 'c', { archived: true }),
    flag(4, 'a', { archived: true }),
  ];

  test.each<[string, Held, string[], { keys: string[]; asked: string[] }]>([
    ['are not requested when every wanted key is listed', { listed, archived }, ['a'], { keys: ['a'], asked: [LIST] }],
    ['are not requested when nothing is wanted', { listed, archived }, [], { keys: ['a'], asked: [LIST] }],
    [
      'are read when a wanted key is not listed, and only wanted ones are used',
      { listed, archived },
      ['a', 'b', 'z'],
      { keys: ['a', 'b'], asked: [ARCHIVE, LIST] },
    ],
    ['are read even when no flag is listed', { archived }, ['b'], { keys: ['b'], asked: [ARCHIVE, LIST] }],
    [
      'do not exist in services whose flags lack the field',
      { listed: [{ id: 1, key: 'a' }], archived },
      ['b'],
      { keys: ['a'], asked: [LIST] },
    ],
  ])('%s', async (_name, held, keys, expected) => {
    expect(await read(held, { flags: { keys } })).toMatchObject(expected);
  });
});

test('flags that are wanted by id are read one by one when they are not listed', async () => {
  const gone = flag(9, 'gone', { deleted: true });
  expect(await read({ listed: [flag(1, 'a')], single: [gone] }, { flags: { ids: [1, 9, 10] } })).toMatchObject({
    keys: ['a', 'gone'],
    asked: ['10/', '9/', LIST],
  });
});

describe('role access', () => {
  const held: Held = {
    listed: [flag(1, 'a'), flag(2, 'b'), flag(3, 'c')],
    archived: [flag(4, 'd', { archived: true })],
    roles: { 1: ['r1', 'r2'], 2: ['r3'], 3: ['r4'] },
  };

  test('is read for the flags that are named by key or id, with one request each', async () => {
    const { roles, asked } = await read(held, {
      flags: { keys: ['d'] },
      roleAccess: { keys: ['a', 'd', 'z'], ids: [3] },
    });
    expect(roles).toEqual({ 1: ['r1', 'r2'], 3: ['r4'], 4: [] });
    expect(asked).toEqual(['1/role_access/', '3/role_access/', '4/role_access/', ARCHIVE, LIST]);
  });

  test('that cannot be read fails the run and names the flag', async () => {
    const { host } = await hold({ ...held, failing: { '2/role_access/': { status: 403, body: { detail: 'No.' } } } });
    const error = await failureOf(readLiveState(clientFor(host), { flags: {}, roleAccess: { keys: ['b'] } }));
    expect(error).toMatchObject({ failure: { kind: 'forbidden' }, operation: 'listRoleAccess', flag: 'b' });
  });
});

test('the list is requested before the wanted state is known', async () => {
  const { host, seen } = await hold({ listed: [flag(1, 'a')] });
  let tell: (wanted: LiveSelection) => void = () => undefined;
  const wanted = new Promise<LiveSelection>((resolve) => (tell = resolve));
  const reading = readLiveState(clientFor(host), wanted);
  await expect.poll(() => seen.length).toBe(1);
  tell({ flags: { keys: ['a'] } });
  expect((await reading).flags).toHaveLength(1);
});

describe('one flag by id', () => {
  test('that does not exist is undefined', async () => {
    const { host } = await hold({ single: [flag(7, 'a')] });
    expect(await findFlag(clientFor(host), 7)).toMatchObject({ key: 'a' });
    expect(await findFlag(clientFor(host), 8)).toBeUndefined();
  });

  test('that cannot be read is an error', async () => {
    const { host } = await hold({ failing: { '7/': { status: 403, body: { detail: 'No.' } } } });
    expect(await failureOf(findFlag(clientFor(host), 7))).toMatchObject({ failure: { kind: 'forbidden' } });
  });
});
