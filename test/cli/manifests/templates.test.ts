import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { runInNewContext } from 'node:vm';

import { afterAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';

import { fillTemplates, type InitialProject } from '../../../src/cli/actions/init-templates.ts';
import { readManifests } from '../../../src/posthog/manifests/manifests.ts';
import { validateManifests } from '../../../src/posthog/manifests/load.ts';
import { action, ACTION_IN_PACKAGE, type Workflow } from '../../helpers/action.ts';
import { uncommented } from '../../helpers/pipeline.ts';

const FORGES = ['github', 'gitlab'] as const;
const FORKS = fillTemplates({ forges: FORGES, isConfigured: true }).filter(({ path }) => path.includes('forks'));
const TEMPLATES = [...fillTemplates({ forges: FORGES }), ...FORKS];
const EXAMPLE = new URL('../../../examples/ci/', import.meta.url);
const folder = mkdtempSync(join(tmpdir(), 'flagwright-templates-'));
afterAll(() => rmSync(folder, { recursive: true }));

interface Pipeline {
  readonly 'flags:apply': object;
  readonly 'flags:drift': object;
}

const workflow = parse(textOf('.github/workflows/flags.yml')) as Workflow;
const forks = parse(readFileSync(new URL('.github/workflows/flags-forks.yml', EXAMPLE), 'utf8')) as Workflow;
const pipeline = parse(textOf('.gitlab/flags.gitlab-ci.yml')) as Pipeline;
const steps = [workflow, forks].flatMap(({ jobs }) => Object.values(jobs)).flatMap((job) => job.steps);

/** The jobs whose condition holds for an event, before any job has ended. */
function startedJobs(github: object): readonly string[] {
  const startsWith = (text: string, start: string): boolean => text.startsWith(start);
  const holds = (condition: string): boolean =>
    runInNewContext(condition.replaceAll(/(?<=\w)\.(?=\w)/g, '?.'), { github, startsWith, needs: {} }) === true;
  return Object.entries(workflow.jobs).flatMap(([name, job]) => (holds(job.if ?? 'true') ? name : []));
}

function textOf(path: string): string {
  const template = TEMPLATES.find((candidate) => candidate.path === path);
  if (template === undefined) throw new Error(`no template ${path}`);
  return template.text;
}

test.each([
  '.github/workflows/flags.yml',
  '.github/workflows/flags-forks.yml',
  '.gitlab/flags.gitlab-ci.yml',
  '.flagwright-ci/package.json',
])('%s equals the file of the example', (path) => {
  expect(textOf(path)).toBe(readFileSync(new URL(path, EXAMPLE), 'utf8'));
});

test.each(['.github/workflows/flags.yml', '.gitlab/flags.gitlab-ci.yml'])(
  '%s of several projects equals the file of their example',
  (path) => {
    const example = new URL('../../../examples/multi-project/', import.meta.url);
    const host = 'https://us.posthog.com';
    const projects = ['staging', 'production'].map((name, index) => ({
      ...{ name, host, projectId: `567${7 + index}`, apiKeyVariable: `POSTHOG_${name.toUpperCase()}_KEY` },
    }));
    const files = fillTemplates({ projects, forges: FORGES, isConfigured: true });
    const written = files.find((file) => file.path === path)?.text;
    expect(written).toBe(readFileSync(new URL(path, example), 'utf8'));
    const { projects: declared } = parse(readFileSync(new URL('flagwright.yaml', example), 'utf8')) as {
      projects: object;
    };
    expect(Object.keys(declared)).toEqual(projects.map(({ name }) => name));
  },
);

test.each(['a', 'on', 'true', '1.0', 'production', 'a.b_c-d'])('a project named %s is filled in everywhere', (name) => {
  const project = { name, host: 'https://eu.posthog.com', projectId: '7', apiKeyVariable: 'POSTHOG_API_KEY' };
  const files = fillTemplates({ projects: [project], forges: ['github', 'gitlab'] });
  const [configuration, , , github, gitlab] = files.map(({ text }) => parse(text) as Record<string, unknown>);
  expect(files.filter(({ text }) => /<[a-z_]+>/.test(text)).map(({ path }) => path)).toEqual([]);
  expect(configuration?.['projects']).toEqual({
    local: { service: 'embedded', profile: 'posthog' },
    [name]: { host: 'https://eu.posthog.com', project_id: '7', api_key_env: 'POSTHOG_API_KEY' },
  });
  expect(github).toMatchObject({ jobs: { apply: { environment: name } } });
  const { jobs } = github as unknown as Workflow;
  const named = Object.values(jobs).flatMap((job) => job.steps.map((step) => step.with?.['project']));
  expect(named.filter((project) => project !== undefined)).toEqual(Array(6).fill(name));
  expect(gitlab).toMatchObject({ '.flags': { variables: { PROJECT: name } }, 'flags:apply': { environment: name } });
});

test('several projects are in one job, each with its key', () => {
  const [staging, eu] = ['staging', 'eu'].map((name) => ({
    ...{ name, host: `https://${name}.example`, projectId: '7', apiKeyVariable: `${name.toUpperCase()}_KEY` },
  }));
  if (staging === undefined || eu === undefined) throw new Error('no projects');
  const of = (projects: readonly (typeof staging)[]) =>
    fillTemplates({ projects, forges: FORGES, isConfigured: true }).filter(({ path }) => /flags/.test(path));
  const texts = of([staging, eu]).map(({ text }) => text);
  expect(texts.filter((text) => /<[a-z_]+>|POSTHOG_\w*KEY/.test(text))).toEqual([]);
  const files = of([staging, eu]).map(({ path, text }) => [path.split('/').at(-1), parse(text) as unknown] as const);
  const [github, gitlab] = ['flags.yml', 'flags.gitlab-ci.yml'].map((name) => new Map(files).get(name));
  const { jobs } = github as Workflow;
  expect(github).toMatchObject({
    jobs: {
      apply: { environment: 'flags', concurrency: { group: 'flags-staging-eu' } },
      due: { environment: 'flags-rollouts' },
    },
  });
  const calls = Object.values(jobs).flatMap((job) =>
    job.steps.flatMap((step) => (step.with?.['hosts'] ? [step.with] : [])),
  );
  expect(calls).toHaveLength(5);
  for (const call of calls)
    expect(call).toMatchObject({
      project: 'staging,eu',
      hosts: 'https://staging.example https://eu.example',
      'api-keys': 'STAGING_KEY=${{ secrets.STAGING_KEY }}\nEU_KEY=${{ secrets.EU_KEY }}\n',
    });
  expect(gitlab).toMatchObject({
    '.flags': { variables: { PROJECT: 'staging,eu', FLAGWRIGHT_HOSTS: 'https://staging.example https://eu.example' } },
    'flags:apply': {
      environment: 'flags',
      resource_group: 'flags-staging-eu',
      variables: { FLAG_API_KEYS: 'STAGING_KEY=$STAGING_KEY\nEU_KEY=$EU_KEY\n' },
    },
  });
  // One project with a variable of its own has the secret of that name too, and its own environment.
  const [one] = of([staging]).map(({ text }) => text);
  expect(one).toContain('api-keys: |\n            STAGING_KEY=${{ secrets.STAGING_KEY }}\n          publish-snapshot');
  expect(one).toContain("environment: 'staging'");
});

const [LIVE, STAGING] = ['live.eu', 'staging'].map((name) => ({
  ...{ name, host: `https://${name}.example`, projectId: '7', apiKeyVariable: `${name.slice(-2).toUpperCase()}_KEY` },
})) as [InitialProject, InitialProject];

describe.each<[string, Parameters<typeof fillTemplates>[0]]>([
  ['an example', {}],
  ['one project', { projects: [LIVE] }],
  ['several projects', { projects: [LIVE, STAGING] }],
  ['a folder', { projects: [LIVE], folder: 'apps/shop/' }],
  ['a second project', { projects: [LIVE], second: FORGES }],
  ['a branch', { projects: [LIVE], branch: 'release/2.x' }],
])('the pipelines of %s', (_, filling) => {
  const all = fillTemplates({ ...filling, forges: FORGES, isConfigured: true }).flatMap(
    ({ path, text }) =>
      [
        [path, text],
        [`${path}, uncommented`, uncommented(text)],
      ] as const,
  );

  test.each(all.filter(([path]) => path.includes('workflows')))('%s', (__, text) => {
    for (const { steps: own = [] } of Object.values((parse(text) as Workflow).jobs))
      for (const { uses, run, with: inputs = {} } of own) {
        expect([typeof uses, typeof run].toSorted()).toEqual(['string', 'undefined']);
        if (uses !== ACTION_IN_PACKAGE) continue;
        expect(Object.keys(inputs).filter((input) => !Object.hasOwn(action.inputs, input))).toEqual([]);
        expect(`${String(inputs['command'])} ${action.inputs['command']?.description}`).toMatch(/^([\w-]+) .*\b\1\b/);
        expect(inputs['folder']).toBe(filling?.folder?.slice(0, -1));
      }
  });

  test.each(all.filter(([path]) => path.includes('gitlab-ci')))('%s', (__, text) => {
    const jobs = parse(text) as Record<string, Record<string, unknown>>;
    for (const { script = [], after_script: after = [], needs = [] } of Object.values(jobs)) {
      for (const line of [script, after].flat()) expect(line).toEqual(expect.any(String));
      const names = [needs].flat().map((need) => (need as { job?: string }).job ?? need);
      expect(Object.keys(jobs)).toEqual(expect.arrayContaining(names));
    }
  });
});

test.each<[string, Parameters<typeof fillTemplates>[0], unknown]>([
  ['with a pipeline and a remote', { forges: ['gitlab'], remote: 'upstream' }, { push: 'upstream' }],
  ['without a remote', { forges: ['gitlab'] }, undefined],
  ['without a pipeline', { remote: 'origin' }, undefined],
  ['of a remote with another name than a word', { forges: ['gitlab'], remote: 'a: b' }, undefined],
  ['of the embedded service alone', { forges: ['gitlab'], remote: 'origin', projects: [] }, undefined],
])('the record of what was applied is shared %s: %j', (_, options, base) => {
  const project = { name: 'p', host: 'https://eu.posthog.com', projectId: '7', apiKeyVariable: 'POSTHOG_API_KEY' };
  const [configuration] = fillTemplates({ projects: [project], ...options });
  expect((parse(configuration?.text ?? '') as { base?: object }).base).toEqual(base);
});

test('without a project, the configuration has the embedded one as its default, and a real one as a comment', () => {
  const [configuration] = fillTemplates();
  const text = configuration?.text ?? '';
  expect(parse(text)).toMatchObject({ projects: { local: { service: 'embedded' } }, default_project: 'local' });
  const entry = /^ {2}# {3}host: .*$/m.exec(text)?.[0];
  expect([entry, text.includes('  # production:\n')]).toEqual(['  #   host: https://us.posthog.com', true]);
  expect(Object.keys((parse(text) as { projects: object }).projects)).toEqual(['local']);
});

test('the manifest is valid', async () => {
  const root = join(folder, 'init');
  for (const { path, text } of TEMPLATES) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  const { manifests } = parse(textOf('flagwright.yaml')) as { manifests: string[] };
  const { files, diagnostics } = await readManifests({ root, patterns: manifests });
  expect(files).toHaveLength(1);
  expect([...diagnostics, ...validateManifests(files, [{ name: 'local', roles: {}, cohorts: {} }])]).toEqual([]);
});

test('the workflow applies the default branch', () => {
  const text = fillTemplates({ forges: ['github'], branch: 'on' }).find(({ path }) => path.endsWith('flags.yml'))?.text;
  const { on, jobs } = parse(text ?? '') as Workflow;
  expect(on).toMatchObject({ push: { branches: ['on'] } });
  expect(jobs['plan']?.if).toContain("github.ref == 'refs/heads/on' ");
  expect(text).not.toContain('main]');
});

test('the version of the jobs is where Renovate and Dependabot look, exact, and every job installs it', () => {
  const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  // Renovate's manager npm reads files of this pattern, and Dependabot package.json of the folder that its configuration names.
  const files = TEMPLATES.filter(({ path }) => /(^|\/)package\.json$/.test(path));
  expect(files.map(({ path, text }) => [path, JSON.parse(text) as unknown])).toEqual([
    [
      '.flagwright-ci/package.json',
      expect.objectContaining({ private: true, devDependencies: { flagwright: version } }),
    ],
  ]);
  const folder = dirname(files[0]?.path ?? '');
  const install = `npm install --no-save --ignore-scripts --prefix ${folder}`;
  const users = [workflow, forks].flatMap(({ jobs }) => Object.values(jobs)).map((job) => job.steps);
  expect(users).toHaveLength(8);
  for (const own of users) {
    const at = own.findIndex(({ uses }) => uses === ACTION_IN_PACKAGE);
    expect([own[at - 1]?.run, own[at]?.uses]).toEqual([install, `./${folder}/node_modules/flagwright`]);
  }
  expect(pipeline).toMatchObject({
    '.flags': { before_script: [install, `export PATH="$PWD/${folder}/node_modules/.bin:$PATH"`] },
  });
});

test('every job with a key names the secret or the variable that it is from', () => {
  const onGithub = steps.filter((step) => step.with?.['api-key'] !== undefined).map((step) => step.with);
  expect(onGithub).toHaveLength(5);
  for (const own of onGithub) expect(own?.['api-key']).toBe(`\${{ secrets.${String(own?.['api-key-name'])} }}`);
  const jobs = Object.values(pipeline as unknown as Record<string, { variables?: Record<string, string> }>);
  const onGitlab = jobs.flatMap(({ variables = {} }) => ('POSTHOG_API_KEY' in variables ? [variables] : []));
  expect(onGitlab).toHaveLength(4);
  for (const own of onGitlab) expect(own['POSTHOG_API_KEY']).toBe(`$${own['FLAG_KEY_NAME']}`);
});

test('every file that decides starts the jobs, on GitHub and on GitLab', () => {
  const inputs = Object.fromEntries(Object.entries(action.inputs).map(([name, input]) => [name, input.default]));
  const deciding = [...(inputs['paths'] ?? '').split(' '), inputs['exceptions']];
  expect(deciding).toEqual(['flags', 'flagwright.yaml', 'exceptions.yaml']);
  const events = workflow.on as Record<'pull_request' | 'push', { readonly paths: readonly string[] }>;
  const rules = ['flags:validate', 'flags:plan', 'flags:apply'].flatMap((job) => {
    const { rules: all } = (pipeline as unknown as Record<string, { rules: { if: string; changes?: string[] }[] }>)[
      job
    ] ?? { rules: [] };
    return all.filter((rule) => !rule.if.includes('"web"')).map((rule) => rule.changes ?? []);
  });
  expect(rules).toHaveLength(4);
  for (const paths of [events.pull_request.paths, events.push.paths, ...rules])
    expect(paths.map((path) => path.replace(/(?:\/\*\*)?(?:\/\*)?$/, ''))).toEqual(expect.arrayContaining(deciding));
  // A new version plans too: its plan may be another one.
  for (const paths of [events.pull_request.paths, ...rules.slice(0, 2)])
    expect(paths.map((path) => path.replace('/**/*', '/**'))).toContain('.flagwright-ci/**');
});

describe('the workflow and its action', () => {
  const all = [...steps, ...action.runs.steps];

  test('put no untrusted text into a script, and bash can parse each', () => {
    for (const { run = '' } of all) {
      expect(run).not.toContain('${{');
      execFileSync('bash', ['--norc', '-n', '-c', run]);
    }
  });

  test('request only the permissions that each job needs', () => {
    const permissions = Object.fromEntries(Object.entries(workflow.jobs).map(([name, job]) => [name, job.permissions]));
    expect(workflow.permissions).toEqual({ contents: 'read' });
    expect(permissions).toEqual({
      validate: undefined,
      'plan-fork': undefined,
      plan: { contents: 'read', 'pull-requests': 'write', actions: 'read' },
      apply: { contents: 'write', 'pull-requests': 'read' },
      due: { contents: 'write' },
      'in-sync': { contents: 'write' },
      drift: { contents: 'write', 'pull-requests': 'write' },
    });
  });

  test('keep the journal of every run that writes', () => {
    const jobs = Object.entries(pipeline as unknown as Record<string, { artifacts?: { paths?: string[] } }>);
    const keeping = jobs.filter(([, { artifacts }]) => artifacts?.paths?.includes('flag-journal/'));
    const { if: when = '' } = action.runs.steps.find(({ name }) => name === 'Keep the journal') ?? {};
    const commands = [...when.matchAll(/inputs\.command == '(\w+)'/g)].map(([, command]) => `flags:${command}`);
    expect(commands).toEqual(keeping.map(([name]) => name));
    expect(commands).toEqual(['flags:apply', 'flags:due']);
  });

  test('start for no event that gives a fork secrets or rights', () => {
    expect(Object.keys(workflow.on)).toEqual([
      'pull_request',
      'merge_group',
      'pull_request_review',
      'push',
      'schedule',
      'workflow_dispatch',
    ]);
    const own = 'github.event.pull_request.head.repo.full_name == github.repository';
    const forRequests = Object.entries(workflow.jobs).filter(([, job]) => job.if?.includes("'pull_request'"));
    expect(forRequests.map(([name]) => name)).toEqual(['validate', 'plan-fork', 'plan']);
    for (const [name, job] of forRequests)
      expect(job.if?.includes(own), name).toBe(JSON.stringify(job.steps).includes('secrets.'));
  });

  test('validate what a merge queue makes, without a key, and do nothing else with it', () => {
    const queued = { event_name: 'merge_group', ref: 'refs/heads/gh-readonly-queue/main/pr-7-0a1b', event: {} };
    const merged = { event_name: 'push', ref: 'refs/heads/main', event: {} };
    expect([queued, merged].map(startedJobs)).toEqual([['validate'], ['plan']]);
    expect(JSON.stringify(workflow.jobs['validate'])).not.toMatch(/secrets|permissions/);
    // The queue cannot filter by paths, and every group waits for the checks.
    expect(workflow.on).toMatchObject({ merge_group: { types: ['checks_requested'] } });
  });

  test('give a job that may comment on forks nothing of them, and no secret', () => {
    expect([forks.on, forks.permissions]).toEqual([
      { workflow_run: { workflows: [workflow.name], types: ['completed'] } },
      {},
    ]);
    const [job, ...others] = Object.values(forks.jobs);
    expect([job?.permissions, others]).toEqual([{ contents: 'read', 'pull-requests': 'write' }, []]);
    expect(job?.if).toContain('head_repository.full_name != github.repository');
    const written = JSON.stringify(job?.steps);
    for (const word of ['secrets.', 'github.event', 'ref"', 'artifact']) expect(written).not.toContain(word);
  });

  test('never run two applies of a project at once, nor stop one', () => {
    const groups = ['apply', 'in-sync'].map((name) => workflow.jobs[name]?.concurrency);
    expect(groups).toEqual(Array(2).fill({ group: 'flags-production', 'cancel-in-progress': false }));
    expect(pipeline['flags:apply']).toMatchObject({ resource_group: 'flags-production', interruptible: false });
    expect(workflow.jobs['drift']?.concurrency).toEqual({
      group: 'flag-drift-production',
      'cancel-in-progress': false,
    });
    expect(pipeline['flags:drift']).toMatchObject({ resource_group: 'flag-drift-production' });
  });

  test('of GitLab call one program, without any text of a change', () => {
    const scripts = Object.values(
      pipeline as unknown as Record<string, { script?: string[]; before_script?: string[] }>,
    ).flatMap(({ script = [], before_script: before = [] }) => [...before, ...script]);
    expect([...new Set(scripts)]).toEqual([
      'npm install --no-save --ignore-scripts --prefix .flagwright-ci',
      'export PATH="$PWD/.flagwright-ci/node_modules/.bin:$PATH"',
      ...['validate', 'plan', 'apply', 'drift', 'due'].map((step) => `flagwright-ci ${step}`),
    ]);
  });

  test('name the version beside the hash of an action', () => {
    const texts = [
      textOf('.github/workflows/flags.yml'),
      readFileSync(new URL('.github/workflows/flags-forks.yml', EXAMPLE), 'utf8'),
      readFileSync(new URL('../../../action.yml', import.meta.url), 'utf8'),
    ];
    const lines = texts.flatMap((text) => text.match(/uses: actions\/.*/g) ?? []);
    expect(lines.length).toBeGreaterThan(5);
    expect(lines.filter((line) => !/@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line))).toEqual([]);
  });

  test('pin other actions, and leave no token in the checkout', () => {
    for (const { uses = '', with: inputs } of all.filter((step) => step.uses !== undefined)) {
      if (uses === ACTION_IN_PACKAGE) continue;
      expect(uses).toMatch(/^actions\/[a-z-]+@[0-9a-f]{40}$/);
      if (uses.startsWith('actions/checkout@')) expect(inputs?.['persist-credentials']).toBe(false);
      // By itself, it calls the package manager that the repository names, which may not be installed, for a cache that other jobs share.
      if (uses.startsWith('actions/setup-node@')) expect(inputs?.['package-manager-cache']).toBe(false);
    }
  });

  test('give the write key only to what applies, and any key only to the step that calls the service', () => {
    const keys = Object.entries(workflow.jobs).flatMap(([name, job]) =>
      job.steps.flatMap((step) =>
        Object.values({ ...step.env, ...step.with })
          .filter((value) => String(value).includes('secrets.'))
          .map((value) => [name, step.uses, value]),
      ),
    );
    expect(keys).toEqual([
      ['plan', ACTION_IN_PACKAGE, '${{ secrets.POSTHOG_READ_KEY }}'],
      ['apply', ACTION_IN_PACKAGE, '${{ secrets.POSTHOG_API_KEY }}'],
      ['in-sync', ACTION_IN_PACKAGE, '${{ secrets.POSTHOG_READ_KEY }}'],
      ['due', ACTION_IN_PACKAGE, '${{ secrets.POSTHOG_API_KEY }}'],
      ['drift', ACTION_IN_PACKAGE, '${{ secrets.POSTHOG_READ_KEY }}'],
    ]);
    const holders = action.runs.steps.filter((step) => /inputs\.(?:api-key|token)/.test(JSON.stringify(step)));
    expect(holders.map(({ name }) => name)).toEqual(['Run']);
    const keyed = action.runs.steps.filter((step) => JSON.stringify(step).includes('inputs.api-key'));
    expect(keyed.map(({ name }) => name)).toEqual(['Run']);
  });

  test('name inputs that the action has, and every key goes to one host', () => {
    for (const step of steps.filter(({ uses }) => uses === ACTION_IN_PACKAGE)) {
      const inputs = step.with ?? {};
      expect(Object.keys(inputs).filter((input) => !Object.hasOwn(action.inputs, input))).toEqual([]);
      expect(inputs['api-key'] === undefined).toBe(inputs['hosts'] === undefined);
    }
  });
});
