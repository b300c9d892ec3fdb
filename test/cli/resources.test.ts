/** The commands on flags, role access and persons, against services of both generations. */

import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { runCli, type Ran, type RunOptions } from '../helpers/run.ts';
import { createWorkspace } from '../helpers/workspace.ts';
import { serve, serveInTurn, type Reply, type SeenRequest, type TestServer } from '../posthog/client/support/server.ts';

const KEY = 'phx_planted_key_0123456789';
const UUID = '0188a2d0-7b3c-7e61-9f61-2f6f2f6a1c11';
const ADA = {
  id: 7,
  uuid: UUID,
  name: 'Ada',
  distinct_ids: ['a', 'b'],
  properties: { plan: 'pro' },
  created_at: '2026-03-01T09:30:00Z',
};
const FLAG = { id: 12, key: 'new-checkout', name: 'One page', active: true, filters: { groups: [] } };
const ENTRY = { id: 3, role: { id: UUID, name: 'engineering' }, added_at: '2026-03-01' };
const ACTIVITY = {
  results: [{ created_at: '2026', user: { email: 'a@b' }, activity: 'updated', item_id: '12', detail: { name: 'x' } }],
  next: null,
};
const ONE_FLAG = { count: 1, next: null, previous: null, results: [FLAG] };

async function runAt(host: string, argv: readonly string[], options: Partial<RunOptions> = {}): Promise<Ran> {
  const cwd = options.cwd ?? createWorkspace().root;
  const env = { POSTHOG_HOST: host, POSTHOG_PROJECT_ID: '1', POSTHOG_API_KEY: KEY, ...options.env };
  const ran = await runCli(argv, { ...options, cwd, env });
  expect(ran.stdout + ran.stderr).not.toContain(KEY);
  return ran;
}

async function answered(body: unknown, argv: readonly string[], options: Partial<RunOptions> = {}) {
  const server = await serveInTurn({ body });
  return { ...(await runAt(server.host, argv, options)), seen: server.seen };
}

const requests = (seen: readonly SeenRequest[]): string[] =>
  seen.map(
    ({ method, url, body }) => `${method} ${url.replace('/api/projects/1', '')}${body === '' ? '' : ` ${body}`}`,
  );

/** Command, response of the service, request, table on stdout. */
const READS: readonly (readonly [string, unknown, string, string])[] = [
  [
    'flags list',
    ONE_FLAG,
    'GET /feature_flags/?limit=100&offset=0',
    'new-checkout: off, nobody: it has no condition\n  One page\n',
  ],
  [
    'flags list --limit 5 --search check --active',
    ONE_FLAG,
    'GET /feature_flags/?search=check&active=true&limit=100&offset=0',
    'new-checkout: off, nobody: it has no condition\n  One page\n',
  ],
  ['flags get 12', FLAG, 'GET /feature_flags/12/', 'new-checkout  id 12 · active\nOne page\n\nConditions\n  none\n'],
  [
    'flags activity',
    ACTIVITY,
    'GET /feature_flags/activity/?limit=100&page=1',
    '2026  x  updated\n  the log names no change\n',
  ],
  [
    'flags activity 12 -n 5',
    ACTIVITY,
    'GET /feature_flags/12/activity/?limit=5&page=1',
    '2026  x  updated\n  the log names no change\n',
  ],
  [
    'flags evaluation-reasons u --group company=acme',
    { a: { value: 'blue', evaluation: { reason: 'condition_match', condition_index: 1 } } },
    'GET /feature_flags/evaluation_reasons/?distinct_id=u&groups=%7B%22company%22%3A%22acme%22%7D',
    'flag  value  reason           condition_index\na     blue   condition_match  1\n',
  ],
  [
    'flags mine',
    [{ feature_flag: FLAG, value: true }],
    'GET /feature_flags/my_flags/',
    'feature_flag.key  value\nnew-checkout      true\n',
  ],
  [
    'flags blast-radius --condition {"rollout_percentage":50}',
    { users_affected: 12, total_users: 340 },
    'POST /feature_flags/user_blast_radius/ {"condition":{"rollout_percentage":50},"group_type_index":null}',
    'affected  12\ntotal     340\n',
  ],
  [
    'role-access list 12',
    { access_controls: [{ access_level: 'viewer', role: null, organization_member: null }] },
    'GET /feature_flags/12/access_controls/',
    'subject   access_level  role.name  role.id  id\neveryone  viewer\n',
  ],
  [
    'role-access get 12 3',
    ENTRY,
    'GET /feature_flags/12/role_access/3/',
    `id        3\nrole      {"id":"${UUID}","name":"engineering"}\nadded_at  2026-03-01\n`,
  ],
  [
    'persons list',
    { next: null, results: [ADA] },
    'GET /persons/?limit=100&offset=0',
    'id  name  distinct_ids  created_at\n7   Ada   a, b          2026-03-01T09:30:00Z\n',
  ],
  [
    'persons list --distinct-id a --email e@x --search s --property plan=pro --property n=5 --all --columns id,properties.plan',
    { next: null, results: [ADA] },
    `GET /persons/?distinct_id=a&email=e%40x&search=s&properties=${encodeURIComponent('[{"key":"plan","value":"pro","operator":"exact","type":"person"},{"key":"n","value":5,"operator":"exact","type":"person"}]')}&limit=1000&offset=0`,
    'id  properties.plan\n7   pro\n',
  ],
  [
    'persons get 7',
    ADA,
    'GET /persons/7/',
    `id            7\nuuid          ${UUID}\nname          Ada\ndistinct_ids  a, b\nproperties    {"plan":"pro"}\ncreated_at    2026-03-01T09:30:00Z\n`,
  ],
  [
    'persons activity',
    ACTIVITY,
    'GET /persons/activity/?limit=100&page=1',
    'created_at  user.email  activity  item_id  detail.name\n2026        a@b         updated   12       x\n',
  ],
  [
    `persons activity ${UUID.toUpperCase()}`,
    ACTIVITY,
    `GET /persons/${UUID}/activity/?limit=100&page=1`,
    'created_at  user.email  activity  item_id  detail.name\n2026        a@b         updated   12       x\n',
  ],
  [
    'persons timeline 7',
    { points: [], crossed_over: false },
    'GET /persons/7/properties_timeline/',
    'points\ncrossed_over  false\n',
  ],
  [
    'persons cohorts 7',
    { results: [{ id: 42, name: 'Beta', count: 3 }] },
    'GET /persons/cohorts/?person_id=7',
    'id  name  count\n42  Beta  3\n',
  ],
  [
    'persons values plan pr',
    [{ name: 'pro', count: 3 }],
    'GET /persons/values/?key=plan&value=pr',
    'name  count\npro   3\n',
  ],
  ['persons properties', [{ name: 'plan', count: 3 }], 'GET /persons/properties/', 'name  count\nplan  3\n'],
  [
    'persons funnel --param funnel_step=2',
    { results: [{ people: [ADA], count: 1 }], next: null },
    'GET /persons/funnel/?limit=100&funnel_step=2',
    'id  name  distinct_ids  created_at\n7   Ada   a, b          2026-03-01T09:30:00Z\n',
  ],
  [
    'persons funnel --post --param events=[{"id":"paid"}]',
    { results: [] },
    'POST /persons/funnel/?limit=100 {"events":[{"id":"paid"}]}',
    'id  name  distinct_ids  created_at\n',
  ],
  [
    'persons funnel-correlation',
    { results: [] },
    'GET /persons/funnel/correlation/?limit=100',
    'id  name  distinct_ids  created_at\n',
  ],
  [
    'persons funnel-correlation --post',
    { results: [] },
    'POST /persons/funnel/correlation/?limit=100 {}',
    'id  name  distinct_ids  created_at\n',
  ],
  ['persons path', { results: [] }, 'GET /persons/path/?limit=100', 'id  name  distinct_ids  created_at\n'],
  ['persons path --post', { results: [] }, 'POST /persons/path/?limit=100 {}', 'id  name  distinct_ids  created_at\n'],
  [
    'persons lifecycle --param lifecycle_type=new',
    { results: [{ people: [ADA], count: 1 }] },
    'GET /persons/lifecycle/?limit=100&lifecycle_type=new',
    'id  name  distinct_ids  created_at\n7   Ada   a, b          2026-03-01T09:30:00Z\n',
  ],
  [
    'persons retention',
    { result: [{ person: ADA, appearances: [1, 0] }] },
    'GET /persons/retention/?limit=100',
    'person.id  person.name  person.distinct_ids  appearances\n7          Ada          a, b                 1, 0\n',
  ],
  ['persons stickiness', { results: [] }, 'GET /persons/stickiness/?limit=100', 'id  name  distinct_ids  created_at\n'],
  [
    'persons trends',
    ADA,
    'GET /persons/trends/?limit=100',
    'id  name  distinct_ids  created_at\n7   Ada   a, b          2026-03-01T09:30:00Z\n',
  ],
];

test.each(READS)('%s', async (line, body, request, stdout) => {
  const ran = await answered(body, line.split(' '));
  expect([ran.code, ran.stderr]).toEqual([0, '']);
  expect(ran.stdout).toBe(stdout);
  expect(requests(ran.seen)).toEqual([request]);
});

const DOCUMENTED: Reply = { body: ADA };
const SUCCESS: Reply = { status: 201, body: { success: true } };

/** Command, request, responses of the contract and of the real service, and the text after each. */
const WRITES: readonly (readonly [string, string, readonly [Reply, string], readonly [Reply, string]])[] = [
  [
    'persons update 7 --set plan=pro --set seats=3',
    'PATCH /persons/7/ {"properties":{"plan":"pro","seats":3}}',
    [DOCUMENTED, 'Updated person 7.\n'],
    [{ status: 202 }, 'Accepted; the service will complete it shortly.\n'],
  ],
  [
    'persons split 7 --main-distinct-id a --yes',
    'POST /persons/7/split/ {"main_distinct_id":"a"}',
    [DOCUMENTED, 'Split person 7.\n'],
    [SUCCESS, 'Accepted; the service will complete it shortly.\n'],
  ],
  [
    'persons set-property 7 plan pro',
    'POST /persons/7/update_property/?key=plan&value=pro {"key":"plan","value":"pro"}',
    [DOCUMENTED, 'Updated person 7.\n'],
    [{ status: 202 }, 'Accepted; the service will complete it shortly.\n'],
  ],
  [
    'persons set-property 7 seats 3',
    'POST /persons/7/update_property/?key=seats&value=3 {"key":"seats","value":3}',
    [DOCUMENTED, 'Updated person 7.\n'],
    [{ status: 202 }, 'Accepted; the service will complete it shortly.\n'],
  ],
  [
    'persons unset-property 7 plan',
    'POST /persons/7/delete_property/?%24unset=plan {"$unset":"plan"}',
    [DOCUMENTED, 'Updated person 7.\n'],
    [SUCCESS, 'Accepted; the service will complete it shortly.\n'],
  ],
  [
    'persons delete 7 --yes',
    'DELETE /persons/7/',
    [{ status: 204 }, 'Deleted person 7.\n'],
    [{ status: 202 }, 'Deleted person 7.\n'],
  ],
  [
    'persons delete 7 --delete-events -y',
    'DELETE /persons/7/?delete_events=true',
    [{ status: 204 }, 'Deleted person 7.\n'],
    [{ status: 202 }, 'Deleted person 7.\n'],
  ],
];

describe.each(WRITES)('%s', (line, request, documented, real) => {
  test.each([
    ['the document', ...documented],
    ['the real service', ...real],
  ] as const)('answered as %s', async (_source, reply, said) => {
    const { host, seen } = await serveInTurn(reply);
    const ran = await runAt(host, line.split(' '));
    expect([ran.code, ran.stdout, ran.stderr]).toEqual([0, said, '']);
    expect(requests(seen)).toEqual([request]);
  });
});

describe('flags local-evaluation', () => {
  const definitions: Reply = { body: { flags: [FLAG], group_type_mapping: {} } };
  const table = 'id  key           active  name\n12  new-checkout  true    One page\n';
  const project: Reply = { body: { id: 1, api_token: 'phc_7' } };
  const old = 'GET /feature_flags/local_evaluation/';

  test.each<[string, Reply, Reply, readonly string[]]>([
    ['today', project, definitions, []],
    ['of 2023', project, { status: 404, body: {} }, [old]],
    ['of 2023 that takes the path for a page', project, { status: 302, headers: { location: '/login?next=/' } }, [old]],
    ['that tells no token', { body: { id: 1 } }, definitions, [old]],
  ])('of a service %s', async (_name, projectReply, today, further) => {
    const { host, seen } = await serve(({ url }) => {
      if (url.startsWith('/flags/definitions')) return today;
      return url.includes('local_evaluation') ? definitions : projectReply;
    });
    expect(await runAt(host, ['flags', 'local-evaluation'])).toMatchObject({ code: 0, stdout: table });
    expect(requests(seen).filter((request) => !request.includes('/flags/definitions'))).toEqual(['GET /', ...further]);
  });

  test('a key that may not read the project is told of the scope', async () => {
    const { host } = await serve(() => ({ status: 403, body: { detail: 'scope' } }));
    expect(await runAt(host, ['flags', 'local-evaluation'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('needs the scope project:read too') as string,
    });
  });
});

describe('a host that asks for a login', () => {
  test.each([
    ['with a page', '/login?next=/', { body: '<html>', headers: { 'content-type': 'text/html' } }],
    ['with a page that is missing', '/login?next=/', { status: 404, body: 'no' }],
    ['that refuses', '/accounts/sign_in', { status: 401, body: { detail: 'no' } }],
    ['elsewhere', 'https://sso.example.com/login?next=/', { body: '' }],
  ] as const)('%s: the API key and the project are not blamed', async (_name, location, reply) => {
    const { host, seen } = await serve(({ url }) =>
      url.startsWith('/api/') ? { status: 302, headers: { location } } : reply,
    );
    const ran = await runAt(host, ['flags', 'list']);
    expect(ran.code).toBe(1);
    expect(ran.stderr).toBe(
      `error  ${host} redirects (302) to a login page: ${location} (GET /api/projects/1/feature_flags/).\n` +
        '  → The API never asks for a login, so something else answered; the API key is not the cause. ' +
        'Check the host and its path (host in flagwright.yaml, or POSTHOG_HOST). ' +
        'If a proxy in front of the service asks for the login, let requests to /api/ pass.\n',
    );
    expect(seen).toHaveLength(1);
  });
});

describe('persons create', () => {
  const argv = ['persons', 'create', '--set', 'plan=pro', '--properties', '{"n": 1}'];
  test('on a service that follows the contract', async () => {
    const { code, stdout, seen } = await answered(ADA, argv);
    expect([code, stdout]).toEqual([0, 'Created person 7.\n']);
    expect(requests(seen)).toEqual(['POST /persons/ {"properties":{"n":1,"plan":"pro"}}']);
  });

  test('on a service that creates persons from events', async () => {
    const { host } = await serveInTurn({ status: 405, body: { code: 'method_not_allowed', detail: 'No POST.' } });
    const { code, stderr } = await runAt(host, argv);
    expect(code).toBe(1);
    expect(stderr).toMatch(/method_not_allowed.*\n.*creates persons from events/);
  });
});

describe('formats', () => {
  const body = {
    next: null,
    results: [
      { id: 7, name: '=1+1', note: '\u009b2J' },
      { id: 8, name: 'Bob' },
    ],
  };
  test.each([
    ['table', 'id  name\n7   =1+1\n8   Bob\n'],
    ['text', 'id  name\n7   =1+1\n8   Bob\n'],
    ['csv', "id,name\r\n7,'=1+1\r\n8,Bob\r\n"],
    ['jsonl', '{"id":7,"name":"=1+1","note":"\\u009b2J"}\n{"id":8,"name":"Bob"}\n'],
  ])('%s', async (format, expected) => {
    const { code, stdout } = await answered(body, ['persons', 'list', '-f', format, '--columns', 'id, name']);
    expect([code, stdout]).toEqual([0, expected]);
  });

  test('json is an array', async () => {
    const { stdout } = await answered(body, ['persons', 'list', '--format', 'json']);
    expect(JSON.parse(stdout)).toEqual(body.results);
  });

  test('json of a response that is not a list is the response', async () => {
    const answer = { a: { value: true, evaluation: { reason: 'x', condition_index: null } } };
    const { stdout } = await answered(answer, ['flags', 'evaluation-reasons', 'u', '-f', 'json']);
    expect(JSON.parse(stdout)).toEqual(answer);
  });

  test.each([
    ['json', `${JSON.stringify(ADA, null, 2)}\n`],
    ['jsonl', `${JSON.stringify(ADA)}\n`],
    [
      'csv',
      `id,uuid,name,distinct_ids,properties,created_at\r\n7,${UUID},Ada,"[""a"",""b""]","{""plan"":""pro""}",2026-03-01T09:30:00Z\r\n`,
    ],
  ])('one record as %s', async (format, expected) => {
    expect((await answered(ADA, ['persons', 'get', '7', '-f', format])).stdout).toBe(expected);
  });

  test.each([
    ['json', '{\n  "id": 7,\n  "accepted": true\n}\n'],
    ['jsonl', '{"id":7,"accepted":true}\n'],
    ['csv', 'id,accepted\r\n7,true\r\n'],
  ])('an asynchronous write as %s', async (format, expected) => {
    const { host } = await serveInTurn({ status: 202 });
    expect((await runAt(host, ['persons', 'update', '7', '--set', 'a=1', '-f', format])).stdout).toBe(expected);
  });

  test.each(['csv', 'jsonl', 'table', 'json'])('%s in a file is complete, and stdout is empty', async (format) => {
    const { root, read } = createWorkspace();
    const { stdout, code } = await answered(body, ['persons', 'list', '-f', format, '-o', 'out.txt'], { cwd: root });
    expect([code, stdout]).toEqual([0, '']);
    expect(read('out.txt')).toContain('Bob');
    expect(readdirSync(root)).toEqual(['out.txt']);
  });

  test.each(['csv', 'jsonl', 'table'])('plan has no %s', async (format) => {
    const { code, stderr, seen } = await answered({}, ['plan', '-f', format]);
    expect([code, seen]).toEqual([1, []]);
    expect(stderr).toContain(`plan has no --format ${format}; use text or json or markdown or`);
  });
});

/** Persons 1 to `count`, and a failure at `failAt`. */
function servePersons(count: number, failAt = Infinity): Promise<TestServer> {
  return serve(({ url }) => {
    const query = new URL(url, 'http://localhost').searchParams;
    const [limit, offset] = [Number(query.get('limit')), Number(query.get('offset'))];
    if (offset >= failAt) return { status: 403, body: { detail: 'enough' } };
    const length = Math.max(0, Math.min(limit, count - offset));
    const results = Array.from({ length }, (_, index) => ({
      id: offset + index + 1,
      name: `person ${offset + index + 1}`,
    }));
    return { body: { next: length < limit ? null : `?limit=${limit}&offset=${offset + limit}`, results } };
  });
}

describe('paging', () => {
  test.each([
    [['-n', '10'], 10, ['limit=10&offset=0'], true],
    [['--limit', '2500'], 2500, ['limit=1000&offset=0', 'limit=1000&offset=1000', 'limit=1000&offset=2000'], true],
    [['--all'], 2700, ['limit=1000&offset=0', 'limit=1000&offset=1000', 'limit=1000&offset=2000'], false],
    [[], 100, ['limit=100&offset=0'], true],
  ] as const)('persons list %j asks for no more than that', async (options, count, queries, cut) => {
    const { host, seen } = await servePersons(2700);
    const { stdout, stderr } = await runAt(host, ['persons', 'list', '-f', 'jsonl', ...options]);
    expect(stdout.trimEnd().split('\n')).toHaveLength(count);
    expect(seen.map(({ url }) => url.split('?')[1])).toEqual(queries);
    expect(stderr.includes(`Stopped after ${count}`)).toBe(cut);
  });

  test('activity is paged by page number', async () => {
    const page = (id: number, next: string | null): Reply => ({ body: { results: [{ id }], next, total_count: 2 } });
    const { host, seen } = await serveInTurn(page(1, 'http://x/?page=2'), page(2, null));
    expect((await runAt(host, ['persons', 'activity', '--all', '-f', 'jsonl'])).stdout).toBe('{"id":1}\n{"id":2}\n');
    expect(requests(seen)).toEqual([
      'GET /persons/activity/?limit=100&page=1',
      'GET /persons/activity/?limit=100&page=2',
    ]);
  });

  test('analyses follow the offset of the next page', async () => {
    const { host, seen } = await serveInTurn(
      { body: { results: [{ people: [{ id: 1 }], count: 1 }], next: 'http://x/?offset=1&limit=1' } },
      { body: { results: [{ people: [{ id: 2 }], count: 1 }], next: null } },
    );
    const { stdout } = await runAt(host, ['persons', 'funnel', '--post', '--param', 'a=b', '--all', '-f', 'jsonl']);
    expect(stdout).toBe('{"id":1}\n{"id":2}\n');
    expect(requests(seen)).toEqual([
      'POST /persons/funnel/?limit=1000 {"a":"b"}',
      'POST /persons/funnel/?limit=1&offset=1 {"a":"b"}',
    ]);
  });

  test('a failure halfway leaves entries on stdout and exits with 1', async () => {
    const { host } = await servePersons(2700, 2000);
    const { code, stdout, stderr } = await runAt(host, ['persons', 'list', '--all', '-f', 'csv']);
    expect(code).toBe(1);
    expect(stdout).toContain('\r\n1000,');
    expect(stderr).toContain('person:read');
    expect(stderr).toContain('Incomplete: 2000 entries printed');
  });

  test.each(['csv', 'jsonl'])(
    'a failure of the first request: nothing was printed, and nothing is incomplete (%s)',
    async (format) => {
      const { host } = await serveInTurn({ status: 403, body: { detail: 'No.' } });
      const { stdout, stderr } = await runAt(host, ['persons', 'list', '-f', format]);
      expect([stdout, stderr]).toEqual(['', expect.not.stringContaining('Incomplete')]);
    },
  );

  test.each(['persons list', 'persons trends'])('%s as csv contains whole persons', async (line) => {
    const { stdout } = await answered({ next: null, results: line.endsWith('list') ? [ADA] : [{ people: [ADA] }] }, [
      ...line.split(' '),
      '-f',
      'csv',
    ]);
    expect(stdout.split('\r\n')).toEqual([
      'id,name,distinct_ids,properties,created_at,uuid',
      `7,Ada,"[""a"",""b""]","{""plan"":""pro""}",2026-03-01T09:30:00Z,${UUID}`,
      '',
    ]);
  });

  test('a failure halfway leaves no partial file', async () => {
    const { host } = await servePersons(2700, 2000);
    const { root } = createWorkspace();
    expect((await runAt(host, ['persons', 'list', '--all', '-f', 'csv', '-o', 'out.csv'], { cwd: root })).code).toBe(1);
    expect(readdirSync(root)).toEqual([]);
  });

  test('a failure in json is a document', async () => {
    const { host } = await servePersons(2700, 2000);
    const { document } = await runAt(host, ['persons', 'list', '--all', '-f', 'json']);
    expect(document()).toMatchObject({ error: { code: 'forbidden' } });
  });
});

describe('a flag by its key', () => {
  test('on a service that filters', async () => {
    const { seen, code } = await answered(ONE_FLAG, ['flags', 'activity', 'new-checkout'], {});
    expect(code).toBe(0);
    expect(requests(seen)).toEqual([
      'GET /feature_flags/?key=new-checkout&limit=500&offset=0',
      'GET /feature_flags/12/activity/?limit=100&page=1',
    ]);
  });

  test('on a service that does not filter, is found on a later page, and no further page is read', async () => {
    const { host, seen } = await serve(({ url }) => {
      const offset = Number(new URL(url, 'http://localhost').searchParams.get('offset'));
      return {
        body: {
          count: 400,
          next: `?limit=100&offset=${offset + 100}`,
          results: [{ ...FLAG, id: offset, key: `k${offset}` }],
        },
      };
    });
    const { stdout } = await runAt(host, ['flags', 'get', 'k200', '-f', 'json']);
    expect(JSON.parse(stdout)).toMatchObject({ id: 200 });
    expect(seen).toHaveLength(3);
  });

  test('is found if it is archived', async () => {
    const { host } = await serve(({ url }) => ({
      body: { count: 0, next: null, results: url.includes('archived=true') ? [FLAG] : [] },
    }));
    expect((await runAt(host, ['flags', 'get', 'new-checkout'])).code).toBe(0);
  });

  test('is an error if it does not exist', async () => {
    const { code, stderr } = await answered({ ...ONE_FLAG, results: [] }, ['flags', 'get', 'nothing']);
    expect(code).toBe(1);
    expect(stderr).toContain('lists no flag with the key nothing');
  });
});

test('an order by a field that no flag has is refused', async () => {
  const { code, stdout, stderr } = await answered(ONE_FLAG, ['flags', 'list', '--order', 'kye']);
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toContain("No flag has a field 'kye'");
});

describe('deleting', () => {
  test('needs --yes without a terminal', async () => {
    const { code, stderr, seen } = await answered({}, ['persons', 'delete', '7']);
    expect([code, seen]).toEqual([4, []]);
    expect(stderr).toMatch(/Confirmation needs a terminal.*\n.*--yes/);
  });

  test.each([
    ['yes', 0, 1],
    ['y', 4, 0],
    ['', 4, 0],
    [undefined, 4, 0],
  ])('asks on a terminal; the answer %j exits with %i', async (line, code, sent) => {
    const { host, seen } = await serveInTurn({ status: 204 });
    const ran = await runAt(host, ['persons', 'delete', '7', '--delete-events'], { answer: { line } });
    expect(ran.stderr).toContain('Delete person 7 and all its events?');
    expect([ran.code, seen.length]).toEqual([code, sent]);
  });
});

describe('splitting', () => {
  test.each([
    [['persons', 'split', '7'], /All its properties are lost/],
    [['persons', 'split', '7', '--main-distinct-id', 'a'], /Only a keeps the properties/],
  ])('%j is sent only after the user confirms the loss', async (argv, lost) => {
    const alone = await answered({}, argv);
    expect([alone.code, alone.seen]).toEqual([4, []]);
    expect(alone.stderr).toMatch(lost);
    const { host, seen } = await serveInTurn({ status: 201, body: { success: true } });
    const refused = await runAt(host, argv, { answer: { line: 'no' } });
    expect([refused.code, seen]).toEqual([4, []]);
    const agreed = await runAt(host, argv, { answer: { line: 'yes' } });
    expect(agreed.stderr).toMatch(lost);
    expect([agreed.code, seen.length]).toEqual([0, 1]);
  });
});

describe('what is done elsewhere', () => {
  test.each([
    'flags create --name x',
    'flags update new-checkout --active false',
    'flags delete 12',
    'role-access create 12',
    'role-access delete 12 3',
    'role-access grant',
    'role-access revoke',
  ])('%s', async (line) => {
    const { code, stdout, stderr, seen } = await answered({}, line.split(' '));
    expect([code, stdout, seen]).toEqual([1, '', []]);
    expect(stderr).toMatch(/The command '.*' does not exist\.\n.*flagwright plan, flagwright apply\./);
  });

  test.each(['flags', 'role-access'])('%s --help names the command', async (group) => {
    const { stdout } = await runAt('http://127.0.0.1:9', [group, '--help']);
    expect(stdout.replace(/\s+/g, ' ')).toContain('use plan and apply');
    expect(stdout).not.toMatch(/^ {2}(create|delete|grant)/m);
  });
});

describe('wrong command lines', () => {
  test.each([
    ['persons', 'A command is missing', 'flagwright persons --help'],
    ['persons get', "missing required argument 'id'", 'flagwright persons get --help'],
    ['persons get abc', 'number or the UUID', 'flagwright persons get --help'],
    ['persons get ../7', 'number or the UUID', 'flagwright persons get --help'],
    ['persons list --limit 0', 'whole number from 1', 'flagwright persons list --help'],
    ['persons list --properties {}', 'JSON array of objects', 'flagwright persons list --help'],
    ['persons update 7', 'No property to set', '--set NAME=VALUE'],
    ['persons update 7 --set x', 'NAME=VALUE', 'flagwright persons update --help'],
    ['persons update 7 --properties [1]', 'JSON object', 'flagwright persons update --help'],
    ['persons lifecycle --post', "unknown option '--post'", 'flagwright persons lifecycle --help'],
    ['flags blast-radius', "required option '--condition <json>'", 'flagwright flags blast-radius --help'],
    ['flags blast-radius --condition {', 'must be JSON', 'flagwright flags blast-radius --help'],
    ['role-access get 12 x', 'whole number', 'flagwright role-access get --help'],
    ['flags lisst', "unknown command 'lisst'", 'flagwright flags --help'],
  ])('%s', async (line, message, remedy) => {
    const { code, stderr, seen } = await answered({}, line.split(' '));
    expect([code, seen]).toEqual([1, []]);
    expect(stderr).toContain(message);
    expect(stderr).toContain(remedy);
  });
});

test.each([
  [
    'persons get 7',
    { status: 404, body: { detail: 'Not found.' } },
    /did not find the requested object: Not found\. \(GET/,
  ],
  ['persons get 7', { status: 403, body: { detail: 'missing' } }, /scope person:read/],
  ['flags activity', { status: 403, body: { detail: 'missing' } }, /scope feature_flag:read.*activity_log:read/],
  ['persons list', { status: 401, body: {} }, /does not accept the API key/],
] as const)('%s answered with an error', async (line, reply, words) => {
  const { host } = await serveInTurn(reply);
  const { code, stdout, stderr } = await runAt(host, line.split(' '));
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(words);
});
