import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { afterAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';

import { fillTemplates } from '../../../src/cli/stages/templates.ts';
import { readManifests } from '../../../src/posthog/manifests/manifests.ts';
import { validateManifests } from '../../../src/posthog/manifests/validate.ts';

const TEMPLATES = fillTemplates();
const EXAMPLE = new URL('../../../examples/ci/', import.meta.url);
const folder = mkdtempSync(join(tmpdir(), 'flagwright-templates-'));
afterAll(() => rmSync(folder, { recursive: true }));

interface Step {
  readonly name?: string;
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, string>>;
}
interface Workflow {
  readonly permissions: unknown;
  readonly env: { readonly FLAGWRIGHT: string };
  readonly jobs: Readonly<
    Record<string, { readonly permissions?: Readonly<Record<string, string>>; readonly steps: readonly Step[] }>
  >;
}
interface Pipeline {
  readonly '.flags': { readonly variables: { readonly FLAGWRIGHT: string } };
  readonly 'flags:drift': { readonly script: readonly string[] };
}

const workflow = parse(textOf('.github/workflows/flags.yml')) as Workflow;
const pipeline = parse(textOf('.gitlab/flags.gitlab-ci.yml')) as Pipeline;
const steps = Object.values(workflow.jobs).flatMap((job) => job.steps);

function textOf(path: string): string {
  const template = TEMPLATES.find((candidate) => candidate.path === path);
  if (template === undefined) throw new Error(`no template ${path}`);
  return template.text;
}

function scriptOf(step: string): string {
  return steps.find(({ name, run }) => name === step && run !== undefined)?.run ?? `echo "no step ${step}"; exit 99`;
}

test.each(['.github/workflows/flags.yml', '.gitlab/flags.gitlab-ci.yml'])(
  '%s equals the file of the example',
  (path) => {
    expect(textOf(path)).toBe(readFileSync(new URL(path, EXAMPLE), 'utf8'));
  },
);

test.each(['a', 'on', 'true', '1.0', 'production', 'a.b_c-d'])('a project named %s is filled in everywhere', (name) => {
  const files = fillTemplates({ name, host: 'https://eu.posthog.com', projectId: '7' });
  const [configuration, , github, gitlab] = files.map(({ text }) => parse(text) as Record<string, unknown>);
  expect(files.filter(({ text }) => /<[a-z_]+>/.test(text)).map(({ path }) => path)).toEqual([]);
  expect(configuration?.['projects']).toEqual({
    local: { service: 'embedded' },
    [name]: { host: 'https://eu.posthog.com', project_id: '7', api_key_env: 'POSTHOG_API_KEY' },
  });
  expect(github).toMatchObject({ env: { PROJECT: name }, jobs: { apply: { environment: name } } });
  expect(gitlab).toMatchObject({ '.flags': { variables: { PROJECT: name } }, 'flags:apply': { environment: name } });
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

test('the pipelines install the version of this package', () => {
  const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  const expected = `flagwright@${version.split('.', 2).join('.')}`;
  expect([workflow.env.FLAGWRIGHT, pipeline['.flags'].variables.FLAGWRIGHT]).toEqual([expected, expected]);
});

describe('the workflow', () => {
  test('puts no untrusted text into a script', () => {
    for (const { run } of steps) expect(run ?? '').not.toContain('${{');
  });

  test('requests only the permissions that each job needs', () => {
    const writes = Object.entries(workflow.jobs).flatMap(([name, job]) =>
      Object.entries(job.permissions ?? {})
        .filter(([, access]) => access === 'write')
        .map(([scope]) => `${name}: ${scope}`),
    );
    expect(workflow.permissions).toEqual({ contents: 'read' });
    expect(writes).toEqual([
      'plan: pull-requests',
      'apply: contents',
      'in-sync: contents',
      'drift: contents',
      'drift: pull-requests',
    ]);
  });

  test('pins its actions and leaves no token in the checkout', () => {
    for (const { uses, with: inputs } of steps.filter((step) => step.uses !== undefined)) {
      expect(uses).toMatch(/^actions\/[a-z-]+@v\d+$/);
      if (uses?.startsWith('actions/checkout@')) expect(inputs?.['persist-credentials']).toBe(false);
    }
  });

  test('gives a key only to steps that call the service, and the write key only to apply', () => {
    const keys = steps.flatMap(({ name, env }) =>
      Object.entries(env ?? {})
        .filter(([, value]) => value.includes('secrets.'))
        .map(([variable, value]) => [name, variable, value]),
    );
    expect(keys).toEqual([
      ['Plan', 'POSTHOG_API_KEY', '${{ secrets.POSTHOG_READ_KEY }}'],
      ['Apply', 'POSTHOG_API_KEY', '${{ secrets.POSTHOG_API_KEY }}'],
      ['Record the commit', 'POSTHOG_API_KEY', '${{ secrets.POSTHOG_READ_KEY }}'],
      ['Compare live flags with the manifests', 'POSTHOG_API_KEY', '${{ secrets.POSTHOG_READ_KEY }}'],
      ['Write the edits into the manifests', 'POSTHOG_API_KEY', '${{ secrets.POSTHOG_READ_KEY }}'],
    ]);
  });
});

describe('a script', () => {
  const HOSTILE = '```\n</details> @everyone\n::error::x\n/close\n';

  /** Runs a script like a CI runner, with programs that record their calls and return the given responses. */
  function run(
    script: string,
    options: { exit?: number; env?: Record<string, string>; answers?: Record<string, string> },
  ) {
    const cwd = mkdtempSync(join(folder, 'run-'));
    writeFileSync(join(cwd, 'document'), HOSTILE);
    const programs = {
      // As flagwright writes its documents: to the file after --output.
      flagwright: `echo "flagwright $*" >> calls; name=$1; while [ $# -gt 0 ]; do [ "$1" != --output ] || cat "${cwd}/document" > "$2"; shift; done; [ $name = accept ] || exit ${options.exit ?? 0}`,
      // A checkout with edits, and a remote without the branch.
      git: 'case "$*" in *fetch*|*diff*) exit 1;; esac',
      gh: `echo "gh $*" | tr "\\n" " " | sed "s/ $//" >> calls; echo >> calls; case "$*" in ${Object.entries(
        options.answers ?? {},
      )
        .map(([call, answer]) => `*"${call}"*) echo "${answer}";;`)
        .join(' ')} esac`,
      curl: `echo "curl $*" >> calls; case "$*" in *state=opened*) echo '${options.answers?.['opened'] ?? '[]'}';; esac`,
    };
    mkdirSync(join(cwd, 'bin'));
    for (const [name, body] of Object.entries(programs)) {
      writeFileSync(join(cwd, 'bin', name), `#!/bin/sh\n${body}\n`);
      chmodSync(join(cwd, 'bin', name), 0o755);
    }
    const { status } = spawnSync('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', script], {
      cwd,
      env: {
        PATH: `${join(cwd, 'bin')}:${process.env['PATH'] ?? ''}`,
        PROJECT: 'production',
        GITHUB_OUTPUT: join(cwd, 'output'),
        GITHUB_STEP_SUMMARY: join(cwd, 'summary'),
        GITHUB_REPOSITORY: 'acme/shop',
        PULL_REQUEST: '7',
        CI_API_V4_URL: 'https://gitlab.example/api/v4',
        CI_PROJECT_ID: '9',
        FLAG_DRIFT_TOKEN: 'secret',
        CI_DEFAULT_BRANCH: 'main',
        ...options.env,
      },
    });
    const read = (file: string): string => {
      try {
        return readFileSync(join(cwd, file), 'utf8');
      } catch {
        return '';
      }
    };
    return {
      status,
      cwd,
      read,
      calls: read('calls')
        .split('\n')
        .filter((call) => !/^flagwright| api --paginate|auth setup-git|pr list|state=opened/.test(call)),
    };
  }

  test.each([0, 1, 2, 4])('plan accepts exit code %i', (exit) => {
    const { status, read } = run(scriptOf('Plan'), { exit });
    expect([status, read('output')]).toEqual([0, `code=${exit}\n`]);
    expect(read('summary')).toBe(HOSTILE);
  });

  test.each([
    ['0', 0],
    ['1', 1],
    ['2', 0],
    ['4', 1],
  ])('the plan job with code %s exits with %i', (CODE, status) => {
    expect(run(scriptOf('Fail if no plan can be applied'), { env: { CODE } }).status).toBe(status);
  });

  test.each([
    {
      what: 'the first',
      answer: '',
      call: 'gh api --silent --method POST repos/acme/shop/issues/7/comments --field body=@comment.md',
    },
    {
      what: 'a later',
      answer: '12\n13',
      call: 'gh api --silent --method PATCH repos/acme/shop/issues/comments/12 --field body=@comment.md',
    },
  ])('$what plan of a pull request goes to a single comment', ({ answer, call }) => {
    const script = `cp document plan.md\n${scriptOf('Show the plan in a comment, and update it later')}`;
    const { status, calls, read } = run(script, { answers: { '--paginate': answer } });
    expect([status, calls]).toEqual([0, [call, '']]);
    expect(read('comment.md')).toBe(`<!-- flagwright plan -->\n${HOSTILE}`);
  });

  test.each([0, 3, 4, 5])('apply passes exit code %i on', (exit) => {
    const { status, read } = run(scriptOf('Apply'), { exit });
    expect([status, read('summary')]).toEqual([exit, HOSTILE]);
  });

  test.each([
    { code: '0', request: '', calls: [] },
    { code: '0', request: '5', calls: ['gh pr close 5 --delete-branch --comment In sync again.'] },
    { code: '2', request: '5', calls: ['gh pr edit 5 --body-file request.md'] },
    {
      code: '2',
      request: '',
      calls: [
        'gh pr create --head flagwright/drift-production --title Flags in production have drifted --body-file request.md',
      ],
    },
  ])('drift on GitHub: code $code, pull request "$request"', ({ code, request, calls }) => {
    const script = `cp document drift.md; cp document accept.md\n${scriptOf('Open, update or close the pull request')}`;
    const result = run(script, { env: { CODE: code }, answers: { 'pr list': request } });
    expect([result.status, result.calls]).toEqual([0, [...calls, '']]);
    if (code === '2') expect(result.read('request.md')).toContain(`\n\n${HOSTILE}`);
  });

  const CURL = 'curl --fail --silent --show-error --header PRIVATE-TOKEN: secret';
  const REQUESTS = 'https://gitlab.example/api/v4/projects/9/merge_requests';
  test.each([
    { exit: 0, opened: '[]', status: 0, calls: [] },
    {
      exit: 0,
      opened: '[{"iid":5}]',
      status: 0,
      calls: [`${CURL} --request PUT ${REQUESTS}/5 --data state_event=close`],
    },
    { exit: 1, opened: '[]', status: 1, calls: [] },
    {
      exit: 2,
      opened: '[{"iid":5}]',
      status: 0,
      calls: [`${CURL} --request PUT ${REQUESTS}/5 --data-urlencode description@request.md`],
    },
    {
      exit: 2,
      opened: '[]',
      status: 0,
      calls: [
        `${CURL} --request POST ${REQUESTS} --data-urlencode source_branch=flagwright/drift-production --data-urlencode target_branch=main --data remove_source_branch=true --data-urlencode title=Flags in production have drifted --data-urlencode description@request.md`,
      ],
    },
  ])('drift on GitLab: exit code $exit, merge requests $opened', ({ exit, opened, status, calls }) => {
    const result = run(pipeline['flags:drift'].script.join('\n'), { exit, answers: { opened } });
    expect([result.status, result.calls]).toEqual([status, [...calls, '']]);
    if (exit === 2) expect(result.read('request.md')).toContain(`\n\n${HOSTILE}`);
  });

  test('bash can parse each script', () => {
    for (const { run: script } of steps) execFileSync('bash', ['-n', '-c', script ?? '']);
  });
});
