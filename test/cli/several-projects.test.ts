import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { schemaErrors } from '../helpers/schemas.ts';
import { committing, severalProjects, TWO_FLAGS } from '../helpers/several-projects.ts';

const THREE = { staging: '', eu: ', after: [staging]', us: ', after: [staging]' };
const ALL = '--all-projects';

describe('a plan of several projects', () => {
  test('is a table and the plan of each that has changes; those in sync are a line of the table', async () => {
    const { run } = await severalProjects(THREE);
    expect((await run('apply', '-p', 'eu', '--yes')).code).toBe(0);
    const { code, stdout } = await run('plan', ALL);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Plan for 3 projects\n\n {2}project +result +create +update +delete/);
    expect(stdout).toMatch(/^ {2}eu +in sync +· +· +·$/m);
    expect(stdout).toMatch(/^ {2}us +to apply +2 +· +·$/m);
    expect(stdout.match(/^Plan for \w+ \(/gm)).toEqual(['Plan for staging (', 'Plan for us (']);
    expect(stdout).toMatch(/\n2 to apply, 1 in sync\n$/);
  });

  test('that apply finds in sync everywhere is shown once', async () => {
    const { run } = await severalProjects({ staging: '', eu: '' });
    await run('apply', ALL, '--yes');
    const again = await run('apply', ALL);
    expect([again.code, `${again.stdout}${again.stderr}`.match(/^ {2}eu +in sync/gm)]).toEqual([
      0,
      ['  eu       in sync'],
    ]);
  });

  test('leaves out an embedded project beside those of a service, unless --project names it', async () => {
    const { run, write } = await severalProjects(
      { staging: '', eu: ', roles: { ops: 0188a2d0-7b3c-7e61-9f61-2f6f2f6a1c11 }' },
      { settings: '  local: { service: embedded }\n' },
    );
    write('flags/main.yaml', 'flags:\n  a: { only_in: [eu, local], role_access: [ops] }\n');
    const names = async (...argv: string[]): Promise<string[]> => {
      const { document } = await run(...argv, '-f', 'json');
      return Object.keys(document()['projects'] as object);
    };
    expect(await names('plan', ALL)).toEqual(['staging', 'eu']);
    expect(await names('drift', ALL)).toEqual(['staging', 'eu']);
    expect(await names('plan', '-p', 'eu,local')).toEqual(['eu', 'local']);
    expect((await run('parity', '--declared')).stdout).toContain('Parity of staging, eu (manifests)');
    const withLocal = await run('parity', '-p', 'eu,local', '--declared');
    expect(withLocal).toMatchObject({ code: 0, stderr: '' });
    const { document } = await run('stale', '-f', 'json');
    expect(document()).toMatchObject({ asked: ['staging', 'eu'], not_asked: [] });
  });

  test('is one document with a member for each', async () => {
    const { run } = await severalProjects(THREE);
    const { document } = await run('plan', '-p', 'us,staging', '-f', 'json');
    expect(schemaErrors('projects', document())).toEqual([]);
    expect(Object.keys(document()['projects'] as object)).toEqual(['staging', 'us']);
    expect(document()).toMatchObject({
      command: 'plan',
      projects: { us: { state: 'to_apply', exit: 0, report: { summary: { create: 2 } } } },
    });
  });

  test.each(['markdown', 'html', 'github', 'gitlab', 'sarif', 'junit'])('is one document as %s', async (format) => {
    const { run } = await severalProjects(THREE);
    const { code, stdout } = await run('plan', ALL, '-f', format, '--detailed-exitcode');
    expect(code).toBe(2);
    expect(stdout).not.toBe('');
  });

  test('annotates what is alike in several projects once, with their names', async () => {
    const { run, write } = await severalProjects(THREE);
    await run('apply', ALL, '--yes');
    write('flags/main.yaml', TWO_FLAGS.replace('10 }', '20, projects: { us: { rollout_percentage: 30 } } }'));
    const { stdout } = await run('plan', ALL, '-f', 'github');
    const notices = stdout.split('\n').filter((line) => line.startsWith('::'));
    expect(notices.map((line) => line.replace(/^.*?::.*?::/, ''))).toEqual([
      expect.stringMatching(/^staging, eu: checkout: widen: .*10%25 → 20%25/),
      expect.stringMatching(/^us: checkout: widen: .*10%25 → 30%25/),
    ]);
  });

  test('fails for a project alone where a key is missing, and says which', async () => {
    const { runWith } = await severalProjects(THREE);
    const ran = await runWith({ env: { KEY_EU: '' } }, 'plan', ALL, '-f', 'json');
    expect(ran.code).toBe(1);
    expect(schemaErrors('projects', ran.document())).toEqual([]);
    expect(ran.document()).toMatchObject({
      projects: { staging: { state: 'to_apply' }, eu: { state: 'failed', exit: 1 }, us: { state: 'to_apply' } },
    });
    expect(ran.stderr).toContain('error  eu: ');
    expect(ran.stderr).toContain('KEY_EU');
    const keyless = async (format: string): Promise<string> =>
      (await runWith({ env: { KEY_EU: '' } }, 'plan', ALL, '-f', format)).stdout;
    expect(await keyless('text')).toMatch(/^The run failed for eu\nerror {2}The environment variable KEY_EU/m);
    expect(await keyless('markdown')).toContain('#### Failed: `eu` (`config_invalid`)');
    expect(await keyless('html')).toContain('<h2>The run failed for <code>eu</code></h2>');
  });

  test('tells mistakes in the manifests once', async () => {
    const { run, write } = await severalProjects(THREE);
    write('flags/main.yaml', 'flags:\n  a: { activ: true }\n');
    const { code, stderr, stdout } = await run('plan', ALL);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr.match(/property-unknown/g)).toHaveLength(1);
  });

  test.each([
    [['off', 'checkout', '-p', 'eu,us'], 'off works on one project at a time'],
    [['undo', ALL], '--all-projects'],
    [['plan', ALL, '-p', 'eu'], 'cannot be used together'],
    [['plan', '-p', 'eu,nobody'], 'nobody'],
    [['apply', ALL, '--resume'], '--resume finishes the run of one project'],
    [['plan', ALL, '--against', 'x', '--out', 'y.json'], '--against and --out cannot be used together'],
    [['drift', ALL, '--write-exceptions', 'known.yaml'], 'writes the drift of one project to a new file; name that'],
    [
      ['drift', '-p', 'eu,us', '--write-exceptions', 'known.yaml'],
      '--write-exceptions writes the drift of one project',
    ],
    [['plan', '-p', 'staging,'], '--project "staging," has a comma too many'],
    [['validate', '-p', ',eu'], 'a comma too many'],
    [['parity', '-p', 'eu,us,eu'], '--project names "eu" twice'],
    [['export', ALL, '--dry-run'], '--dry-run shows the export of one project; name that project with -p.'],
  ])('%j is refused before any request', async (argv, words) => {
    const { run, root, worlds } = await severalProjects(THREE);
    await Promise.all(Object.values(worlds).map(async (world) => world.close()));
    const { code, stdout, stderr } = await run(...argv);
    expect([code, stdout, stderr]).toEqual([1, '', expect.stringContaining(words) as string]);
    expect(readdirSync(root)).not.toContain('known.yaml');
  });
});

test('the table of drift counts what people changed, apart from what is not applied yet', async () => {
  const several = await severalProjects(THREE);
  const { runWith, worlds, write } = several;
  const { env } = committing(several);
  expect((await runWith({ env }, 'apply', ALL, '--yes')).code).toBe(0);
  await worlds.us.edit('search', { active: false });
  write('flags/main.yaml', TWO_FLAGS.replace('10 }', '10, projects: { staging: { rollout_percentage: 20 } } }'));
  const { code, stdout } = await runWith({ env }, 'drift', ALL);
  expect(code).toBe(2);
  expect(stdout).toMatch(/^ {2}project +result +missing +different +not applied yet +effects$/m);
  expect(stdout).toMatch(/^ {2}staging +in sync +· +· +1$/m);
  expect(stdout).toMatch(/^ {2}eu +in sync +· +· +·$/m);
  expect(stdout).toMatch(/^ {2}us +different +· +1 +· +1 kill$/m);
});

test('a plan against the snapshots of a folder is that of the projects, and one without a snapshot fails alone', async () => {
  const several = await severalProjects(THREE, { settings: 'limits: { all_projects: 3 }\n' });
  const { run, runWith } = several;
  several.write('live/README.md', '');
  for (const name of ['staging', 'eu']) await run('snapshot', '-p', name, '--out', `live/${name}.json`);
  const live = (await run('plan', '-p', 'staging,eu', '-f', 'json')).document();
  const env = { KEY_STAGING: '', KEY_EU: '', KEY_US: '' };
  for (const world of Object.values(several.worlds)) await world.close();
  const ran = await runWith({ env }, 'plan', ALL, '--against', 'live', '--max-age', '1h', '-f', 'json');
  const changesIn = (document: object): unknown =>
    Object.values((document as { projects: Record<string, { report: { changes?: unknown } }> }).projects).map(
      ({ report }) => report.changes,
    );
  expect([ran.code, changesIn(ran.document())]).toEqual([1, [...(changesIn(live) as unknown[]), undefined]]);
  expect(ran.stderr).toMatch(/^error {2}us: .*live.us\.json/m);
  expect(ran.stderr).toContain('Apply would refuse these plans: 4 changes in 2 projects');
});

describe('an apply to several projects', () => {
  test('asks once, applies to all, and finds them in sync after that', async () => {
    const { run, runWith, keysOf } = await severalProjects(THREE);
    const asked = await runWith({ answer: { line: 'yes' } }, 'apply', ALL);
    expect(asked.code).toBe(0);
    expect(asked.stderr.match(/Only "yes" is accepted/g)).toHaveLength(1);
    expect(asked.stderr).toContain('Apply these changes to staging, eu, us?');
    for (const name of ['staging', 'eu', 'us'] as const) expect(await keysOf(name)).toEqual(['checkout', 'search']);
    const again = await run('apply', ALL, '-f', 'json');
    expect(again.code).toBe(0);
    expect(again.document()).toMatchObject({
      projects: { staging: { state: 'in_sync' }, eu: { state: 'in_sync' }, us: { state: 'in_sync' } },
    });
    expect((await run('drift', ALL)).stdout).toContain('3 in sync');
  });

  test('writes nothing where the answer is no', async () => {
    const { runWith, keysOf } = await severalProjects(THREE);
    expect((await runWith({ answer: { line: 'no' } }, 'apply', ALL)).code).toBe(4);
    for (const name of ['staging', 'eu', 'us'] as const) expect(await keysOf(name)).toEqual([]);
  });

  test('holds what comes after a project that is not in sync, and applies the rest', async () => {
    const { runWith, run, keysOf } = await severalProjects({ staging: '', eu: ', after: [staging]', alone: '' });
    const ran = await runWith({ env: { KEY_STAGING: '' } }, 'apply', ALL, '--yes', '-f', 'json');
    expect(ran.code).toBe(3);
    expect(schemaErrors('projects', ran.document())).toEqual([]);
    expect(ran.document()).toMatchObject({
      projects: {
        staging: { state: 'failed', exit: 1 },
        eu: { state: 'held', held_by: 'staging' },
        alone: { state: 'applied', exit: 0 },
      },
    });
    expect(ran.stderr).toContain('error  eu: held, since staging is not in sync (failed); nothing was applied.');
    expect([await keysOf('eu'), await keysOf('alone')]).toEqual([[], ['checkout', 'search']]);
    // The next run does what is left.
    const next = await run('apply', ALL, '--yes', '-f', 'json');
    expect([next.code, await keysOf('eu')]).toEqual([0, ['checkout', 'search']]);
    expect(next.document()).toMatchObject({ projects: { staging: { state: 'applied' }, alone: { state: 'in_sync' } } });
  });

  test('with nothing applied anywhere ends as the gravest of the projects', async () => {
    const { runWith } = await severalProjects({ staging: '', eu: ', after: [staging]' });
    const ran = await runWith({ env: { KEY_STAGING: '' } }, 'apply', ALL, '--yes');
    expect(ran.code).toBe(1);
  });

  test('is refused over the limit of all projects, whatever the options', async () => {
    const { run, keysOf } = await severalProjects(THREE, { settings: 'limits: { all_projects: 5 }\n' });
    const refused = await run('apply', ALL, '--yes', '--allow-updates', '99');
    expect(refused.code).toBe(4);
    expect(refused.stderr).toContain(
      '6 changes in 3 projects; the limit of a run over several is 5 (limits.all_projects)',
    );
    expect(await keysOf('staging')).toEqual([]);
    expect((await run('apply', '-p', 'staging,eu', '--yes')).code).toBe(0);
  });

  test('counts a project that policies refuse as refused, and holds those after it', async () => {
    const { run, write, keysOf } = await severalProjects(THREE, { settings: 'protected: [search]\n' });
    expect((await run('apply', ALL, '--yes')).code).toBe(0);
    write(
      'flags/main.yaml',
      `${TWO_FLAGS.replace('search: { active: true }', 'search: { active: true, projects: { staging: { active: false } } }')}  added: {}\n`,
    );
    const ran = await run('apply', ALL, '--yes', '-f', 'json');
    expect(ran.document()).toMatchObject({
      projects: { staging: { state: 'refused', exit: 4 }, eu: { state: 'held' }, us: { state: 'held' } },
    });
    expect([ran.code, await keysOf('us')]).toEqual([4, ['checkout', 'search']]);
  });
});

describe('saved plans of several projects', () => {
  test('are one file, shown as planned, and applied unchanged', async () => {
    const { run, keysOf } = await severalProjects(THREE);
    const planned = await run('plan', ALL, '--out', 'plans.json');
    expect([planned.code, planned.stderr]).toEqual([
      0,
      expect.stringContaining('flagwright apply plans.json') as string,
    ]);
    expect((await run('show', 'plans.json')).stdout).toBe(planned.stdout);
    expect((await run('apply', 'plans.json')).code).toBe(0);
    for (const name of ['staging', 'eu', 'us'] as const) expect(await keysOf(name)).toEqual(['checkout', 'search']);
  });

  test('one that is stale blocks only the projects after it', async () => {
    const { run, write, worlds, keysOf } = await severalProjects({ staging: '', eu: ', after: [staging]', us: '' });
    expect((await run('apply', ALL, '--yes')).code).toBe(0);
    write('flags/main.yaml', TWO_FLAGS.replace('rollout_percentage: 10', 'rollout_percentage: 20'));
    expect((await run('plan', ALL, '--out', 'plans.json')).code).toBe(0);
    await worlds.staging.edit('checkout', { active: false });
    const ran = await run('apply', 'plans.json', '-f', 'json');
    expect(ran.document()).toMatchObject({
      projects: { staging: { state: 'stale', exit: 5 }, eu: { state: 'held' }, us: { state: 'applied' } },
    });
    expect(ran.code).toBe(3);
    expect(await keysOf('eu')).toEqual(['checkout', 'search']);
  });

  test('one with nothing to do is stale where somebody edited the project since, and what is after it is held', async () => {
    const { run, write, worlds } = await severalProjects({ staging: '', eu: ', after: [staging]', us: '' });
    expect((await run('apply', ALL, '--yes')).code).toBe(0);
    write(
      'flags/main.yaml',
      TWO_FLAGS.replace('10 }', '10, projects: { eu: { rollout_percentage: 20 }, us: { rollout_percentage: 20 } } }'),
    );
    expect((await run('plan', ALL, '--out', 'plans.json')).code).toBe(0);
    await worlds.staging.edit('search', { active: false });
    const ran = await run('apply', 'plans.json', '-f', 'json');
    expect(ran.document()).toMatchObject({
      projects: { staging: { state: 'stale', exit: 5 }, eu: { state: 'held' }, us: { state: 'applied' } },
    });
    expect([ran.code, ran.stderr]).toEqual([
      3,
      expect.stringContaining(
        'differs from the manifests in search: since the plan, one of the two was edited',
      ) as string,
    ]);
  });

  test('what is after a project is held where another flag of that was edited since the plan', async () => {
    const { run, write, worlds } = await severalProjects({ staging: '', eu: ', after: [staging]' });
    expect((await run('apply', ALL, '--yes')).code).toBe(0);
    write('flags/main.yaml', TWO_FLAGS.replace('rollout_percentage: 10', 'rollout_percentage: 20'));
    expect((await run('plan', ALL, '--out', 'plans.json')).code).toBe(0);
    await worlds.staging.edit('search', { active: false });
    const ran = await run('apply', 'plans.json', '-f', 'json');
    expect(ran.document()).toMatchObject({
      projects: { staging: { exit: 3, report: { outcomes: { applied: 1 } } }, eu: { state: 'held' } },
    });
    expect(ran.code).toBe(3);
  });

  test('that cover a part of the flags are held against that part after their apply', async () => {
    const { run, write, worlds, keysOf } = await severalProjects({ staging: '', eu: ', after: [staging]' });
    expect((await run('apply', '-p', 'staging', '--yes')).code).toBe(0);
    write('flags/main.yaml', TWO_FLAGS.replace('rollout_percentage: 10', 'rollout_percentage: 20'));
    await worlds.staging.edit('search', { active: false });
    expect((await run('plan', ALL, '--target', 'checkout', '--out', 'plans.json')).code).toBe(0);
    const ran = await run('apply', 'plans.json', '-f', 'json');
    expect(ran.document()).toMatchObject({ projects: { staging: { state: 'applied' }, eu: { state: 'applied' } } });
    expect([ran.code, await keysOf('eu')]).toEqual([0, ['checkout']]);
  });

  test.each([['{ "target": [] }'], ['{ "prune": "yes" }'], ['{ "exclude": ["a"] }'], ['{}'], ['[]']])(
    'with the selection %s are refused before any request',
    async (selection) => {
      const { run, read, write, keysOf } = await severalProjects(THREE);
      expect((await run('plan', ALL, '--target', 'checkout', '--prune', '--out', 'plans.json')).code).toBe(0);
      const plans = JSON.parse(read('plans.json')) as object;
      expect(plans).toMatchObject({ selection: { target: ['checkout'], prune: true } });
      write('plans.json', JSON.stringify({ ...plans, selection: JSON.parse(selection) as object }));
      const ran = await run('apply', 'plans.json');
      expect([ran.code, ran.stderr]).toEqual([1, expect.stringContaining('which differences they cover') as string]);
      expect(await keysOf('staging')).toEqual([]);
    },
  );

  test('are not saved where one project has none', async () => {
    const { runWith } = await severalProjects(THREE);
    const ran = await runWith({ env: { KEY_US: '' } }, 'plan', ALL, '--out', 'plans.json');
    expect([ran.code, ran.stderr]).toEqual([1, expect.stringContaining('Not saved: 1 of the plans') as string]);
  });

  test('with -p, some of them are applied', async () => {
    const { run, keysOf } = await severalProjects(THREE);
    await run('plan', ALL, '--out', 'plans.json');
    expect((await run('apply', 'plans.json', '-p', 'us')).code).toBe(0);
    expect([await keysOf('us'), await keysOf('eu')]).toEqual([['checkout', 'search'], []]);
  });
});

test('an export of several projects declares what they differ in, so that each plan is empty', async () => {
  const { run, write, worlds } = await severalProjects(THREE);
  await run('apply', ALL, '--yes');
  await worlds.us.edit('search', { active: false });
  write('flags/main.yaml', '');
  const exported = await run('export', ALL, '--force');
  expect([exported.code, exported.stderr]).toEqual([0, expect.any(String)]);
  const { code, stdout } = await run('plan', ALL, '--detailed-exitcode');
  expect([code, stdout]).toEqual([0, expect.stringContaining('3 in sync') as string]);
});

test('projects come after projects that exist, and not after themselves', async () => {
  const { run } = await severalProjects({ staging: ', after: [eu, prod]', eu: ', after: [staging]' });
  const { code, stderr } = await run('plan', ALL);
  expect(code).toBe(1);
  expect(stderr).toContain('These projects come after each other: eu → staging → eu.');
  expect(stderr).toContain('prod');
});

test('where no project is chosen, the remedy names all of them for commands that work on all', async () => {
  const { run } = await severalProjects({ staging: '', eu: '' });
  const { code, stderr } = await run('plan');
  expect([code, stderr]).toEqual([1, expect.stringContaining('with --project, take all with --all-projects, or set')]);
  expect((await run('snapshot', '--out', 'x.json')).stderr).toContain('"eu" with --project, or set');
});

test('validate and test check the projects that -p names', async () => {
  const { run, write } = await severalProjects({ staging: '', eu: '', us: '' });
  expect((await run('validate', '-p', 'us,eu')).code).toBe(0);
  expect((await run('validate', '-p', 'us,nobody')).code).toBe(1);
  write(
    'flags/main.yaml',
    'flags:\n  a: { active: true, rollout_percentage: 100, projects: { us: { active: false } } }\n',
  );
  write('tests/a.yaml', 'people: { ann: { id: ann } }\nexpect: [{ person: ann, flags: { a: true } }]\n');
  expect((await run('test', '--all-projects')).code).toBe(2);
  expect((await run('test', '-p', 'staging,eu')).code).toBe(0);
});
