import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { runCli } from '../../helpers/run.ts';
import { schemaErrors } from '../../helpers/schemas.ts';
import { KEY } from '../../helpers/stage.ts';
import { createWorkspace } from '../../helpers/workspace.ts';

describe('validate', () => {
  test('reports every problem with its place, as text and as JSON', async () => {
    const { root } = createWorkspace({
      'flags/a.yaml': 'flags:\n  checkout:\n    rollout_percentage: 120\n    activ: true\n',
      'flags/b.yaml': 'flags:\n  checkout: { active: true }\n',
    });
    const text = await runCli(['validate'], { cwd: root });
    expect(text.code).toBe(1);
    expect(text.stdout).toMatch(/^flags\/a\.yaml:4:5 {2}error {2}/m);
    expect(text.stdout).toContain('  4 |     activ: true\n    |     ^\n');
    const json = await runCli(['validate', '-f', 'json'], { cwd: root });
    expect(json.code).toBe(1);
    expect(schemaErrors('validation', json.document())).toEqual([]);
    expect(json.document()).toMatchObject({ valid: false, files: 2 });
  });

  test('counts declared cohorts apart from flags', async () => {
    const cohort = '{ filters: { properties: { type: AND, values: [{ key: plan, value: pro }] } } }';
    const { root, write } = createWorkspace({
      'flagwright.yaml': 'projects: { local: { service: embedded } }\n',
      'flags/a.yaml': `flags: { a: {}, b: {} }\ncohorts: { crew: ${cohort} }\n`,
    });
    expect((await runCli(['validate'], { cwd: root })).stdout).toBe('2 flags and 1 cohort in 1 file: no problems\n');
    const json = await runCli(['validate', '--format', 'json'], { cwd: root });
    expect(json.document()).toMatchObject({ flags: 2, cohorts: 1, files: 1 });
    write('flags/a.yaml', `cohorts: { crew: ${cohort}, staff: ${cohort} }\n`);
    expect((await runCli(['validate'], { cwd: root })).stdout).toBe('2 cohorts in 1 file: no problems\n');
  });

  test('knows the roles and cohorts of real projects in an embedded one, and excuses a project without an address from them', async () => {
    const cohort = '{ key: id, type: cohort, operator: in, value: beta }';
    const { root } = createWorkspace({
      'flagwright.yaml': `projects:
  local: { service: embedded }
  staging: {}
  production: { host: https://us.posthog.com, project_id: 1, roles: { growth: 0188a2d0-7b3c-7e61-9f61-2f6f2f6a1c11 }, cohorts: { beta: 4 } }
`,
      'flags/a.yaml': `flags:
  a: { role_access: [growth], filters: { groups: [{ properties: [${cohort}] }] } }
  b: { role_access: [growth] }
`,
    });
    const all = await runCli(['validate'], { cwd: root });
    expect([all.code, all.stdout]).toEqual([0, '2 flags in 1 file: no problems\n']);
    expect(all.stderr).toContain('Project staging has no role or cohort beta, growth, which other projects have.');
    expect((await runCli(['validate', '-q'], { cwd: root })).stderr).toBe('');
    expect((await runCli(['validate', '-p', 'local'], { cwd: root })).code).toBe(0);
    const online = { cwd: root, env: { POSTHOG_HOST: 'https://us.posthog.com', POSTHOG_PROJECT_ID: '2' } };
    expect((await runCli(['apply', '-p', 'local', '--yes'], online)).code).toBe(0);
    expect((await runCli(['plan', '-p', 'local', '--detailed-exitcode'], online)).code).toBe(0);
    const alone = await runCli(['validate', '-p', 'staging'], { cwd: root });
    expect([alone.code, alone.stdout]).toEqual([1, expect.stringContaining('cohort-unknown') as string]);
    const file = path.join(root, 'flags/a.yaml');
    writeFileSync(file, 'flags: { a: { role_access: [grwth] } }\n');
    expect((await runCli(['validate'], { cwd: root })).stdout).toContain('role-unknown');
  });

  describe.each([
    ['github', 'GITHUB_WORKSPACE'],
    ['gitlab', 'CI_PROJECT_DIR'],
  ])('as %s', (format, checkout) => {
    const asIssues = (stdout: string): unknown => (format === 'gitlab' ? JSON.parse(stdout) : stdout);

    test('reports each problem at its place in the checkout', async () => {
      const { root } = createWorkspace({
        'ops/flagwright.yaml': 'projects: { local: { service: embedded } }\n',
        'ops/flags/a.yaml': 'flags:\n  checkout:\n    activ: true\n',
      });
      const ran = await runCli(['validate', '-f', format], {
        cwd: path.join(root, 'ops'),
        env: { [checkout]: root },
      });
      expect([ran.code, ran.stderr]).toEqual([1, '']);
      expect(asIssues(ran.stdout)).toEqual(
        format === 'gitlab'
          ? [
              {
                description: expect.stringContaining('"activ"') as string,
                check_name: 'property-unknown',
                fingerprint: expect.stringMatching(/[0-9a-f]{64}/) as string,
                severity: 'major',
                location: { path: 'ops/flags/a.yaml', lines: { begin: 3 } },
              },
            ]
          : (expect.stringMatching(
              /^::error file=ops\/flags\/a\.yaml,line=3,col=5,title=property-unknown::.*"activ".*\n1 flag in 1 file: 1 error\n$/,
            ) as string),
      );
    });

    test('reports that nothing is wrong', async () => {
      const { root } = createWorkspace({ 'flags/a.yaml': 'flags: { a: {} }\n' });
      const ran = await runCli(['validate', '-f', format], { cwd: root });
      expect([ran.code, asIssues(ran.stdout)]).toEqual([
        0,
        format === 'gitlab' ? [] : '1 flag in 1 file: no problems\n',
      ]);
    });

    test('reports a run that failed, and is refused by other commands', async () => {
      const { root } = createWorkspace({ 'flags/a.yaml': 'flags: { a: {} }\n' });
      const failed = await runCli(['validate', '-f', format, '-c', 'none.yaml'], { cwd: root });
      expect(failed.code).toBe(1);
      expect(failed.stdout).toContain('none.yaml');
      const other = await runCli(['history', '-f', format], { cwd: root });
      expect([other.code, other.stderr]).toEqual([1, expect.stringContaining('use text or json') as string]);
    });
  });

  test('ends when the deadline passes, although nothing is awaited', async () => {
    const { root } = createWorkspace({ 'flags/a.yaml': 'flags: { a: {} }\n', 'flags/b.yaml': 'flags: { b: {} }\n' });
    const ran = await runCli(['validate', '-f', 'json', '--deadline', '1ms'], { cwd: root });
    expect([ran.code, ran.document()]).toMatchObject([1, { error: { code: 'deadline' } }]);
    expect((await runCli(['validate', '--deadline', '1h'], { cwd: root })).code).toBe(0);
  });

  test('reports only problems of the named files, with the others as context', async () => {
    const { root } = createWorkspace({
      'flagwright.yaml': 'projects: { local: { service: embedded } }\n',
      'flags/a.yaml': 'flags:\n  a: { activ: true }\n  twice: {}\n',
      'flags/b.yaml':
        'flags:\n  b: { filters: { groups: [{ properties: [{ key: a, type: flag, operator: flag_evaluates_to, value: true }] }] } }\n',
      'flags/c.yaml': 'flags:\n  twice: {}\n',
    });
    const flags = path.join(root, 'flags');
    const good = await runCli(['validate', 'b.yaml', '-f', 'json'], { cwd: flags });
    expect([good.code, good.document()]).toMatchObject([0, { valid: true, files: 1, flags: 1, diagnostics: [] }]);
    const first = await runCli(['validate', path.join(flags, 'a.yaml'), '-f', 'json'], { cwd: root });
    expect(first.document()).toMatchObject({
      files: 1,
      diagnostics: [
        { code: 'property-unknown', file: 'flags/a.yaml' },
        { code: 'flag-duplicate', file: 'flags/c.yaml' },
      ],
    });
    const outside = await runCli(['validate', '/etc/*.yaml'], { cwd: flags });
    expect([outside.code, outside.stdout]).toEqual([
      1,
      expect.stringContaining('"/etc/*.yaml" leads outside') as string,
    ]);
  });

  test('contacts no service: a lone key in the environment, or one project of several, is no problem', async () => {
    const { root } = createWorkspace({
      'flags/a.yaml': 'flags:\n  a: { projects: { b: { active: true } } }\n',
      'flagwright.yaml':
        'projects: { a: { service: embedded }, b: { service: embedded } }\nmanifests: [flags/*.yaml]\n',
    });
    const one = await runCli(['validate', '-p', 'a'], { cwd: root });
    expect([one.code, one.stdout]).toEqual([0, '1 flag in 1 file: no problems\n']);
    const bare = createWorkspace({ 'flags/a.yaml': 'flags: { a: {} }\n' }).root;
    const offline = await runCli(['validate'], { cwd: bare, env: { POSTHOG_API_KEY: KEY } });
    expect([offline.code, offline.stdout]).toEqual([0, '1 flag in 1 file: no problems\n']);
    const online = await runCli(['plan'], { cwd: bare, env: { POSTHOG_API_KEY: KEY } });
    expect(online.stderr).toContain(
      'There is no flagwright.yaml in this or a parent folder, and of the variables that define a project, POSTHOG_API_KEY is set, but POSTHOG_HOST and POSTHOG_PROJECT_ID are not.',
    );
  });

  test('reports a file in UTF-16 as such, and shows none of its content', async () => {
    const { root } = createWorkspace({ 'flags/a.yaml': '' });
    writeFileSync(path.join(root, 'flags/a.yaml'), Buffer.from('\ufeffflags: {}\n', 'utf16le'));
    const { stdout } = await runCli(['validate'], { cwd: root });
    expect(stdout).toContain('This file is UTF-16, not UTF-8.  file-not-utf8\n  → Save it as UTF-8.\n');
  });

  test('reports an invalid configuration in the same document, and never shows a key from it', async () => {
    const { root } = createWorkspace({
      'flagwright.yaml': `projects:\n  main: { host: https://x.test, project_id: "1", api_key: ${KEY} }\n`,
    });
    const { code, stdout, stderr } = await runCli(['validate', '-f', 'json'], { cwd: root });
    expect(code).toBe(1);
    expect(stdout + stderr).not.toContain(KEY);
    expect(schemaErrors('validation', JSON.parse(stdout))).toEqual([]);
    const text = await runCli(['plan'], { cwd: root });
    expect([text.code, text.stderr.includes(KEY)]).toEqual([1, false]);
  });

  test('finds the configuration in a parent folder, and shows lines of files from there', async () => {
    const { root } = createWorkspace({
      'flagwright.yaml': 'projects: { local: { service: embedded } }\n',
      'flags/a.yaml': 'flags:\n  a b: { active: true }\n',
      'deep/er/x.txt': '',
    });
    const { code, stderr } = await runCli(['plan'], { cwd: path.join(root, 'deep/er') });
    expect([code, stderr]).toEqual([1, expect.stringContaining('  2 |   a b: { active: true }\n') as string]);
  });
});

test('a manifest named .yml counts like one named .yaml', async () => {
  const { root } = createWorkspace({ 'flags/a.yml': 'flags: { a: {} }\n', 'flags/b.yaml': 'flags: { b: {} }\n' });
  expect((await runCli(['validate'], { cwd: root })).stdout).toContain('2 flags');
});

describe('a manifest that the configuration does not match', () => {
  const FILES = {
    'flagwright.yaml': 'manifests: [flags/*.yaml]\nprojects: { local: { service: embedded } }\n',
    'flags/a.yaml': 'flags: { a: {} }\n',
    'flags/b.yml': 'flags:\n  b: { activ: true }\n',
    'flags/c.yml': 'x-note: no flags here\n',
  };

  test('is an error if it is named, beside its own problems', async () => {
    const { root } = createWorkspace(FILES);
    const named = await runCli(['validate', 'b.yml', '-f', 'json'], { cwd: path.join(root, 'flags') });
    expect([named.code, named.document()]).toMatchObject([
      1,
      {
        valid: false,
        diagnostics: [
          { code: 'file-unmatched', severity: 'error', file: 'flags/b.yml', line: 1 },
          { code: 'property-unknown', file: 'flags/b.yml' },
        ],
      },
    ]);
    const text = await runCli(['validate', 'flags/b.yml'], { cwd: root });
    expect(text.stdout).toContain('"flags/*.yaml"');
    expect(text.stdout).toContain('add it to `manifests` in flagwright.yaml');
    expect((await runCli(['validate', 'flags/a.yaml'], { cwd: root })).code).toBe(0);
  });

  test('is a warning of validate and plan otherwise', async () => {
    const { root } = createWorkspace(FILES);
    const all = await runCli(['validate', '-f', 'json'], { cwd: root });
    expect([all.code, all.document()]).toMatchObject([
      0,
      { valid: true, files: 1, diagnostics: [{ code: 'file-unmatched', severity: 'warning', file: 'flags/b.yml' }] },
    ]);
    const planned = await runCli(['plan'], { cwd: root });
    expect(planned.code).toBe(0);
    expect(planned.stderr).toMatch(/^flags\/b\.yml:1:1 {2}warning {2}.*file-unmatched$/m);
    expect(planned.stderr).not.toContain('c.yml');
  });

  test('is no problem where it is left out on purpose', async () => {
    const { root } = createWorkspace({
      ...FILES,
      'flagwright.yaml': 'manifests: [flags/*.yaml, "!flags/b.yml"]\nprojects: { local: { service: embedded } }\n',
    });
    expect((await runCli(['validate'], { cwd: root })).stdout).toBe('1 flag in 1 file: no problems\n');
  });
});
