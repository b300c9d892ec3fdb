import { describe, expect, onTestFinished, test } from 'vitest';
import { runCli, type Ran } from '../../helpers/run.ts';
import { schemaErrors } from '../../helpers/schemas.ts';
import { createWorkspace } from '../../helpers/workspace.ts';
import { startWorld, type World } from '../../helpers/world.ts';
import { rolledOut } from '../../helpers/states.ts';

const KEY = 'phx_planted_key_0123456789';

interface Two {
  readonly staging: World;
  readonly production: World;
  readonly run: (...argv: string[]) => Promise<Ran>;
}

async function twoServices(manifest: string): Promise<Two> {
  const [staging, production] = await Promise.all([startWorld('posthog'), startWorld('documented')]);
  onTestFinished(async () => void (await Promise.all([staging.close(), production.close()])));
  const { root } = createWorkspace({
    'flagwright.yaml': `projects:
  staging: { host: "${staging.url}", project_id: "1" }
  production: { host: "${production.url}", project_id: "1" }
`,
    'flags/main.yaml': manifest,
  });
  const run = (...argv: string[]): Promise<Ran> => runCli(argv, { cwd: root, env: { POSTHOG_API_KEY: KEY } });
  return { staging, production, run };
}

const MANIFEST = `flags:
  checkout: { active: true, rollout_percentage: 100, projects: { production: { rollout_percentage: 5 } } }
  search: { active: true, description: Search }
`;

describe('parity', () => {
  test('compares the services of two generations, and exits with 2 for what no manifest declares', async () => {
    const { staging, production, run } = await twoServices(MANIFEST);
    for (const project of ['staging', 'production']) expect((await run('apply', '-p', project, '--yes')).code).toBe(0);
    expect(await run('parity', '--live')).toMatchObject({
      code: 0,
      stdout: `Parity of staging, production (live flags)

Parity: no undeclared difference in 2 flags · 1 declared (--declared shows them)
`,
    });
    await production.edit('search', { active: false });
    await staging.client.createFlag({ key: 'by-hand', active: true, filters: rolledOut(100) });
    const { code, stdout } = await run('parity', '--live', '--declared');
    expect(code).toBe(2);
    expect(stdout).toBe(`Parity of staging, production (live flags)

  by-hand
    flag
      staging     present
      production  absent

  checkout
    condition 1 · rollout_percentage  declared
      staging     100%
      production  5%

  search
    active
      staging     true
      production  false

Parity: 2 undeclared differences in 2 of 3 flags · 1 declared
`);
    const json = await run('parity', '--from', 'production', '--to', 'staging', '--live', '--format', 'json');
    expect(schemaErrors('parity', json.document())).toEqual([]);
    expect(json.document()).toMatchObject({
      projects: ['production', 'staging'],
      summary: { flags: 3, undeclared: 2, declared: 1 },
    });
    const csv = await run('parity', '--live', '--format', 'csv', '--target', 'search');
    expect(csv.stdout).toBe('key,path,declared,staging,production\r\nsearch,/active,false,true,false\r\n');
  });

  test('compares declared cohorts of the services by alias', async () => {
    const { production, run } = await twoServices(`${MANIFEST}cohorts:
  crew: { filters: { properties: { type: AND, values: [{ key: plan, value: pro }] } } }
`);
    for (const project of ['staging', 'production']) expect((await run('apply', '-p', project, '--yes')).code).toBe(0);
    expect((await run('parity', '--live')).stdout).toContain('no undeclared difference in 2 flags and 1 cohort · 1');
    const crew = (await production.client.listCohorts()).find(({ name }) => name === 'crew');
    await production.client.updateCohort(crew?.id ?? 0, { description: 'By hand.' });
    const { code, stdout } = await run('parity', '--live');
    expect(code).toBe(2);
    expect(stdout).toContain(`  cohort:crew
    description
      staging     (none)
      production  "By hand."

Parity: 1 undeclared difference in 0 of 2 flags and 1 of 1 cohort · 1 declared`);
    const json = await run('parity', '--live', '--target', 'cohort:crew', '--format', 'json');
    expect(schemaErrors('parity', json.document())).toEqual([]);
    expect(json.document()).toMatchObject({ summary: { flags: 0, cohorts: 1 }, differences: [{ key: 'cohort:crew' }] });
    expect((await run('parity', '--live', '--format', 'csv', '--target', 'cohort:*')).stdout).toBe(
      'key,path,declared,staging,production\r\ncohort:crew,/description,false,(none),"""By hand."""\r\n',
    );
  });

  test('compares the manifests without a key, in the order that --from and --to name', async () => {
    const { run } = await twoServices(MANIFEST);
    const { code, stdout } = await run('parity', '--declared', '--from', 'production', '--to', 'staging');
    expect(code).toBe(0);
    expect(stdout).toContain('production  5%\n      staging     100%');
  });

  test('a live difference is gone after promoting or applying the declared value', async () => {
    const { production, run } = await twoServices(MANIFEST);
    for (const project of ['staging', 'production']) await run('apply', '-p', project, '--yes');
    await production.edit('search', { name: 'Find' });
    expect((await run('parity', '--live')).code).toBe(2);
    await run('apply', '-p', 'production', '--yes');
    expect((await run('parity', '--live')).code).toBe(0);
  });

  test.each([
    [['--from', 'staging'], '--from and --to must be used together'],
    [['--from', 'staging', '--to', 'staging'], '--from and --to both name "staging"'],
    [['--from', 'stagin', '--to', 'production'], 'Did you mean'],
    [['--target', 'serch'], 'Did you mean --target search?'],
    [['-p', 'staging'], 'parity does not use --project'],
  ])('refuses %j', async (argv, words) => {
    const { run } = await twoServices(MANIFEST);
    const { code, stderr } = await run('parity', ...argv);
    expect(code).toBe(1);
    expect(stderr).toContain(words);
  });
});
