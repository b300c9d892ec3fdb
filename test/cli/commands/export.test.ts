import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { runCli } from '../../helpers/run.ts';
import { schemaErrors } from '../../helpers/schemas.ts';
import { MANIFEST, stage } from '../../helpers/stage.ts';
import { createWorkspace } from '../../helpers/workspace.ts';

describe('export', () => {
  test('names the examples of init that are still as they were written', async () => {
    const { run, workspace } = await stage(
      undefined,
      'default_project: main\nprojects:\n  local: { service: embedded }\n  main: { host: "$HOST", project_id: "1" }\n',
    );
    expect((await run('apply', '--yes')).code).toBe(0);
    workspace.write('flags/main.yaml', 'flags: {}\n');
    const { root, read } = createWorkspace();
    expect((await runCli(['init'], { cwd: root })).code).toBe(0);
    for (const file of ['flags/example.yaml', 'tests/example.yaml']) workspace.write(file, read(file));
    const exported = async (): Promise<string> => (await run('export', '--dir', 'flags', '--force')).stderr;
    expect(await exported()).toContain('To remove them: rm flags/example.yaml tests/example.yaml');
    workspace.write('flags/example.yaml', `${read('flags/example.yaml')}# ours\n`);
    expect(await exported()).toContain('To remove them: rm tests/example.yaml');
  });

  test('gives manifests whose plan is empty, and overwrites only with --force', async () => {
    const { run, runWith, world, workspace } = await stage();
    await run('apply', '--yes');
    await world.client.createFlag({
      key: 'checkout-two',
      name: 'Two\nlines',
      filters: { groups: [{ rollout_percentage: 5 }] },
    });
    const other = createWorkspace();
    expect(await runWith({ cwd: other.root }, 'export', '--role-access')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('+ written  flags/checkout.yaml') as string,
    });
    expect((await runWith({ cwd: other.root }, 'plan', '--detailed-exitcode', '--prune')).code).toBe(0);
    const before = readFileSync(path.join(other.root, 'flags/checkout.yaml'), 'utf8');
    expect(await runWith({ cwd: other.root }, 'export')).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('flags/checkout.yaml') as string,
    });
    expect(readFileSync(path.join(other.root, 'flags/checkout.yaml'), 'utf8')).toBe(before);
    const scattered = await runWith({ cwd: other.root }, 'export', '--force', '--group-by', 'flag');
    expect(scattered.stderr).toMatch(/^note {2}flags\/\S+ also declares \d exported flags?,/m);
    expect((await runWith({ cwd: createWorkspace().root }, 'export', '--dir', 'elsewhere')).stderr).toMatch(
      /no plan reads elsewhere\/\S+ and \d other files?: the manifests patterns in flagwright.yaml/,
    );
    const forced = await runWith({ cwd: other.root }, 'export', '--force', '-f', 'json');
    expect([forced.code, schemaErrors('files', forced.document())]).toEqual([0, []]);
    expect(workspace.read('flags/main.yaml')).toBe(MANIFEST);
  });

  test('names other projects that lack the aliases that it uses', async () => {
    const { run, world } = await stage(
      MANIFEST,
      `default_project: main
manifests: [exported/*.yaml]
projects:
  main: { host: $HOST, project_id: "1", cohorts: { beta: 42 } }
  other: { host: $HOST, project_id: "1" }
`,
    );
    const cohort = { key: 'id', type: 'cohort', operator: 'in', value: 42 };
    await world.client.createFlag({ key: 'a', filters: { groups: [{ properties: [cohort] }] } });
    const { code, stderr } = await run('export', '--dir', 'exported');
    expect(code).toBe(0);
    expect(stderr).toMatch(/^note {2}project other lacks aliases for cohorts or roles that the exported files use/m);
  });
});
