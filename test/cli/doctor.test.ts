/** `doctor` against real services, good and bad; `doctor-built.test.ts` has what only the built command shows. */

// @module-tag untimely
import type { IncomingMessage, ServerResponse } from 'node:http';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/json.ts';
import { startBroken } from '../helpers/broken-service.ts';
import { cloneOf, createRepository, GIT_ENV } from '../helpers/repository.ts';
import { runCli } from '../helpers/run.ts';
import { schemaErrors } from '../helpers/schemas.ts';
import { createWorkspace } from '../helpers/workspace.ts';
import { openWorld } from '../helpers/world.ts';

const KEY = 'phx_doctors_own_key_0123456789';
const FLAG = { id: 1, key: 'a', active: true, filters: {}, user_access_level: 'editor' };
const ALL = { label: 'CI', scopes: ['*'], scoped_teams: [], scoped_organizations: [] };
const MANIFEST = 'flags: { a: { active: true } }\n';

interface Found {
  readonly section: string;
  readonly code: string;
  readonly status: string;
  readonly message: string;
  readonly project?: string;
  readonly remedy?: string;
  readonly facts: JsonObject;
  readonly file?: string;
  readonly line?: number;
}

interface Examined {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly found: readonly Found[];
  readonly of: (status: string) => string[];
  readonly values: readonly JsonObject[];
}

interface Circumstances {
  readonly env?: Readonly<Record<string, string>>;
  readonly argv?: readonly string[];
  readonly cwd?: string;
}

/** As a program reads it; what people read is checked to have no key by the helper. */
async function examine(
  files: Readonly<Record<string, string>>,
  { env = {}, argv = [], cwd }: Circumstances = {},
): Promise<Examined> {
  const folder = cwd ?? createWorkspace({ 'flags/a.yaml': MANIFEST, ...files }).root;
  const given = {
    cwd: folder,
    env: { PATH: process.env['PATH'] ?? '', HOME: folder, POSTHOG_API_KEY: KEY, ...env },
  };
  const ran = await runCli(['doctor', '-f', 'json', ...argv], given);
  const document = JSON.parse(ran.stdout) as {
    readonly results: readonly Found[];
    readonly values: readonly JsonObject[];
  };
  expect(schemaErrors('doctor', document)).toEqual([]);
  const { results: found, values } = document;
  return {
    ...ran,
    found,
    values,
    of: (status) => found.filter((one) => one.status === status).map(({ code }) => code),
  };
}

function configFor(url: string, id = '1'): Readonly<Record<string, string>> {
  return { 'flagwright.yaml': `projects:\n  main: { host: "${url}", project_id: "${id}" }\n` };
}

type Reply = (request: IncomingMessage, response: ServerResponse) => void;

/** A service that says this of its key. */
function saying(
  key: JsonObject,
  {
    flags = [FLAG],
    headers = {},
  }: { readonly flags?: readonly JsonObject[]; readonly headers?: Record<string, string> } = {},
): Reply {
  return (request, response) => {
    const isKey = request.url?.startsWith('/api/personal_api_keys/') === true;
    const body = isKey ? key : { count: flags.length, next: null, previous: null, results: flags };
    response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  };
}

function refusing(status: number, detail: string): Reply {
  return (_, response) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ detail }));
}

describe('against the embedded service', () => {
  test('nothing is wrong with a project of today, and no key is shown', async () => {
    const world = await openWorld('posthog', { flags: [{ key: 'a', active: true }] });
    const { code, found, of, values } = await examine(configFor(world.url));
    expect({ code, problems: of('problem'), warnings: of('warning') }).toEqual({ code: 0, problems: [], warnings: [] });
    const own = found.filter(({ project }) => project === 'main').map(({ code: each, facts }) => [each, facts['age']]);
    expect(own).toContainEqual(['project_answers', 'today']);
    expect(own.map(([each]) => each)).toContain('scopes_present');
    expect(values).toContainEqual({
      name: '/projects/main/host',
      value: world.url,
      from: 'file',
      ...{ file: 'flagwright.yaml', line: 2, column: 11 },
    });
    expect(values).toContainEqual({ name: '/limits/deletes', value: 5, from: 'default' });
  });

  test('a service of 2023 does not say what a key may do, which is said', async () => {
    const world = await openWorld('documented', { flags: [{ key: 'a', active: true }] });
    const { code, found } = await examine(configFor(world.url));
    expect(code).toBe(0);
    const own = found.filter(({ section }) => section === 'project');
    expect(own.map((one) => [one.code, one.status])).toEqual([
      ['project_answers', 'ok'],
      ['key_unknown', 'skipped'],
    ]);
    expect(own[0]?.facts).toMatchObject({ age: '2023' });
  });

  test('a project that the service does not know is a problem', async () => {
    const world = await openWorld('posthog');
    const { code, of } = await examine(configFor(world.url, '77'));
    expect({ code, problems: of('problem') }).toEqual({ code: 1, problems: ['project_unknown'] });
  });

  test('two names of one project are a warning, also where one of them is asked about', async () => {
    const { url } = await startBroken(saying(ALL));
    const files = {
      'flagwright.yaml': `projects:
  a: { host: "${url}", project_id: "1" }
  b: { host: "${url}/", project_id: "1" }
  c: { host: "${url}", project_id: "2" }
default_project: a
`,
    };
    const { of, found } = await examine(files);
    expect(of('warning')).toEqual(['project_shared', 'project_shared']);
    const messages = found.flatMap(({ code, message }) => (code === 'project_shared' ? [message] : []));
    expect(messages[0]).toContain('project 1 of the same host as project b, so an apply to one changes the other');
    expect((await examine(files, { argv: ['-p', 'b'] })).of('warning')).toEqual(['project_shared']);
  });

  test('each host is asked once for a key, and each project once', async () => {
    const asked: string[] = [];
    const world = await openWorld('posthog', undefined, { onRequest: ({ path: at }) => void asked.push(at) });
    const project = `{ host: "${world.url}", project_id: "1" }`;
    const { of } = await examine({
      'flagwright.yaml': `projects:\n  a: ${project}\n  b: ${project}\ndefault_project: a\n`,
    });
    expect(of('problem')).toEqual([]);
    expect(asked.map((at) => at.replace(/\?.*/, ''))).toEqual([
      '/api/personal_api_keys/@current/',
      '/api/projects/1/feature_flags/',
      '/api/projects/1/feature_flags/',
    ]);
  });
});

describe('keys', () => {
  test.each([
    ['expired', { ...ALL, expires_at: '2026-01-01T00:00:00Z' }, ['key_expires'], []],
    ['of another project', { ...ALL, scoped_teams: [7, 8] }, ['key_of_other_projects'], []],
    [
      'without a scope to read',
      { ...ALL, scopes: ['insight:read'] },
      ['scopes_missing'],
      ['scopes_missing', 'scopes_missing'],
    ],
    ['that may only read', { ...ALL, scopes: ['feature_flag:read', 'activity_log:read'] }, [], ['scopes_missing']],
    ['that may write, and so read', { ...ALL, scopes: ['feature_flag:write', 'activity_log:read'] }, [], []],
  ])('a key %s', async (_, key, problems, warnings) => {
    const { url } = await startBroken(saying(key));
    const { code, of } = await examine(configFor(url));
    expect({ code, problems: of('problem'), warnings: of('warning') }).toEqual({
      code: problems.length > 0 ? 1 : 0,
      problems,
      warnings,
    });
  });

  test('--for says whether a key without the scopes to write is a problem', async () => {
    const { url } = await startBroken(saying({ ...ALL, scopes: ['feature_flag:read', 'activity_log:read'] }));
    const [plan, apply] = [
      await examine(configFor(url), { argv: ['--for', 'plan'] }),
      await examine(configFor(url), { argv: ['--for', 'apply'] }),
    ];
    expect([plan.code, plan.of('warning'), apply.code, apply.of('problem')]).toEqual([0, [], 1, ['scopes_missing']]);
  });

  test('a key whose owner can edit no flag is said, whatever its scopes are', async () => {
    const locked = [1, 2].map((id) => ({ ...FLAG, id, key: `f${id}`, can_edit: false }));
    const { url } = await startBroken(saying(ALL, { flags: locked }));
    const files = configFor(url);
    const [plan, any, apply] = [
      await examine(files, { argv: ['--for', 'plan'] }),
      await examine(files),
      await examine(files, { argv: ['--for', 'apply'] }),
    ];
    expect([plan.of('warning'), any.of('warning')]).toEqual([[], ['key_cannot_edit']]);
    expect([apply.code, apply.of('problem')]).toEqual([1, ['key_cannot_edit']]);
    const one = await startBroken(saying(ALL, { flags: [...locked, { ...FLAG, id: 3, can_edit: true }] }));
    expect((await examine(configFor(one.url))).of('warning')).toEqual([]);
  });

  test('a key without the scope that a policy of another project asks for is a problem', async () => {
    const { url } = await startBroken(saying({ ...ALL, scopes: ['feature_flag:write'] }));
    const project = (id: string): string => `{ host: "${url}", project_id: "${id}" }`;
    const configuration = `projects: { staging: ${project('1')}, production: ${project('2')} }\ndefault_project: staging\n`;
    const rule = '{ rule: soaked, projects: [production], in: staging, for: 3d }';
    const without = await examine({ 'flagwright.yaml': configuration });
    expect([without.of('problem'), without.of('warning')]).toEqual([[], ['scopes_missing', 'scopes_missing']]);
    const { of, found } = await examine({ 'flagwright.yaml': `${configuration}policies: { rules: [${rule}] }\n` });
    expect([of('problem'), of('warning')]).toEqual([['scopes_missing'], ['scopes_missing']]);
    const [problem] = found.filter(({ status }) => status === 'problem');
    expect(problem).toMatchObject({ project: 'staging' });
    expect(problem?.message).toContain('lacks activity_log:read (a policy `soaked` asks');
  });

  test('the manifests say which scopes are needed', async () => {
    const { url } = await startBroken(saying({ ...ALL, scopes: ['feature_flag:write', 'activity_log:read'] }));
    const manifest = `cohorts: { beta: { name: Beta, filters: { properties: { type: OR, values: [] } } } }
early_access: { soon: { name: Soon, stage: beta, flag: a } }
flags: { a: { active: true, role_access: [] } }
`;
    const { found } = await examine({ ...configFor(url), 'flags/a.yaml': manifest });
    const missing = found
      .filter(({ code }) => code === 'scopes_missing')
      .map(({ status, message }) => `${status}: ${message}`);
    expect(found.filter(({ section, status }) => section === 'manifests' && status === 'problem')).toEqual([]);
    expect(missing).toEqual([
      'problem: the key lacks access_control:read (the manifests declare access to flags), cohort:read (the manifests declare cohorts), early_access_feature:read (the manifests declare early access features); plan, drift and apply fail without',
      'warning: the key lacks access_control:write (the manifests declare access to flags), cohort:write (the manifests declare cohorts), early_access_feature:write (the manifests declare early access features); apply, off and undo fail without; plan and drift do not need it',
      'warning: the key lacks organization:read (the names of roles), project:read (the names of roles), organization_member:read (access by member in few requests); reports know less without',
    ]);
  });

  test('a key that is refused is a problem of the key and not of the host', async () => {
    const { url } = await startBroken(refusing(401, `The key ${KEY} is revoked.`));
    const { code, found, of } = await examine(configFor(url));
    expect({ code, problems: of('problem') }).toEqual({ code: 1, problems: ['key_refused'] });
    expect(found.find((one) => one.code === 'host_answers')?.status).toBe('ok');
  });

  test.each([
    ['key_missing', ''],
    ['key_of_other_kind', 'phc_0123456789abcdefghij'],
    ['key_of_other_kind', 'phs_0123456789abcdefghij'],
    ['key_malformed', 'phx_with a space'],
  ])('%s is found without sending it, and the host is asked all the same', async (expected, key) => {
    const sent: (string | undefined)[] = [];
    const { url } = await startBroken((request, response) => {
      sent.push(request.headers.authorization);
      refusing(401, 'no')(request, response);
    });
    const { code, of, stdout } = await examine(configFor(url), { env: { POSTHOG_API_KEY: key, MAIN: key } });
    if (expected === 'key_missing') expect(of('problem')).toEqual([expected]);
    expect({ code, problems: of('problem'), sent }).toEqual({ code: 1, problems: [expected], sent: ['Bearer none'] });
    if (key !== '') expect(stdout).not.toContain(key);
  });
});

describe('hosts', () => {
  test('a host that refuses the connection is named once, and other checks continue', async () => {
    const { of, found, code } = await examine(configFor('http://127.0.0.1:9'));
    expect({ code, problems: of('problem') }).toEqual({ code: 1, problems: ['host_unreachable'] });
    expect(found.find(({ section }) => section === 'project')).toMatchObject({
      status: 'skipped',
      code: 'not_checked',
    });
    expect(found.map(({ section }) => section)).toContain('ci');
  });

  test('a proxy variable is named without what it has', async () => {
    const { of, stdout } = await examine(configFor('http://127.0.0.1:9'), {
      env: { HTTPS_PROXY: 'http://user:sesame@proxy.example:3128' },
    });
    expect(of('ok')).toContain('proxy_used');
    expect(stdout).not.toContain('sesame');
  });

  test.each<[string, Reply, string, number]>([
    [
      'a redirect to a login page elsewhere',
      (_, response) => response.writeHead(302, { location: 'https://login.example/' }).end(),
      'host_redirects',
      1,
    ],
    [
      'a login page',
      (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Log in</h1>'),
      'not_the_service',
      1,
    ],
    ['a failing proxy', (_, response) => response.writeHead(502).end('<h1>Bad gateway</h1>'), 'host_failing', 1],
    [
      'a limit of the rate',
      (_, response) => response.writeHead(429, { 'retry-after': '3000' }).end(),
      'rate_limited',
      0,
    ],
  ])('%s is found in one request', async (_, reply, expected, exit) => {
    const { url, requests } = await startBroken(reply);
    const { code, found } = await examine(configFor(url));
    expect(found.find(({ section }) => section === 'service')).toMatchObject({ code: expected });
    expect({ code, requests: requests() }).toEqual({ code: exit, requests: 1 });
  });

  test.each([
    ['wrong by an hour', () => new Date(Date.now() + 3_600_000).toUTCString(), 'warning'],
    ['the same', () => new Date().toUTCString(), 'ok'],
    ['not said in a way to read', () => 'noon', 'skipped'],
  ])('a clock that is %s', async (_, date, status) => {
    const { url } = await startBroken((request, response) =>
      saying(ALL, { headers: { date: date() } })(request, response),
    );
    const { code, found } = await examine(configFor(url));
    expect(found.find((one) => one.code === 'clock')).toMatchObject({ status });
    expect(code).toBe(0);
  });

  test('a clock that is days off is said in days', async () => {
    const date = new Date(Date.now() + 3.5 * 86_400_000).toUTCString();
    const { url } = await startBroken(saying(ALL, { headers: { date } }));
    const { found } = await examine(configFor(url));
    expect(found.find((one) => one.code === 'clock')?.message).toContain('is 3 days behind the service');
  });

  test('a host that FLAGWRIGHT_HOSTS does not allow is asked nothing', async () => {
    const { url, requests } = await startBroken(saying(ALL));
    const { code } = await examine(configFor(url), { env: { FLAGWRIGHT_HOSTS: 'https://us.posthog.com' } });
    expect({ code, requests: requests() }).toEqual({ code: 1, requests: 0 });
  });
});

describe('configuration, manifests and git', () => {
  test('a broken configuration is a result with its place, and what needs it is skipped', async () => {
    const { code, found, values } = await examine({ 'flagwright.yaml': 'projects: { main: { hostt: x } }\n' });
    expect(code).toBe(1);
    expect(found.find(({ status }) => status === 'problem')).toMatchObject({
      code: 'diagnostic',
      file: 'flagwright.yaml',
      line: 1,
    });
    const sections = ['manifests', 'service', 'project', 'git', 'journal', 'ci'];
    expect(found.filter(({ status }) => status === 'skipped')).toMatchObject(
      sections.map((section) => ({ section, code: 'not_checked', facts: { because: 'configuration_unusable' } })),
    );
    expect(values).toEqual([]);
  });

  test('a key in the configuration is found and not repeated', async () => {
    const stray = 'phx_written_into_the_file_0123';
    const { code, found, stdout } = await examine({
      'flagwright.yaml': `projects: { main: { host: "https://x.example", project_id: 1, api_key: ${stray} } }\n`,
    });
    expect({ code, facts: found.find(({ status }) => status === 'problem')?.facts }).toEqual({
      code: 1,
      facts: { code: 'config-key-in-file' },
    });
    expect(stdout).not.toContain(stray);
  });

  test('broken manifests leave the scopes that they need unknown, and the service is asked all the same', async () => {
    const { url } = await startBroken(saying(ALL));
    const { code, found, of } = await examine({ ...configFor(url), 'flags/a.yaml': 'flags: { a: { activ: true } }\n' });
    expect(code).toBe(1);
    expect(of('problem')).toEqual(['diagnostic']);
    expect(found).toContainEqual(
      expect.objectContaining({ section: 'project', facts: { because: 'manifests_unusable' } }),
    );
    expect(of('ok')).toContain('project_answers');
  });

  test('a folder outside of git, and one in git, with what is not committed', async () => {
    const { url } = await startBroken(saying(ALL));
    const outside = await examine(configFor(url));
    expect(outside.found.find(({ section }) => section === 'git')).toMatchObject({
      code: 'no_checkout',
      status: 'skipped',
    });
    const shared = await examine({ 'flagwright.yaml': `${configFor(url)['flagwright.yaml']}base: { push: origin }\n` });
    expect(shared.of('problem')).toEqual(['no_checkout']);
    const repository = createRepository({ ...configFor(url), 'flags/a.yaml': MANIFEST });
    const inside = await examine({}, { cwd: repository.root, env: GIT_ENV });
    expect(inside.found.filter(({ section }) => section === 'git').map((one) => [one.code, one.status])).toEqual([
      ['checkout', 'ok'],
      ['manifests_committed', 'ok'],
      ['no_base', 'ok'],
    ]);
    repository.write('flags/a.yaml', 'flags: { a: { active: false } }\n');
    const changed = await examine({}, { cwd: repository.root, env: GIT_ENV });
    expect(changed.of('warning')).toEqual(['manifests_not_committed']);
  });

  test('a shallow clone that lacks what was applied last is a problem, with the command that gets it', async () => {
    const world = await openWorld('posthog');
    const repository = createRepository({
      ...configFor(world.url),
      'flags/a.yaml': MANIFEST,
      '.gitignore': '.flagwright\n',
    });
    const env = { POSTHOG_API_KEY: KEY, ...GIT_ENV };
    expect(await runCli(['apply', '-y'], { cwd: repository.root, env })).toMatchObject({ code: 0 });
    const applied = await examine({}, { cwd: repository.root, env: GIT_ENV });
    expect(applied.of('ok')).toEqual(expect.arrayContaining(['base', 'newest_run']));
    const ref = repository.git('for-each-ref', '--format=%(refname)', 'refs/flagwright').split('\n')[0] ?? '';
    const first = repository.git('rev-parse', 'HEAD');
    repository.commit({ 'flags/b.yaml': 'flags: { b: { active: true } }\n' });
    const clone = cloneOf(repository, '--depth=1');
    clone.write(`.git/${ref}`, `${first}\n`);
    const lacking = await examine({}, { cwd: clone.root, env: GIT_ENV });
    expect(lacking.found.find(({ code }) => code === 'checkout')?.facts).toMatchObject({
      shallow: true,
      remotes: ['origin'],
    });
    const [base] = lacking.found.filter(({ code }) => code === 'no_base');
    expect(base).toMatchObject({ status: 'problem' });
    expect(base?.message).toContain('git fetch');
    expect(base?.remedy).toBe('Fetch it, or name the commit whose rules count: --base COMMIT.');
  });

  test('a journal that others may write is a problem, and the rest is checked', async () => {
    const { url } = await startBroken(saying(ALL));
    const { of, code } = await examine({
      ...configFor(url),
      '.flagwright/journal/20260131T120000123Z-8a3f.jsonl': '{}\n',
    });
    expect({ code, problems: of('problem') }).toEqual({ code: 1, problems: ['journal_unreadable'] });
  });

  test('the CI system, a fork and the names of tokens are said, and no token is', async () => {
    const { url } = await startBroken(saying(ALL));
    const event = { pull_request: { head: { repo: { full_name: 'eve/fork' } } } };
    const workspace = createWorkspace({
      ...configFor(url),
      'flags/a.yaml': MANIFEST,
      'event.json': JSON.stringify(event),
    });
    const { found, stdout } = await examine(
      {},
      {
        cwd: workspace.root,
        env: {
          GITHUB_ACTIONS: 'true',
          GITHUB_EVENT_NAME: 'pull_request',
          GITHUB_BASE_REF: 'main',
          GITHUB_REPOSITORY: 'ana/flags',
          GITHUB_EVENT_PATH: path.join(workspace.root, 'event.json'),
          GITHUB_TOKEN: 'ghs_0123456789abcdef',
        },
      },
    );
    expect(found.find(({ section }) => section === 'ci')?.facts).toEqual({
      system: 'GitHub Actions',
      event: 'pull_request',
      base: 'main',
      fork: true,
      tokens: ['GITHUB_TOKEN'],
    });
    expect(stdout).not.toContain('ghs_0123');
  });

  test('a project that does not exist is a result, not a crash', async () => {
    const { code, of } = await examine(configFor('http://127.0.0.1:9'), { argv: ['-p', 'mian'] });
    expect({ code, problems: of('problem') }).toEqual({ code: 1, problems: ['diagnostic'] });
  });
});

test('people read sections, a remedy for each problem, and the verdict last', async () => {
  const { url } = await startBroken(saying({ ...ALL, scopes: ['insight:read'], expires_at: '2026-01-01T00:00:00Z' }));
  const { root } = createWorkspace({ ...configFor(url), 'flags/a.yaml': MANIFEST });
  const env = { POSTHOG_API_KEY: KEY };
  const { stdout, code } = await runCli(['doctor'], { cwd: root, env });
  expect(code).toBe(1);
  expect(stdout).toContain(
    'Projects and keys:\n  problem  main: the key in POSTHOG_API_KEY expired at 2026-01-01T00:00:00Z\n',
  );
  expect(stdout).toContain('→ Make a new key, and replace the one in POSTHOG_API_KEY.');
  expect(stdout.trimEnd().split('\n').at(-1)).toBe('Doctor: 2 problems, 2 warnings; 1 check skipped');
  const markdown = await runCli(['doctor', '-f', 'markdown'], { cwd: root, env });
  expect(markdown.stdout).toContain('**Doctor: 2 problems, 2 warnings; 1 check skipped**');
});
