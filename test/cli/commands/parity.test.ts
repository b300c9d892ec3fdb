import { describe, expect, onTestFinished, test } from 'vitest';
import { runCli, type Ran } from '../../helpers/run.ts';
import { severalProjects, type SeveralProjects } from '../../helpers/several-projects.ts';
import { schemaErrors } from '../../helpers/schemas.ts';
import { createWorkspace } from '../../helpers/workspace.ts';
import { startWorld, type World } from '../../helpers/world.ts';
import { rolledOut } from '../../helpers/states.ts';
import { serve } from '../../posthog/client/support/server.ts';

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

  name      field                             staging  production  declared
  by-hand   flag                              present  absent      no
  checkout  condition 1 · rollout_percentage  100%     5%          yes
  search    active                            true     false       no

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
    expect(stdout).toContain(`  name         field        staging  production
  cohort:crew  description  (none)   "By hand."

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
    expect(stdout).toMatch(/ production +staging +declared\n.* 5% +100% +yes\n/);
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
    [['-p', 'staging'], '--project names only "staging"'],
    [['-p', 'staging', '--from', 'staging', '--to', 'production'], '--from and --to already name the projects'],
  ])('refuses %j', async (argv, words) => {
    const { run } = await twoServices(MANIFEST);
    const { code, stderr } = await run('parity', ...argv);
    expect(code).toBe(1);
    expect(stderr).toContain(words);
  });
});

describe('the table of several projects', () => {
  const MANY = `flags:
  checkout: { active: true, rollout_percentage: 10, projects: { us: { rollout_percentage: 50 } } }
  half: { active: true, rollout_percentage: 50 }
  old: { active: false }
  search: { active: true }
  targeted:
    active: true
    filters: { groups: [{ properties: [{ key: a, type: person, operator: exact, value: [b] }], rollout_percentage: 100 }] }
  only: { active: true, only_in: [eu] }
`;

  test('has all flags with --all-flags, of the projects that -p names', async () => {
    const { run } = await severalProjects({ staging: '', eu: '', us: '' }, { manifest: MANY });
    const { code, stdout } = await run('parity', '--all-projects', '--all-flags');
    expect(code).toBe(0);
    expect(stdout).toBe(`Parity of staging, eu, us (manifests)

  name      field                             staging          eu               us               declared
  checkout  condition 1 · rollout_percentage  10%              10%              50%              yes
  half      same                              50%              50%              50%
  old       same                              off              off              off
  only      flag                              absent           present          absent           yes
  search    same                              on               on               on
  targeted  same                              on, 1 condition  on, 1 condition  on, 1 condition

Parity: no undeclared difference in 6 flags · 2 declared
`);
    const two = await run('parity', '-p', 'us,staging', '--all-flags', '-f', 'json');
    expect(schemaErrors('parity', two.document())).toEqual([]);
    expect(two.document()).toMatchObject({
      projects: ['staging', 'us'],
      differences: [{ key: 'checkout' }],
      alike: ['half', 'old', 'search', 'targeted'],
    });
    expect((await run('parity', '-p', 'us,eu', '--all-flags', '-f', 'csv')).stdout).toContain(
      '\r\nhalf,,,(same),(same)\r\n',
    );
    expect((await run('apply', '--all-projects', '--yes')).code).toBe(0);
    const live = await run('parity', '--live', '-p', 'staging,us', '--all-flags');
    for (const [name, form] of Object.entries({
      half: '50%',
      old: 'off',
      search: 'on, 0 conditions',
      targeted: 'on, 1 condition',
    }))
      expect(live.stdout).toMatch(new RegExp(`^ {2}${name} +same +${form} +${form}$`, 'm'));
  });

  test('is a list in a terminal that has no room for it', async () => {
    const { run, runWith } = await severalProjects({ staging: '', eu: '', us: '' }, { manifest: MANY });
    const ran = await runWith({ columns: 80 }, 'parity', '--all-flags');
    expect(ran.stdout).toContain(`  checkout
    condition 1 · rollout_percentage  declared
      staging  10%
      eu       10%
      us       50%
`);
    expect(ran.stdout).toContain(`Same in all projects:
  half  50%
  old  off
`);
    expect((await run('parity', '--all-flags')).stdout).toContain('  half      same ');
  });

  test('is Markdown and a page', async () => {
    const { run } = await severalProjects({ staging: '', eu: '', us: '' }, { manifest: MANY });
    const markdown = await run('parity', '--all-flags', '-f', 'markdown');
    expect(markdown.stdout).toContain(`| name | field | \`staging\` | \`eu\` | \`us\` | declared |
| --- | --- | --- | --- | --- | --- |
| \`checkout\` | \`condition 1 · rollout_percentage\` | \`10%\` | \`10%\` | \`50%\` | yes |
| \`half\` | same | 50% | 50% | 50% |  |
`);
    const page = await run('parity', '--all-flags', '-f', 'html');
    expect(page.stdout).toContain('<th scope="row"><span class="strong">half</span></th>');
  });
});

describe('of --live, projects that cannot be read', () => {
  const FLAGS = `flags:
  checkout: { active: true, rollout_percentage: 10, projects: { us: { rollout_percentage: 50 } } }
  search: { active: true }
`;
  const THREE = { staging: '', eu: '', us: '' };
  const LIVE = ['parity', '--live', '--all-projects'];
  type Several = SeveralProjects<keyof typeof THREE>;

  /** Their environment, after which `eu` cannot be read. */
  const ways: Readonly<Record<string, readonly [words: string, spoil: (several: Several) => Promise<object>]>> = {
    'whose key is missing': ['KEY_EU', async () => Promise.resolve({ KEY_EU: '' })],
    'whose key is wrong': [
      'does not accept the API key',
      async ({ read, write, worlds }) => {
        const { host } = await serve(() => ({ status: 401, body: {} }));
        write('flagwright.yaml', read('flagwright.yaml').replace(worlds.eu.url, host));
        return {};
      },
    ],
    'whose host is down': [
      'cannot be reached',
      // No service of another test gets such a port.
      async ({ read, write, worlds }) => {
        write('flagwright.yaml', read('flagwright.yaml').replace(worlds.eu.url, 'http://127.0.0.1:899'));
        return {};
      },
    ],
  };

  test.each(Object.entries(ways))('%s have a column that says so, and the others are compared', async (_name, way) => {
    const [words, spoil] = way;
    const several = await severalProjects(THREE, { manifest: FLAGS });
    expect((await several.run('apply', '--all-projects', '--yes')).code).toBe(0);
    await several.worlds.us.edit('search', { active: false });
    const env = { ...(await spoil(several)) };
    const run = (...argv: string[]): Promise<Ran> => several.runWith({ env }, ...LIVE, ...argv);

    const [text, json, csv, ...pages] = await Promise.all([
      run('--all-flags'),
      run('-f', 'json'),
      run('-f', 'csv', '--target', 'search'),
      run('-f', 'markdown'),
      run('-f', 'html'),
    ]);
    const { code, stdout, stderr } = text;
    expect([code, stderr]).toEqual([1, expect.stringMatching(new RegExp(`^error {2}eu: .*${words}`, 'm'))]);
    expect(stdout).toMatch(/^ {2}search +active +true +\(not read\) +false +no$/m);
    expect(stdout).toMatch(new RegExp(`^warning {2}eu was not read: .*${words}`, 'm'));
    expect(stdout).toMatch(/^Parity: 1 undeclared difference .* · not read: eu$/m);

    expect([json.code, schemaErrors('parity', json.document())]).toEqual([1, []]);
    expect(json.document()).toMatchObject({
      projects: ['staging', 'eu', 'us'],
      differences: [{ key: 'search', declared: false, values: { eu: { state: 'unread' } } }],
      not_read: { eu: { message: expect.stringContaining(words) as string } },
    });
    expect(csv.stdout).toContain('search,/active,false,true,(unread),false');
    for (const page of pages) {
      expect([page.code, page.stdout]).toEqual([1, expect.stringContaining('(not read)') as string]);
      expect(page.stdout).toContain('1 project not read');
    }
  });

  test('are told where all that was read is the same, and are a failure where fewer than two were read', async () => {
    const several = await severalProjects(THREE);
    expect((await several.run('apply', '--all-projects', '--yes')).code).toBe(0);
    const one = await several.runWith({ env: { KEY_EU: '' } }, ...LIVE, '--all-flags');
    expect([one.code, one.stdout]).toEqual([1, expect.stringMatching(/ {2}search +same +on.* +\(not read\) +on/)]);
    expect(one.stdout).toContain('no undeclared difference in 2 flags · not read: eu');
    const two = await several.runWith({ env: { KEY_EU: '', KEY_US: '' } }, ...LIVE, '-f', 'json');
    expect([two.code, schemaErrors('error', two.document())]).toEqual([1, []]);
    expect(two.document()).toMatchObject({ error: { code: 'config_invalid' } });
  });
});
