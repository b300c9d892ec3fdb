import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import { git } from '../../helpers/repository.ts';
import { schemaErrors } from '../../helpers/schemas.ts';
import { stage } from '../../helpers/stage.ts';

const CONFIG = `default_project: main
projects:
  main: { host: $HOST, project_id: "1", api_key_env: POSTHOG_API_KEY }
  other: { host: $HOST, project_id: "1", api_key_env: POSTHOG_API_KEY }
`;

const MANIFEST = `flags:
  checkout:
    description: One page
    active: true
    filters:
      groups:
        - description: all
          rollout_percentage: 10
        - properties:
            - { key: email, operator: icontains, value: '@acme.com' }
    projects:
      main:
        active: false
        conditions: { all: { rollout_percentage: 50 } }
`;

const values = (stdout: string): JsonObject[] => (JSON.parse(stdout) as { values: JsonObject[] }).values;

describe('explain', () => {
  test('names layer, place, commit, live value and its author', async () => {
    const { run, world, workspace } = await stage(MANIFEST, CONFIG);
    git(workspace.root, 'init', '--quiet');
    git(workspace.root, 'add', '-A');
    git(workspace.root, 'commit', '--quiet', '-m', 'First');
    await run('apply', '--yes');
    await world.edit('checkout', { active: true });
    workspace.write('flags/main.yaml', MANIFEST.replace('One page', 'Two pages'));

    const { code, stdout } = await run('explain', 'checkout');
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^checkout in main \(.*\)\nhttp:\S+\/project\/1\/feature_flags\/1\n\ndescription: "Two pages"\n/,
    );
    expect(stdout).toMatch(
      /description: .*\n {2}from {5}flags\/main\.yaml:3:5, for all projects\n {2}line {5}not committed yet\n {2}live {5}"?One page"?\n/,
    );
    expect(stdout).toMatch(
      /active: false\n {2}from {5}flags\/main\.yaml:13:9, overlay of the project\n {2}instead {2}of true {2}flags\/main\.yaml:4:5, for all projects\n {2}line {5}[0-9a-f]{10} by Ana <ana@example\.com> on 2026-01-01 00:00:00 UTC: First\n {2}live {5}true\n {2}who {6}changed by embedded@example\.org on \S+ \S+ UTC, with flagwright, in a run/,
    );
    expect(stdout).toMatch(
      /condition 1 · rollout_percentage: 50\n.*\n {2}instead {2}of 10 {2}flags\/main\.yaml:8:11, .*\n.*\n {2}live {5}the same\n/,
    );

    const json = await run('explain', 'checkout', '-f', 'json');
    expect(schemaErrors('explain', JSON.parse(json.stdout))).toEqual([]);
    expect(values(json.stdout).map(({ path }) => path)).toEqual([
      '/name',
      '/active',
      '/filters/groups/0/description',
      '/filters/groups/0/rollout_percentage',
      '/filters/groups/1/properties',
    ]);
  });

  test('omits values that are the default and live as declared, unless it is asked for them', async () => {
    const usual = `flags:
  checkout:
    active: true
    rollout_percentage: 100
    description: ''
    tags: []
    ensure_experience_continuity: false
    fields: { archived: false, evaluation_runtime: all }
    projects: { main: { tags: [] }, other: { fields: { archived: true } } }
`;
    const { run, world } = await stage(usual, CONFIG);
    await run('apply', '--yes');
    const shown = async (...argv: string[]): Promise<string[]> =>
      (await run('explain', ...argv)).stdout.split('\n').filter((line) => /^\S.*: /.test(line));
    const short = ['active: true', 'condition 1 · rollout_percentage: 100'];
    const notes = [expect.stringContaining('Every edit'), expect.stringContaining('Who changed the lines')];
    const note = 'Not shown: 4 values that are the default (--all).';
    expect(await shown('checkout')).toEqual([...short, 'tags: []', note, ...notes]);
    await world.edit('checkout', { name: 'New' });
    expect(await shown('checkout')).toContain('description: ""');
    const all = await shown('checkout', '--all');
    expect(all).toContain('evaluation_runtime: all');
    expect(await shown('checkout', '-v')).toHaveLength(all.length);
    expect(await shown('checkout.ensure_experience_continuity')).toContain('ensure_experience_continuity: false');
    expect(values((await run('explain', 'checkout', '-f', 'json')).stdout)).toHaveLength(7);
  });

  test('takes one field, by the name that people use', async () => {
    const { run } = await stage(MANIFEST, CONFIG);
    const one = async (name: string): Promise<unknown> =>
      values((await run('explain', name, '--offline', '-f', 'json')).stdout).map(({ path, value }) => [path, value]);
    expect(await one('checkout.conditions.1.rollout_percentage')).toEqual([
      ['/filters/groups/0/rollout_percentage', 50],
    ]);
    expect(await one('checkout.conditions.2')).toEqual([['/filters/groups/1/properties', expect.anything()]]);
    expect(await one('checkout/active')).toEqual([['/active', false]]);
    expect(await run('explain', 'chekout.active')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Did you mean "checkout"?') as string,
    });
    expect(await run('explain', 'checkout.actve')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Did you mean "active"?') as string,
    });
  });

  test('names who gave a flag or a cohort a value for the first time, not who created it', async () => {
    const text = `flags:\n  made: { description: x, rollout_percentage: 10 }\ncohorts:\n  staff:\n    description: y\n    filters: { properties: { type: AND, values: [{ key: a, type: person, operator: exact, value: b }] } }\n`;
    const { run, workspace } = await stage(
      text.replace('description: x, ', '').replace('    description: y\n', ''),
      CONFIG,
    );
    await run('apply', '--yes', '--no-journal');
    workspace.write('flags/main.yaml', text);
    expect((await run('apply', '--yes')).code).toBe(0);
    for (const name of ['made', 'cohort:staff']) {
      const found = values((await run('explain', name, '-f', 'json')).stdout);
      const description = found.find(({ path }) => path === '/name' || path === '/description');
      expect([name, description]).toMatchObject([
        name,
        { attribution: { kind: 'known', run: expect.any(String) as string } },
      ]);
      expect(description?.['attribution']).not.toHaveProperty('created');
    }
  });

  test('says that no manifest declares the field', async () => {
    const { run } = await stage(MANIFEST, CONFIG);
    const { code, stderr } = await run('explain', 'checkout.tags', '--offline');
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringContaining('No manifest declares tags of checkout for main: the service decides.') as string,
    });
  });

  test('shows the rest without a service, a key or git, and says what is missing', async () => {
    const { run, runWith, world } = await stage(MANIFEST, CONFIG);
    expect((await run('explain', 'checkout')).stdout).toContain('The project has no such flag yet.');
    const offline = await run('explain', 'checkout', '--offline');
    expect(offline.stdout).toMatch(/Who changed the lines is not shown: .+\.\n$/);
    expect(offline.stdout).not.toContain('live');
    expect(await runWith({ env: { POSTHOG_API_KEY: '' } }, 'explain', 'checkout.active')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('What is live is not shown: ') as string,
    });
    await world.goDown();
    const unreachable = await run('explain', 'checkout.active', '-f', 'json');
    expect(unreachable.code).toBe(0);
    expect(JSON.parse(unreachable.stdout)).toMatchObject({ live: { kind: 'unread' } });
    expect(schemaErrors('explain', JSON.parse(unreachable.stdout))).toEqual([]);
  });

  test('shows the access of roles', async () => {
    const { run, workspace } = await stage(
      MANIFEST,
      CONFIG.replace(
        'api_key_env: POSTHOG_API_KEY }',
        `api_key_env: POSTHOG_API_KEY, roles: { engineering: 0188a2d0-7b3c-7e61-9f61-2f6f2f6a1c11 } }`,
      ),
    );
    workspace.write('flags/main.yaml', 'flags: { checkout: { active: true, role_access: [engineering] } }\n');
    await run('apply', '--yes');
    const { stdout } = await run('explain', 'checkout.role_access', '-f', 'json');
    expect(values(stdout)).toMatchObject([{ path: '/role_access/roles/engineering', value: 'editor' }]);
  });
});
