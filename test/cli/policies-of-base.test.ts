/** No change weakens the policies that judge it: those of the base count, and so do its exceptions. */

// @module-tag untimely
import { rmSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { CONFIG, gitStage, LATER, onRepository, type GitStage } from '../helpers/git-stage.ts';
import { startFront } from '../helpers/front.ts';
import { cloneOf, createBare } from '../helpers/repository.ts';

const RULES = `policies:
  approvers: [ann, bob]
  rules:
    - { rule: max-widen, points: 25, projects: [main] }
`;
const POLICED = CONFIG + RULES;

/** The first state is applied, with its policies; `LATER` then breaks them. */
async function applied(files: Readonly<Record<string, string>> = {}): Promise<GitStage> {
  const here = await gitStage(POLICED);
  for (const [file, text] of Object.entries(files)) here.write(file, text);
  if (Object.keys(files).length > 0) here.commit();
  expect(await here.run('apply', '--yes')).toMatchObject({ code: 0 });
  return here;
}

describe('a change is judged by the policies of the base though it', () => {
  const write = (here: GitStage, file: string, text: string): void =>
    here.write(file, text.replaceAll('$HOST', here.world.url));

  /** Into the folder `deploy`. */
  const move = (here: GitStage, ...names: readonly string[]): void => {
    here.write('deploy/.keep', '');
    for (const name of names) here.git('mv', name, `deploy/${name}`);
  };

  test.each<[string, (here: GitStage) => readonly string[]]>([
    [
      'deletes them',
      (here) => {
        write(here, 'flagwright.yaml', CONFIG);
        return [];
      },
    ],
    [
      'makes a rule a warning',
      (here) => {
        write(here, 'flagwright.yaml', POLICED.replace('points: 25', 'points: 25, level: warning'));
        return [];
      },
    ],
    [
      'limits a rule to another project',
      (here) => {
        write(
          here,
          'flagwright.yaml',
          `${CONFIG.replace('limits', '  other: { service: embedded }\ndefault_project: main\nlimits')}${RULES.replace('[main]', '[other]')}`,
        );
        return [];
      },
    ],
    [
      'renames the project',
      (here) => {
        write(here, 'flagwright.yaml', POLICED.replace('  main:', '  renamed:').replace('[main]', '[renamed]'));
        return ['--base', 'HEAD'];
      },
    ],
    [
      'renames the file',
      (here) => {
        here.git('mv', 'flagwright.yaml', 'flagwright.yml');
        write(here, 'flagwright.yml', CONFIG);
        return [];
      },
    ],
    [
      'gives the file a name of its own',
      (here) => {
        here.git('mv', 'flagwright.yaml', 'mine.yaml');
        write(here, 'mine.yaml', CONFIG);
        return ['--config', 'mine.yaml'];
      },
    ],
    [
      'moves the file to another folder',
      (here) => {
        move(here, 'flagwright.yaml', 'flags');
        write(here, 'deploy/flagwright.yaml', CONFIG);
        return ['--config', 'deploy/flagwright.yaml', '--base', 'HEAD'];
      },
    ],
    [
      'adds another file for the same project',
      (here) => {
        move(here, 'flags');
        write(here, 'deploy/flagwright.yaml', CONFIG);
        return ['--config', 'deploy/flagwright.yaml', '--base', 'HEAD'];
      },
    ],
    [
      'reads manifests that the base does not have',
      (here) => {
        move(here, 'flags');
        write(here, 'flagwright.yaml', `manifests: [deploy/flags/*.yaml]\n${CONFIG}`);
        return [];
      },
    ],
    [
      'names itself as an approver',
      (here) => {
        write(here, 'flagwright.yaml', POLICED.replace('[ann, bob]', '[eve]'));
        write(here, 'exceptions.yaml', exception({ granted_by: 'eve', until: '9999-12-31' }));
        return ['--approved-by', 'eve'];
      },
    ],
    [
      'names another file of exceptions',
      (here) => {
        write(here, 'flagwright.yaml', POLICED.replace('exceptions.yaml', 'mine.yaml'));
        write(here, 'mine.yaml', exception({}));
        return ['--approved-by', 'ann'];
      },
    ],
  ])('%s', async (_, weaken) => {
    const here = await applied();
    const options = weaken(here);
    for (const file of ['flags/main.yaml', 'deploy/flags/main.yaml']) here.write(file, LATER);
    const plan = await here.run('plan', '-f', 'json', '--detailed-exitcode', ...options);
    expect(plan).toMatchObject({ code: 4 });
    expect(plan.document()['policy']).toMatchObject({
      source: { from: 'base' },
      findings: [{ rule: 'max-widen', level: 'error' }],
    });
  });

  test('moves several files of the same project, which ends the run', async () => {
    const here = await gitStage(POLICED);
    write(here, 'other/flagwright.yaml', CONFIG);
    here.commit();
    expect((await here.run('apply', '--yes')).code).toBe(0);
    here.git('rm', '--quiet', '-r', 'other');
    move(here, 'flagwright.yaml', 'flags');
    const plan = await here.run('plan', '--config', 'deploy/flagwright.yaml', '--base', 'HEAD');
    expect(plan).toMatchObject({ code: 1, stderr: expect.stringContaining('flagwright.yaml, other/flagwright.yaml') });
  });

  test('has no file that declares the project at the base: then those of the checkout count, and the plan says so', async () => {
    const here = await applied();
    write(here, 'flagwright.yaml', POLICED);
    here.git('mv', 'flagwright.yaml', 'first.yaml');
    here.git('rm', '--quiet', '--cached', 'first.yaml');
    here.git('commit', '--quiet', '-m', 'without a configuration');
    here.write('flags/main.yaml', LATER);
    const plan = await here.run('plan', '--config', 'first.yaml', '--base', 'HEAD');
    expect(plan.stdout).toContain('The base does not have the configuration file');
  });
});

describe('a clone without a journal knows what judges a change that', () => {
  const SHARING = `${POLICED}base: { push: origin }\n`;

  /** `shared`: the record is in the remote alone, which the configuration names. */
  async function withoutJournal(isShared: boolean): Promise<GitStage> {
    const here = await gitStage(isShared ? SHARING : POLICED);
    const bare = createBare();
    here.git('remote', 'add', 'origin', `file://${bare.root}`);
    here.git('push', '--quiet', 'origin', 'main');
    expect(await here.run('apply', '--yes')).toMatchObject({ code: 0 });
    const clone = onRepository(cloneOf(bare), here);
    if (!isShared) clone.git('fetch', '--quiet', here.root, '+refs/flagwright/*:refs/flagwright/*');
    return clone;
  }

  const write = (here: GitStage, file: string, text: string): void =>
    here.write(file, text.replaceAll('$HOST', here.world.url));

  type Way = [Readonly<Record<string, string>>, ...string[]];
  const RENAMED = CONFIG.replace('  main:', '  renamed:');
  const asCurrent = (config: string): string => config.replace('"1"', '"@current"');
  const byName = ({ world }: GitStage): string => world.url.replace('127.0.0.1', 'localhost');

  const WAYS: readonly (readonly [string, (here: GitStage) => Way | Promise<Way>])[] = [
    [
      'renames the project, and names it as the current one',
      (here) => {
        write(here, 'flagwright.yaml', asCurrent(RENAMED));
        return [{}];
      },
    ],
    [
      'renames the project, and writes its host in another way',
      (here) => {
        write(here, 'flagwright.yaml', RENAMED.replace('$HOST', byName(here)));
        return [{}];
      },
    ],
    [
      'renames the project, and reaches it at another address',
      async (here) => {
        const front = await startFront();
        Object.assign(front, { target: here.world.url });
        write(here, 'flagwright.yaml', RENAMED.replace('$HOST', front.url));
        return [{}];
      },
    ],
    [
      'gives the project a second name, by which it is the current one of this machine',
      (here) => {
        const second = `default_project: second\nprojects:\n  second: { host: ${byName(here)}, project_id: "@current" }\n`;
        write(here, 'flagwright.yaml', CONFIG.replace('projects:\n', second));
        return [{}];
      },
    ],
    [
      'renames the project',
      (here) => {
        write(here, 'flagwright.yaml', RENAMED);
        return [{}];
      },
    ],
    [
      'gives the project a second name, which a run takes',
      (here) => {
        const second = 'default_project: second\nprojects:\n  second: { host: $HOST, project_id: "1" }\n';
        write(here, 'flagwright.yaml', CONFIG.replace('projects:\n', second));
        return [{}];
      },
    ],
    [
      'moves the file to another folder',
      (here) => {
        here.write('deploy/.keep', '');
        for (const name of ['flagwright.yaml', 'flags']) here.git('mv', name, `deploy/${name}`);
        write(here, 'deploy/flagwright.yaml', CONFIG);
        return [{}, '--config', 'deploy/flagwright.yaml'];
      },
    ],
    [
      'gives the file another name',
      (here) => {
        here.git('mv', 'flagwright.yaml', 'mine.yaml');
        write(here, 'mine.yaml', CONFIG);
        return [{}, '--config', 'mine.yaml'];
      },
    ],
    [
      'deletes the file, so that the environment names the project',
      (here) => {
        here.git('rm', '--quiet', 'flagwright.yaml');
        return [{ POSTHOG_HOST: here.world.url, POSTHOG_PROJECT_ID: '1' }];
      },
    ],
  ];

  test.each(WAYS.flatMap(([name, change]) => [false, true].map((isShared) => [name, isShared, change] as const)))(
    '%s; only the remote has it: %s',
    async (_, isShared, change) => {
      const here = await withoutJournal(isShared);
      const [env, ...options] = await change(here);
      for (const file of ['flags/main.yaml', 'deploy/flags/main.yaml']) here.write(file, LATER);
      here.commit();
      const plan = await here.runWith({ env }, 'plan', '-f', 'json', '--detailed-exitcode', ...options);
      expect(plan).toMatchObject({ code: 4 });
      expect(plan.document()['policy']).toMatchObject({
        source: { from: 'base' },
        findings: [{ rule: 'max-widen', level: 'error' }],
      });
    },
  );

  test('belongs to another file for the same project that is still there: then that is not the judge', async () => {
    const here = await withoutJournal(false);
    write(here, 'other/flagwright.yaml', CONFIG);
    here.write('other/flags/main.yaml', LATER);
    const plan = await here.run('plan', '-f', 'json', '--config', 'other/flagwright.yaml');
    expect([plan.code, plan.document()['base']]).toEqual([0, { kind: 'none', reason: { code: 'not_recorded' } }]);
  });

  test('does not say which of several projects it is about: the run is refused', async () => {
    const other = '  main: { host: $HOST, project_id: "1" }\n  other: { host: $HOST, project_id: "2" }\n';
    const several = POLICED.replace(/ {2}main:.*\n/, other);
    const here = await gitStage(`default_project: main\n${several}`);
    expect(await here.run('apply', '--yes', '--no-journal')).toMatchObject({ code: 0 });
    write(
      here,
      'flagwright.yaml',
      several.replace('  main:', '  renamed:').replace('"1"', '"@current"').replace('[main]', '[other]'),
    );
    const plan = await here.run('plan', '--project', 'renamed');
    expect(plan).toMatchObject({ code: 1 });
    expect(plan.stderr).toContain('has several projects that renamed may be: main, other');
  });

  test('names another project, or one at another address beside it: then nothing was applied to that', async () => {
    const here = await withoutJournal(false);
    for (const more of ['host: $HOST, project_id: "2"', 'host: "https://flags.example.com", project_id: "1"']) {
      const second = `default_project: second\nprojects:\n  second: { ${more} }\n`;
      write(here, 'flagwright.yaml', CONFIG.replace('projects:\n', second));
      const { stdout } = await here.run('validate', '-f', 'json');
      expect(JSON.parse(stdout)).not.toMatchObject({ base: { kind: 'commit' } });
    }
  });

  /** The project `renamed` is applied at a commit of its own, and both names are gone. */
  async function renamedTwice(parent: string): Promise<GitStage> {
    const here = await withoutJournal(false);
    here.git('checkout', '--quiet', '-B', 'side', parent);
    write(here, 'flagwright.yaml', POLICED.replace('  main:', '  renamed:').replace('[main]', '[renamed]'));
    here.commit();
    expect(await here.run('apply', '--yes')).toMatchObject({ code: 0 });
    rmSync(path.join(here.root, '.flagwright'), { recursive: true, force: true });
    write(here, 'flagwright.yaml', CONFIG.replace('  main:', '  again:'));
    return here;
  }

  test('renames the project once more', async () => {
    const here = await renamedTwice('main');
    here.write('flags/main.yaml', LATER);
    const plan = await here.run('plan', '-f', 'json');
    expect(plan.document()).toMatchObject({ base: { from: 'ref', commit: here.git('rev-parse', 'side') } });
  });

  test('was applied under several names that are gone, apart: the run is refused, and --base names the judge', async () => {
    const here = await renamedTwice('main');
    here.git('update-ref', 'refs/flagwright/applied/main', here.git('commit-tree', '-m', 'apart', 'main^{tree}'));
    const names = ['refs/flagwright/applied/main', 'refs/flagwright/applied/renamed'];
    expect(await here.unreadOf()).toEqual({ kind: 'none', reason: { code: 'records_moved', names } });
    expect((await here.run('plan')).stderr).toContain(names.join(', '));
    expect((await here.run('plan', '--base', 'HEAD')).code).toBe(0);
  });
});

describe('a saved plan is judged by the policies', () => {
  /** Policies are merged and applied after the plan was saved. The checkout then has neither them nor the change. */
  async function savedBefore(...options: readonly string[]): Promise<GitStage> {
    const here = await gitStage(CONFIG);
    expect(await here.run('apply', '--yes')).toMatchObject({ code: 0 });
    here.write('flags/main.yaml', LATER);
    expect(await here.run('plan', '--out', 'plan.json', ...options)).toMatchObject({ code: 0 });
    here.git('checkout', '--quiet', '--', 'flags');
    here.write('flagwright.yaml', POLICED.replaceAll('$HOST', here.world.url));
    here.commit();
    expect(await here.run('apply', '--yes')).toMatchObject({ code: 0 });
    here.write('flagwright.yaml', CONFIG.replaceAll('$HOST', here.world.url));
    return here;
  }

  test.each<[string, readonly string[]]>([
    ['', []],
    [', also where it was compared with nothing', ['--base', 'none']],
  ])('of what was applied last, also after it was made%s', async (_, options) => {
    const here = await savedBefore(...options);
    const apply = await here.run('apply', 'plan.json');
    expect(apply).toMatchObject({ code: 4, stderr: expect.stringContaining('(max-widen)') });
  });

  test('of the commit that --base named when it was made', async () => {
    const here = await savedBefore('--base', 'HEAD');
    expect(await here.run('apply', 'plan.json')).toMatchObject({ code: 0 });
  });

  test('of the base that it was made with, where git no longer tells another', async () => {
    const here = await applied();
    here.write('flags/main.yaml', LATER);
    await here.run('plan', '--out', 'plan.json');
    here.write('flagwright.yaml', CONFIG.replaceAll('$HOST', here.world.url));
    here.git('update-ref', '-d', 'refs/flagwright/applied/main');
    here.write('.flagwright/journal/broken.jsonl', 'x');
    const apply = await here.run('apply', 'plan.json');
    expect(apply).toMatchObject({ code: 4, stderr: expect.stringContaining('(max-widen)') });
  });
});

interface Written {
  readonly granted_by?: string;
  readonly until?: string;
  readonly reason?: string;
  readonly key?: string;
}

function exception({
  granted_by = 'ann',
  until = '2026-06-15',
  reason = 'legal asked',
  key = 'checkout',
}: Written): string {
  return `exceptions:\n  - { rule: max-widen, keys: [${key}], reason: ${reason}, until: ${until}, granted_by: ${granted_by} }\n`;
}

const at = (moment: string): { now: number } => ({ now: Date.parse(moment) });
const LAST_MINUTE = at('2026-06-15T23:59:59Z');
const NEXT_DAY = at('2026-06-16T00:00:00Z');

describe('an exception', () => {
  test.each<[string, Written, { now: number }, readonly string[], string | undefined]>([
    ['of the change that names who grants it', {}, LAST_MINUTE, ['ann'], undefined],
    ['of the change alone', {}, LAST_MINUTE, [], 'not_approved'],
    ['of the change where somebody else approves', {}, LAST_MINUTE, ['bob'], 'not_approved'],
    ['granted by nobody who may', { granted_by: 'eve' }, LAST_MINUTE, ['eve'], 'not_approver'],
    ['whose last day was yesterday', {}, NEXT_DAY, ['ann'], 'expired'],
    ['for another flag', { key: 'search' }, LAST_MINUTE, ['ann'], 'unused'],
  ])('%s', async (_, written, clock, approvers, why) => {
    const here = await applied();
    here.write('flags/main.yaml', LATER);
    here.write('exceptions.yaml', exception(written));
    const names = approvers.length === 0 ? [] : ['--approved-by', ...approvers];
    const plan = await here.runWith(clock, 'plan', '-f', 'json', '--detailed-exitcode', ...names);
    expect(plan.document()['exceptions']).toMatchObject([{ code: `exception_${why ?? 'used'}` }]);
    expect(plan.code).toBe(why === undefined ? 2 : 4);
    expect((await here.runWith(clock, 'apply', '--yes', ...names)).code).toBe(why === undefined ? 0 : 4);
  });

  test('that the base has counts by itself until its last day is over', async () => {
    const here = await applied({ 'exceptions.yaml': exception({}) });
    here.write('flags/main.yaml', LATER);
    expect((await here.runWith(NEXT_DAY, 'apply', '--yes')).code).toBe(4);
    const plan = await here.runWith(LAST_MINUTE, 'plan', '--detailed-exitcode');
    expect([plan.code, plan.stdout]).toEqual([2, expect.stringContaining('Exception by ann until 2026-06-15')]);
    expect((await here.runWith(LAST_MINUTE, 'apply', '--yes')).code).toBe(0);
  });

  test.each<[string, Written]>([
    ['its last day', { until: '2027-06-15' }],
    ['its flags', { key: '"*"' }],
    ['its reason', { reason: 'more' }],
    ['who grants it', { granted_by: 'bob' }],
  ])('that the base has is another one where the change alters %s', async (_, written) => {
    const here = await applied({ 'exceptions.yaml': exception({}) });
    here.write('flags/main.yaml', LATER);
    here.write('exceptions.yaml', exception(written));
    const plan = await here.runWith(LAST_MINUTE, 'plan', '-f', 'json', '--detailed-exitcode');
    expect(plan).toMatchObject({ code: 4 });
    expect(plan.document()['exceptions']).toMatchObject([{ code: 'exception_not_approved' }]);
  });

  test('that the base had does not count where the change deletes it', async () => {
    const here = await applied({ 'exceptions.yaml': exception({}) });
    here.write('flags/main.yaml', LATER);
    here.write('exceptions.yaml', 'exceptions: []\n');
    expect((await here.runWith(LAST_MINUTE, 'plan', '--detailed-exitcode')).code).toBe(4);
  });

  test('counts for nothing where the file of the base was invalid', async () => {
    const here = await applied();
    here.write('exceptions.yaml', 'exceptions: 5\n');
    here.commit();
    here.write('exceptions.yaml', exception({}));
    here.write('flags/main.yaml', LATER);
    const options = ['--base', 'HEAD', '--detailed-exitcode'];
    expect((await here.runWith(LAST_MINUTE, 'plan', ...options)).code).toBe(4);
  });
});
