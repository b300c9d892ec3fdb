import { existsSync, readdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { Workflow } from '../../helpers/action.ts';
import { createRepository } from '../../helpers/repository.ts';
import { runCli, type Ran } from '../../helpers/run.ts';
import { schemaErrors } from '../../helpers/schemas.ts';
import { createWorkspace } from '../../helpers/workspace.ts';

describe('a remote project', () => {
  const HOST = 'https://eu.posthog.com';

  test('is in the configuration, and gets none of the example flags', async () => {
    const { root, read } = createWorkspace();
    const options = ['--project', 'staging', '--host', `${HOST}/`, '--project-id', '5678'];
    const { code, stderr } = await runCli(['init', ...options], { cwd: root });
    expect([code, stderr]).toEqual([0, expect.stringContaining('flagwright export --project staging') as string]);
    const { projects } = parse(read('flagwright.yaml')) as { projects: Record<string, unknown> };
    expect(projects['staging']).toEqual({ host: HOST, project_id: '5678', api_key_env: 'POSTHOG_API_KEY' });
    expect((await runCli(['validate'], { cwd: root })).code).toBe(0);
    expect(read('flags/example.yaml').match(/only_in: \[local\]/g)).toHaveLength(2);
    const again = await runCli(['init', ...options], { cwd: root });
    expect(again.stderr).not.toContain('by hand');
    const other = await runCli(['init', '--project', 'third', '--host', HOST, '--project-id', '9'], { cwd: root });
    expect(other.stderr).toContain('flagwright.yaml exists and was kept: add the project third to it by hand');
  });

  test('is the default project, and the pipelines send its key to its host only', async () => {
    const { root, read } = createWorkspace();
    const options = ['--project', 'staging', '--host', HOST, '--project-id', '5678'];
    for (const ci of ['github', 'gitlab'])
      expect((await runCli(['init', ...options, '--ci', ci], { cwd: root })).code).toBe(0);
    expect(parse(read('flagwright.yaml'))).toMatchObject({ default_project: 'staging' });
    const planned = await runCli(['plan'], { cwd: root });
    expect([planned.code, planned.stderr]).toEqual([
      1,
      expect.stringContaining('POSTHOG_API_KEY is not set') as string,
    ]);
    const { jobs } = parse(read('.github/workflows/flags.yml')) as Workflow;
    const hosts = Object.values(jobs).flatMap(({ steps }) => steps.map((step) => step.with?.['hosts']));
    expect(hosts.filter((host) => host !== undefined)).toEqual(Array(5).fill(HOST));
    const gitlab = parse(read('.gitlab/flags.gitlab-ci.yml')) as Record<string, unknown>;
    expect(gitlab['.flags']).toMatchObject({ variables: { FLAGWRIGHT_HOSTS: HOST } });
  });

  test.each([
    ['a host alone', ['--host', HOST], 'must be used together'],
    ['plain http', ['--host', 'http://example.com', '--project-id', '1'], 'must start with https://'],
    ['a name for an id', ['--host', HOST, '--project-id', 'main'], 'is not the number of a project'],
    ['the name of the embedded one', ['--project', 'local', '--host', HOST, '--project-id', '1'], 'not local'],
    ['a name that breaks YAML', ['--project', 'a: b', '--host', HOST, '--project-id', '1'], 'is not a valid name'],
  ])('%s is refused, and nothing is written', async (_, options, words) => {
    const { root } = createWorkspace();
    const { code, stderr } = await runCli(['init', ...options], { cwd: root });
    expect([code, stderr]).toEqual([1, expect.stringContaining(words) as string]);
    expect(existsSync(path.join(root, 'flagwright.yaml'))).toBe(false);
  });
});

test('--agents writes a skill at the top of the checkout, also into a configured project, and never overwrites it', async () => {
  const { root, read, write } = createRepository({ 'shop/README.md': '' });
  const cwd = path.join(root, 'shop');
  const skill = '.agents/skills/flagwright/SKILL.md';
  expect((await runCli(['init'], { cwd })).code).toBe(0);
  expect(existsSync(path.join(root, skill))).toBe(false);
  const added = await runCli(['init', '--agents'], { cwd });
  expect([added.code, added.stdout]).toEqual([0, expect.stringContaining(`+ written  ../${skill}`)]);
  expect(read(skill)).toMatch(/^---\nname: flagwright\n/);
  write(skill, 'Ours.\n');
  const again = await runCli(['init', '--agents'], { cwd });
  expect([again.code, again.stdout]).toEqual([0, expect.stringContaining(`= kept     ../${skill}`)]);
  expect(read(skill)).toBe('Ours.\n');
});

describe('the pipeline', () => {
  const GITHUB = '.github/workflows/flags.yml';
  const GITLAB = '.gitlab/flags.gitlab-ci.yml';

  test.each<[string, string[], Record<string, string>, string[]]>([
    ['of GitHub', ['--ci', 'github'], {}, [GITHUB]],
    ['of GitLab', ['--ci', 'gitlab'], { '.github/CODEOWNERS': '' }, [GITLAB]],
    ['of no system', ['--ci', 'none'], {}, []],
    ['that .github shows', [], { '.github/CODEOWNERS': '' }, [GITHUB]],
    ['that .gitlab-ci.yml shows', [], { '.gitlab-ci.yml': '' }, [GITLAB]],
    ['of no system where nothing shows one', [], {}, []],
  ])('%s is written', async (_, options, files, expected) => {
    const { root } = createWorkspace(files);
    expect((await runCli(['init', ...options], { cwd: root })).code).toBe(0);
    expect([GITHUB, GITLAB].filter((file) => existsSync(path.join(root, file)))).toEqual(expected);
    expect(existsSync(path.join(root, '.flagwright-ci/package.json'))).toBe(expected.length > 0);
  });

  test.each<[string, string, Record<string, string>, string[]]>([
    ['git@github.com:acme/shop.git', GITHUB, {}, ['github']],
    ['https://user:token@github.acme.io:8443/acme/shop', GITHUB, { '.gitlab/CODEOWNERS': '' }, ['github']],
    ['ssh://git@gitlab.com/acme/shop.git', GITLAB, {}, ['gitlab']],
    ['https://git.acme.io/acme/github-tools.git', '', {}, []],
    ['../github-mirror', '', {}, []],
  ])('of the remote %s is written', async (address, file, files, systems) => {
    const { root, git } = createRepository(files);
    git('remote', 'add', 'origin', address);
    const { code, stderr } = await runCli(['init'], { cwd: root });
    expect([code, [GITHUB, GITLAB].filter((one) => existsSync(path.join(root, one)))]).toEqual([
      0,
      file === '' ? [] : [file],
    ]);
    expect(stderr).toContain(systems.length > 0 ? file : 'No pipeline was written');
    expect(stderr).not.toContain('token@');
  });

  test.each<[string, string[][], string]>([
    [
      'a clone names',
      [
        ['update-ref', 'refs/remotes/origin/live', 'HEAD'],
        ['symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/remotes/origin/live'],
      ],
      'live',
    ],
    [
      'the configuration of git names and the repository has',
      [
        ['branch', 'trunk'],
        ['config', 'init.defaultBranch', 'trunk'],
      ],
      'trunk',
    ],
    [
      'is usual, if the configuration names one that is absent',
      [
        ['branch', '-m', 'master'],
        ['switch', '-qc', 'topic'],
        ['config', 'init.defaultBranch', 'trunk'],
      ],
      'master',
    ],
    ['is checked out, where no branch is usual', [['branch', '-m', 'release/1']], 'release/1'],
    ['is a guess, where a workflow cannot name it', [['branch', '-m', 'a+b']], 'main: a guess'],
  ])('is for the branch that %s', async (_, commands, branch) => {
    const { root, git, read } = createRepository({ 'a.txt': '' });
    for (const command of commands) git(...command);
    const { stderr } = await runCli(['init', '--ci', 'github'], { cwd: root });
    expect(stderr).toContain(`${GITHUB} applies the branch ${branch}`);
    const { on } = parse(read(GITHUB)) as { on: { push: { branches: string[] } } };
    expect(on.push.branches).toEqual([branch.split(':')[0]]);
  });

  test('that exists is kept, which is said', async () => {
    const { root, read } = createWorkspace({ [GITHUB]: 'name: ours\n' });
    const { stdout, stderr } = await runCli(['init'], { cwd: root });
    expect([stdout, stderr]).toEqual([
      expect.stringContaining(`= kept     ${GITHUB}`) as string,
      expect.stringContaining(`${GITHUB} exists and was kept`) as string,
    ]);
    expect(read(GITHUB)).toBe('name: ours\n');
  });
});

describe('a configured project', () => {
  const CONFIG = `default_project: production
projects:
  local: { service: embedded }
  production: { host: "https://eu.posthog.com", project_id: "77" }
  staging: { host: "https://flags.example", project_id: "@current" }
`;
  const GITHUB = '.github/workflows/flags.yml';

  async function initIn(files: Record<string, string>, ...argv: string[]) {
    const { root, read } = createWorkspace(files);
    const ran = await runCli(['init', ...argv], { cwd: root });
    return { ...ran, root, read, again: () => runCli(['init', ...argv], { cwd: root }) };
  }

  test.each(['--project production', ''])(
    'gets the pipeline of one project (%s), with its address, and one for forks; no examples',
    async (named) => {
      const only = named === '' ? CONFIG.replace(/^ {2}staging.*\n/m, '') : CONFIG;
      const options = ['--ci', 'github', ...named.split(' ').filter(Boolean)];
      const { code, stderr, stdout, read, root } = await initIn({ 'flagwright.yaml': only }, ...options);
      expect([code, stderr]).not.toContain('example');
      expect(read(GITHUB)).toContain("hosts: 'https://eu.posthog.com'");
      expect(read(GITHUB)).toContain("project: 'production'");
      expect(read(GITHUB)).not.toContain('us.posthog.com');
      expect(stderr).toContain('limited to project 77');
      expect(stdout).toContain('.github/workflows/flags-forks.yml');
      expect([existsSync(path.join(root, 'flags')), read('flagwright.yaml')]).toEqual([false, only]);
    },
  );

  test.each([
    ['github', GITHUB],
    ['gitlab', '.gitlab/flags.gitlab-ci.yml'],
  ])('gets one pipeline on %s over all its projects but the embedded one', async (ci, file) => {
    const { code, stderr, read } = await initIn({ 'flagwright.yaml': CONFIG }, '--ci', ci);
    expect(code).toBe(0);
    expect(read(file)).toMatch(/project: 'production,staging'/i);
    expect(read(file)).not.toMatch(/'.*local.*'/);
    expect(stderr).toContain('for staging, limited to project @current: https://flags.example');
  });

  test('whose pipeline lacks a project that came later keeps it, and learns which', async () => {
    const files = { 'flagwright.yaml': CONFIG };
    const { root, read } = await initIn(files, '--ci', 'github', '--project', 'production');
    const before = read(GITHUB);
    const later = await runCli(['init', '--ci', 'github'], { cwd: root });
    expect([later.code, read(GITHUB)]).toEqual([0, before]);
    expect(later.stderr).toContain(
      `${GITHUB} exists and was kept, without a job for staging. For all projects in one job`,
    );
    // With a pipeline of its own, nothing lacks.
    await runCli(['init', '--ci', 'github', '--project', 'staging'], { cwd: root });
    const again = await runCli(['init', '--ci', 'github'], { cwd: root });
    expect(again.stderr).toContain(`${GITHUB} exists and was kept. For`);
  });

  test('whose pipeline GitLab does not read yet is told to include it', async () => {
    const files = { 'flagwright.yaml': CONFIG, 'flags/a.yaml': 'flags: { a: { active: true } }\n' };
    const { root } = await initIn(files, '--ci', 'gitlab');
    const { stderr } = await runCli(['init', '--ci', 'gitlab'], { cwd: root });
    expect(stderr).toContain(' > .gitlab-ci.yml\n');
    await runCli(['init', '--ci', 'github'], { cwd: root });
    const both = await runCli(['init'], { cwd: root });
    expect(both.stderr).toContain(
      `${GITHUB} and .gitlab/flags.gitlab-ci.yml exist and were kept. For the current version, rename them`,
    );
  });

  test('that is exported and has its pipeline: nothing is left to do', async () => {
    const files = { 'flagwright.yaml': CONFIG, 'flags/a.yaml': 'flags: { a: { active: true } }\n' };
    const { again } = await initIn(files, '--ci', 'github');
    expect((await again()).stderr).toContain('Nothing is left to do.');
  });

  test.each([
    ['github', GITHUB, '.github/workflows/flags-staging.yml'],
    ['gitlab', '.gitlab/flags.gitlab-ci.yml', '.gitlab/flags-staging.gitlab-ci.yml'],
  ])('gets a second pipeline on %s beside the first', async (ci, first, second) => {
    const { root, read } = await initIn({ 'flagwright.yaml': CONFIG }, '--ci', ci, '--project', 'production');
    const before = read(first);
    const { code, stderr } = await runCli(['init', '--ci', ci, '--project', 'staging'], { cwd: root });
    expect([code, read(first)]).toEqual([0, before]);
    expect(stderr).toContain(`${second} applies`);
    expect(stderr).toContain('read project @current too');
    const [one, two] = [before, read(second)].map((text) => parse(text) as Record<string, Record<string, unknown>>);
    const names = (pipeline: typeof one): readonly unknown[] =>
      ci === 'github'
        ? [
            pipeline?.['name'],
            ...Object.values(pipeline?.['jobs'] ?? {}).map(
              (job) => (job as { concurrency?: { group: string } }).concurrency?.group,
            ),
          ]
        : Object.keys(pipeline ?? {}).filter((name) => name !== 'variables');
    expect(names(two).filter((name) => name !== undefined && names(one).includes(name))).toEqual([]);
    expect(read(second)).not.toMatch(/production|eu\.posthog\.com|workflows\/flags\.yml/);
    const again = await runCli(['init', '--ci', ci, '--project', 'staging'], { cwd: root });
    expect(again.stdout).toContain(`= kept     ${second}`);
    expect(again.stdout).not.toContain('+ written');
  });

  test('jobs of a second pipeline on GitLab extend and need those of its own file', async () => {
    const { root, read } = await initIn({ 'flagwright.yaml': CONFIG }, '--ci', 'gitlab', '--project', 'production');
    await runCli(['init', '--ci', 'gitlab', '--project', 'staging'], { cwd: root });
    const jobs = parse(read('.gitlab/flags-staging.gitlab-ci.yml')) as Record<
      string,
      { extends?: string; needs?: string[] }
    >;
    for (const { extends: base = '.flags-staging', needs = [] } of Object.values(jobs))
      for (const name of [base, ...needs]) expect(Object.keys(jobs)).toContain(name);
  });

  test.each<[string, Record<string, string>, string[], string]>([
    ['a project that it does not have', {}, ['--project', 'live'], 'flagwright.yaml has no project live with a host'],
    ['its embedded project', {}, ['--project', 'local'], 'flagwright.yaml has no project local with a host'],
    [
      'another address of a project that it has',
      {},
      ['--host', 'https://us.posthog.com', '--project-id', '77'],
      'flagwright.yaml has a project production of another address: https://eu.posthog.com, 77',
    ],
    ['a project in a configuration with errors', { 'flagwright.yaml': 'projects: 7\n' }, [], 'flagwright.yaml'],
  ])('refuses %s, and writes nothing', async (_, files, options, words) => {
    const { code, stderr, root } = await initIn({ 'flagwright.yaml': CONFIG, ...files }, '--ci', 'github', ...options);
    expect([code, stderr]).toEqual([1, expect.stringContaining(words) as string]);
    expect(readdirSync(root)).toEqual(['flagwright.yaml']);
  });

  test('in flagwright.yml gets no second configuration', async () => {
    const { code, root } = await initIn({ 'flagwright.yml': CONFIG }, '--ci', 'github');
    expect([code, existsSync(path.join(root, 'flagwright.yaml'))]).toEqual([0, false]);
  });
});

describe('a folder below the top of the checkout', () => {
  const [GITHUB, GITLAB] = ['.github/workflows/flags.yml', '.gitlab/flags.gitlab-ci.yml'];
  const HERE = 'packages/flags';

  test('has the manifests, and the top the pipeline of the forge that it shows, with the paths of the folder', async () => {
    const { root, read } = createRepository({ [`${HERE}/a.txt`]: '', '.github/CODEOWNERS': '' });
    const { code, stdout, stderr } = await runCli(['init'], { cwd: path.join(root, HERE) });
    expect(code).toBe(0);
    expect(stdout).toContain(`../../${GITHUB}`);
    expect(stderr).toContain(`../../${GITHUB} applies the branch main`);
    expect(stderr).toContain(
      'git add flagwright.yaml flags tests ../../.github/workflows/flags.yml ../../.flagwright-ci',
    );
    const paths = ['flagwright.yaml', 'flags/example.yaml', 'tests/example.yaml'].map((file) => `${HERE}/${file}`);
    for (const file of [...paths, GITHUB, '.flagwright-ci/package.json'])
      expect(existsSync(path.join(root, file)), file).toBe(true);
    expect(existsSync(path.join(root, HERE, '.github'))).toBe(false);
    const { on, jobs } = parse(read(GITHUB)) as Workflow & { on: Record<string, { paths: string[] }> };
    const own = [`${HERE}/flags/**`, `${HERE}/flagwright.yaml`, `${HERE}/exceptions.yaml`];
    expect(on['push']?.paths).toEqual([...own, GITHUB]);
    expect(on['pull_request']?.paths).toEqual(expect.arrayContaining([...own, `${HERE}/tests/**`, GITHUB]));
    const called = Object.values(jobs).flatMap(({ steps }) => steps.filter(({ with: given }) => given?.['command']));
    expect(called.map(({ with: given }) => given?.['folder'])).toEqual(called.map(() => HERE));
    expect(called).toHaveLength(7);
  });

  test('gets the jobs of GitLab at the top, which start there and store the documents of the folder', async () => {
    const { root, read } = createRepository({ [`${HERE}/a.txt`]: '', '.gitlab-ci.yml': 'stages: [test]\n' });
    const { stderr } = await runCli(['init'], { cwd: path.join(root, HERE) });
    const jobs = parse(read(GITLAB)) as Record<
      string,
      { stage?: string; variables: object; artifacts: { paths: string[] } }
    >;
    const stages = [...new Set(Object.values(jobs).flatMap(({ stage }) => stage ?? []))].join(' and ');
    expect(stderr).toContain(
      `Include the jobs in ../../.gitlab-ci.yml, under include. If it lists stages, they must have ${stages}.`,
    );
    expect(stderr).toMatch(/git add .* \.\.\/\.\.\/\.gitlab-ci\.yml && git commit/);
    expect(jobs['.flags']?.variables).toMatchObject({ FLAG_FOLDER: HERE });
    expect(jobs['flags:plan']?.artifacts.paths).toContain(`${HERE}/plan.json`);
    expect(jobs['flags:apply']?.artifacts.paths).toEqual([`${HERE}/flag-journal/`, `${HERE}/flag-catalog/`]);
    expect(JSON.stringify(jobs)).not.toMatch(/<folder>|"flags\/\*\*/);
  });

  test('that a symbolic link leads to has the pipeline at the top of its checkout', async () => {
    const { root } = createRepository({ [`${HERE}/a.txt`]: '' });
    const { root: elsewhere } = createWorkspace();
    symlinkSync(path.join(root, HERE), path.join(elsewhere, 'link'));
    expect((await runCli(['init', '--ci', 'github'], { cwd: path.join(elsewhere, 'link') })).code).toBe(0);
    expect(existsSync(path.join(root, GITHUB))).toBe(true);
    expect(readdirSync(elsewhere)).toEqual(['link']);
  });

  test('keeps a pipeline that exists at the top', async () => {
    const { root, read } = createRepository({ [`${HERE}/a.txt`]: '', [GITHUB]: 'name: ours\n' });
    const { stderr } = await runCli(['init'], { cwd: path.join(root, HERE) });
    expect(stderr).toContain(`../../${GITHUB} exists and was kept. For`);
    expect(read(GITHUB)).toBe('name: ours\n');
  });

  test('with a name that is a pattern gets no pipeline, which is said', async () => {
    const { root } = createRepository({ 'a [b]/a.txt': '' });
    const { code, stderr } = await runCli(['init', '--ci', 'github'], { cwd: path.join(root, 'a [b]') });
    expect([code, stderr]).toEqual([0, expect.stringContaining('No pipeline was written: a [b]/ would be') as string]);
    expect(existsSync(path.join(root, '.github'))).toBe(false);
  });

  test('does not follow a link at the top out of the repository', async () => {
    const { root } = createRepository({ [`${HERE}/a.txt`]: '' });
    symlinkSync(createWorkspace().root, path.join(root, '.github'));
    const { code, stderr } = await runCli(['init', '--ci', 'github'], { cwd: path.join(root, HERE) });
    expect([code, stderr]).toEqual([1, expect.stringContaining('a symbolic link points outside') as string]);
  });
});

describe('the steps that are left', () => {
  const REMOTE = ['--project', 'staging', '--host', 'https://eu.posthog.com', '--project-id', '5678'];
  const stepsOf = async (root: string, ...options: string[]): Promise<string> =>
    (await runCli(['init', ...REMOTE, ...options], { cwd: root })).stderr;

  test.each(['github', 'gitlab'])('name every secret, scope and environment of %s, before the commit', async (ci) => {
    const { root, read } = createWorkspace();
    const text = await stepsOf(root, '--ci', ci);
    const file = read(ci === 'github' ? '.github/workflows/flags.yml' : '.gitlab/flags.gitlab-ci.yml');
    const names = file.match(ci === 'github' ? /(?<=secrets\.)\w+/g : /(?:POSTHOG_\w+_KEY|FLAG_\w+_TOKEN)/g) ?? [];
    const scopes: readonly string[] = file.match(/\b[a-z_]+:(?:read|write)\b/g) ?? [];
    expect([new Set(names).size > 1, scopes.includes('access_control:write')]).toEqual([true, true]);
    // Messages to a chat are off by default.
    const asked = names.filter((name) => name !== 'FLAG_WEBHOOK_URL');
    for (const needed of [...asked, ...scopes, 'staging']) expect(text).toContain(needed);
    const order = ['Create two personal API keys', 'flagwright export', 'POSTHOG_READ_KEY', 'Commit the files'];
    const places = order.map((words) => text.indexOf(words));
    expect(places).toEqual(places.slice().sort((one, other) => one - other));
    expect(places[0]).toBeGreaterThan(-1);
  });

  test('include the jobs of GitLab in the file that exists', async () => {
    const existing = createWorkspace({ '.gitlab-ci.yml': 'stages: [test]\n' });
    expect(await stepsOf(existing.root)).toContain('- local: .gitlab/flags.gitlab-ci.yml');
    expect(await stepsOf(createWorkspace().root, '--ci', 'gitlab')).toContain('> .gitlab-ci.yml');
  });
});

describe('the embedded service', () => {
  test('needs no account: init, validate, plan, apply, drift', async () => {
    const { root, read } = createWorkspace();
    const run = (...argv: string[]): Promise<Ran> => runCli(argv, { cwd: root });
    expect(await run('init')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('+ written  flagwright.yaml') as string,
    });
    expect((await run('validate')).code).toBe(0);
    expect((await run('plan', '--detailed-exitcode')).code).toBe(2);
    expect((await run('apply', '--yes')).code).toBe(0);
    expect((await run('drift', '--unmanaged')).code).toBe(0);
    expect(read('.flagwright/.gitignore')).toBe('*\n');
    const again = await run('init', '-f', 'json');
    expect(schemaErrors('files', again.document())).toEqual([]);
    expect(new Set((again.document()['files'] as { status: string }[]).map(({ status }) => status))).toEqual(
      new Set(['kept']),
    );
  });
});
