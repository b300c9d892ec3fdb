import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { Workflow } from '../../helpers/action.ts';
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
    expect(again.stderr).toContain('flagwright.yaml exists and was kept');
  });

  test('is the default project, and the pipelines send its key to its host only', async () => {
    const { root, read } = createWorkspace();
    const options = ['--project', 'staging', '--host', HOST, '--project-id', '5678'];
    expect((await runCli(['init', ...options], { cwd: root })).code).toBe(0);
    expect(parse(read('flagwright.yaml'))).toMatchObject({ default_project: 'staging' });
    const planned = await runCli(['plan'], { cwd: root });
    expect([planned.code, planned.stderr]).toEqual([
      1,
      expect.stringContaining('POSTHOG_API_KEY is not set') as string,
    ]);
    const { jobs } = parse(read('.github/workflows/flags.yml')) as Workflow;
    const hosts = Object.values(jobs).flatMap(({ steps }) => steps.map((step) => step.with?.['hosts']));
    expect(hosts.filter((host) => host !== undefined)).toEqual(Array(4).fill(HOST));
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

describe('the pipeline', () => {
  const GITHUB = '.github/workflows/flags.yml';
  const GITLAB = '.gitlab/flags.gitlab-ci.yml';

  test.each<[string, string[], Record<string, string>, string[]]>([
    ['of GitHub', ['--ci', 'github'], {}, [GITHUB]],
    ['of GitLab', ['--ci', 'gitlab'], { '.github/CODEOWNERS': '' }, [GITLAB]],
    ['of no system', ['--ci', 'none'], {}, []],
    ['that .github shows', [], { '.github/CODEOWNERS': '' }, [GITHUB]],
    ['that .gitlab-ci.yml shows', [], { '.gitlab-ci.yml': '' }, [GITLAB]],
    ['of both systems where nothing shows one', [], {}, [GITHUB, GITLAB]],
  ])('%s is written', async (_, options, files, expected) => {
    const { root } = createWorkspace(files);
    expect((await runCli(['init', ...options], { cwd: root })).code).toBe(0);
    expect([GITHUB, GITLAB].filter((file) => existsSync(path.join(root, file)))).toEqual(expected);
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
