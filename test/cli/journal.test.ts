/** The journal on the command line: what is recorded, resumed, undone and listed, and what is refused. */

import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ClaimHolder } from '../../src/loop/journal/lock.ts';
import { schemaErrors } from '../helpers/schemas.ts';
import { KEY, keysOf, LIMITED, MANIFEST, stage, type Stage } from '../helpers/stage.ts';

const CHANGED = MANIFEST.replace('rollout_percentage: 10', 'rollout_percentage: 60').replace(
  'active: false',
  'active: true',
);
const TWO_PROJECTS = `default_project: one
projects:
  one: { host: $HOST, project_id: "1" }
  two: { host: $HOST, project_id: "1" }
`;

const folderOf = ({ workspace }: Stage): string => path.join(workspace.root, '.flagwright', 'journal');

function journals(staged: Stage): string[] {
  try {
    return readdirSync(folderOf(staged)).map((file) => path.join(folderOf(staged), file));
  } catch {
    return [];
  }
}

function onlyJournal(staged: Stage): string {
  const [file, ...others] = journals(staged);
  expect(others).toEqual([]);
  return file as string;
}

const runOf = (file: string): string => path.basename(file, '.jsonl');

/** Keeps only the first lines of the journal, as after a crash of the machine. */
function breakOff(file: string, lines: number): void {
  writeFileSync(file, `${readFileSync(file, 'utf8').split('\n').slice(0, lines).join('\n')}\n`);
}

/** A live process that executes the run. */
function claim(file: string, holder: Partial<ClaimHolder>, generation = 1): void {
  const folder = file.replace(/jsonl$/, `lock.${generation}`);
  mkdirSync(folder);
  writeFileSync(path.join(folder, 'holder.json'), JSON.stringify(holder));
}

async function applied(staged: Stage): Promise<string> {
  expect((await staged.run('apply', '-y')).code).toBe(0);
  return onlyJournal(staged);
}

describe('apply records its run', () => {
  test('in a private file that git ignores', async () => {
    const staged = await stage();
    const { stderr } = await staged.run('apply', '-y');
    const file = onlyJournal(staged);
    expect(stderr).toContain(`Recorded as run ${runOf(file)}; \`flagwright undo -p environment\` reverts it.`);
    expect([statSync(file).mode & 0o777, statSync(path.dirname(file)).mode & 0o777]).toEqual([0o600, 0o700]);
    expect(staged.workspace.read('.flagwright/.gitignore')).toBe('*\n');
  });

  test('and ends the record of a run that could not read the flags', async () => {
    let listed = 0;
    const onRequest = ({ path: at }: { readonly path: string }): unknown =>
      (listed += at.endsWith('/feature_flags/') ? 1 : 0);
    const planned = await stage(MANIFEST, undefined, { onRequest });
    await planned.run('plan', '--out', 'plan.json');
    const unread = { match: { operation: 'listFlags' }, from: listed + 1, count: 1, answer: { status: 403 } };
    const staged = await stage(MANIFEST, undefined, { faults: { faults: [unread] } });
    expect((await staged.run('plan', '--out', 'plan.json')).code).toBe(0);
    expect((await staged.run('apply', 'plan.json', '-y')).code).toBe(1);
    // The run has a file, and no process holds its lock.
    expect(onlyJournal(staged)).toMatch(/\.jsonl$/);
    expect((await staged.run('apply', '-y')).code).toBe(0);
  });

  test('and names it in the result', async () => {
    const staged = await stage();
    const { document } = await staged.run('apply', '-y', '-f', 'json');
    expect(document()['run']).toBe(runOf(onlyJournal(staged)));
    expect(schemaErrors('result', document())).toEqual([]);
  });

  test.each([
    ['--no-journal', ['apply', '-y', '--no-journal']],
    ['a plan that is empty', ['apply', '-y', '--target', 'gone']],
    ['plan', ['plan']],
  ])('but not with %s', async (_, argv) => {
    const staged = await stage(`${MANIFEST}  gone: { deleted: true }\n`);
    expect((await staged.run(...argv)).code).toBe(0);
    expect(journals(staged)).toEqual([]);
  });

  test.each([
    ['a file is in the way', (root: string) => writeFileSync(path.join(root, '.flagwright'), '')],
    ['the folder is a link', (root: string) => symlinkSync(root, path.join(root, '.flagwright'))],
    [
      'the journal folder is a link',
      (root: string) => {
        mkdirSync(path.join(root, '.flagwright'));
        symlinkSync(root, path.join(root, '.flagwright', 'journal'));
      },
    ],
  ])('writes nothing to the service when %s', async (_, spoil) => {
    const staged = await stage();
    spoil(staged.workspace.root);
    const { code, stderr, document } = await staged.run('apply', '-y', '-f', 'json');
    expect([code, await keysOf(staged.world)]).toEqual([1, []]);
    expect(document()).toMatchObject({
      error: { code: 'file', remedy: expect.stringContaining('--no-journal') as string },
    });
    expect(stderr).toContain('.flagwright');
    expect((await staged.run('apply', '-y', '--no-journal')).code).toBe(0);
  });

  test('refuses a journal that would contain the API key', async () => {
    const staged = await stage('flags:\n  a: { description: "phx_planted_key_0123456789" }\n');
    const { code, stderr } = await staged.run('apply', '-y');
    expect([code, stderr]).toEqual([4, expect.stringContaining('would contain the API key') as string]);
    expect([journals(staged), await keysOf(staged.world)]).toEqual([[], []]);
  });

  test('and exits with 3 where everything is applied and the journal is lost meanwhile', async () => {
    const lose: { file?: () => string } = {};
    const onRequest = ({ method }: { readonly method: string }): void => {
      if (method === 'POST' && lose.file !== undefined) rmSync(lose.file(), { force: true });
    };
    const staged = await stage('flags:\n  a: { active: false }\n', undefined, { onRequest });
    lose.file = () => journals(staged).find((file) => file.endsWith('.jsonl')) ?? '';
    const ran = await staged.run('apply', '-y', '-f', 'json');
    expect([ran.code, ran.document()]).toMatchObject([3, { outcomes: { applied: 1 } }]);
    expect(ran.stderr).toMatch(/The journal of run \S+ is incomplete\.\n.*apply --resume/);
  });

  test('and a saved plan with it is not written', async () => {
    const staged = await stage('flags:\n  a: { description: "phx_planted_key_0123456789" }\n');
    const { code, stderr } = await staged.run('plan', '--out', 'plan.json');
    expect([code, stderr]).toEqual([
      4,
      expect.stringContaining('The plan was not saved: it would contain the API key.') as string,
    ]);
    expect(readdirSync(staged.workspace.root)).not.toContain('plan.json');
  });
});

describe('apply --resume', () => {
  test.each([
    // Another user made the change that was never recorded as sent; it matches the plan.
    ['the plan', 1],
    ['one write that was sent', 2],
    ['all writes that were sent', 3],
    ['one outcome too', 4],
  ])('finds out what happened if the journal ends with %s, and repeats nothing', async (_, lines) => {
    const staged = await stage();
    breakOff(await applied(staged), lines);
    const { results: before } = await staged.world.client.projectFlagActivity();
    const resumed = await staged.run('apply', '--resume', '-f', 'json');
    expect([resumed.code, schemaErrors('result', resumed.document())]).toEqual([0, []]);
    expect(resumed.document()).toMatchObject({ outcomes: { applied: 2, skipped: 0 } });
    expect(resumed.stderr).toMatch(/^Resuming run .* in environment/);
    expect((await staged.world.client.projectFlagActivity()).results).toEqual(before);
  });

  test('repeats a change that was sent and never arrived', async () => {
    const staged = await stage();
    const file = await applied(staged);
    breakOff(file, 3);
    for (const key of ['checkout', 'search']) await staged.world.edit(key, { deleted: true });
    expect(readFileSync(file, 'utf8').match(/"sending"/g)).toHaveLength(2);
    expect((await staged.run('apply', '--resume')).code).toBe(0);
    expect((await keysOf(staged.world)).toSorted()).toEqual(['checkout', 'search']);
    expect((await staged.run('plan', '--detailed-exitcode')).stderr).not.toContain('is unfinished');
    expect((await staged.run('history')).stdout).toContain('complete');
  });

  test('is mentioned by plan and by apply, once', async () => {
    const staged = await stage();
    const file = await applied(staged);
    breakOff(file, 3);
    for (const argv of [['plan'], ['apply', '-y']]) {
      const { stderr } = await staged.run(...argv);
      expect(stderr.match(/is unfinished/g)).toHaveLength(1);
      expect(stderr).toContain(
        `Run ${runOf(file)} of this project is unfinished; \`flagwright apply --resume -p environment\``,
      );
    }
    expect((await staged.run('plan', '--quiet')).stderr).toBe('');
  });

  test.each([
    ['a complete run', async (staged: Stage) => void (await applied(staged))],
    [
      'a run that newer ones have planned over',
      async (staged: Stage) => {
        breakOff(await applied(staged), 3);
        staged.workspace.write('flags/main.yaml', CHANGED);
        await staged.run('apply', '-y');
      },
    ],
  ])('has nothing to do after %s, and says so', async (_, prepare) => {
    const staged = await stage();
    await prepare(staged);
    const { code, stdout } = await staged.run('apply', '--resume');
    expect([code, stdout]).toEqual([0, expect.stringContaining('Nothing to resume in environment') as string]);
    const { document } = await staged.run('apply', '--resume', '-f', 'json');
    expect(schemaErrors('result', document())).toEqual([]);
  });

  test.each([
    ['a plan beside it', ['apply', 'plan.json', '--resume'], 'A saved plan and --resume cannot be used together.'],
    ['--target', ['apply', '--resume', '--target', 'a'], 'A run is resumed as planned'],
    ['--prune', ['apply', '--resume', '--prune'], 'A run is resumed as planned'],
    ['--no-journal', ['apply', '--resume', '--no-journal'], 'cannot be used with --no-journal'],
    ['a name that is no run', ['apply', '--resume', '../../etc/passwd'], 'Run ../../etc/passwd does not exist in'],
  ])('refuses %s', async (_, argv, words) => {
    const { run } = await stage();
    const { code, stderr } = await run(...argv);
    expect([code, stderr]).toEqual([1, expect.stringContaining(words) as string]);
  });
});

describe('undo', () => {
  test('refuses a run that another process is executing', async () => {
    const staged = await stage();
    const file = await applied(staged);
    claim(file, { pid: process.pid, host: hostname() });
    const { code, stderr } = await staged.run('undo', '-y');
    expect([code, stderr]).toEqual([4, expect.stringContaining('Another process is executing this run') as unknown]);
  });

  async function changed(config?: string): Promise<Stage> {
    const staged = await stage(MANIFEST, config);
    await staged.run('apply', '-y');
    staged.workspace.write('flags/main.yaml', `${CHANGED}  extra: { active: true }\n`);
    expect((await staged.run('apply', '-y', '--allow-updates', '5')).code).toBe(0);
    return staged;
  }

  test('reverts the newest run, is a run itself, and is reverted by name only', async () => {
    const { run, workspace, world } = await changed();
    const undone = await run('undo', '-y');
    expect([undone.code, undone.stderr]).toEqual([
      0,
      expect.stringContaining('Undo: 2 to update, 1 to delete') as string,
    ]);
    expect((await keysOf(world)).toSorted()).toEqual(['checkout', 'search']);
    workspace.write('flags/old.yaml', '');
    const declared = workspace.read('flags/main.yaml');
    workspace.write('flags/main.yaml', MANIFEST);
    expect((await run('plan', '--detailed-exitcode')).code).toBe(0);
    const again = await run('undo', '-y');
    expect([again.code, again.stderr]).toEqual([
      4,
      expect.stringMatching(/is an undo of run .*nothing was applied/) as string,
    ]);
    const { runs } = (await run('history', '-f', 'json')).document() as { runs: { run: string; undoes?: string }[] };
    const [newest, bad, first] = runs;
    expect(runs.map(({ undoes }) => undoes)).toEqual([bad?.run, undefined, undefined]);
    expect(again.stderr).toContain(
      `flagwright undo ${newest?.run}. To revert the run before that: flagwright undo ${first?.run}.`,
    );
    expect((await run('plan', '--detailed-exitcode')).code).toBe(0);
    expect((await run('undo', 'last', '-y')).code).toBe(0);
    workspace.write('flags/main.yaml', declared);
    expect((await run('plan', '--detailed-exitcode')).code).toBe(0);
  });

  test('shows the plan and asks; any answer but yes changes nothing', async () => {
    const { runWith, run, world } = await changed();
    const asked = await runWith({ answer: { line: 'no' } }, 'undo');
    expect([asked.code, asked.stderr]).toEqual([
      4,
      expect.stringMatching(/rollout_percentage {2}60% → 10%[^]*Apply these changes/) as string,
    ]);
    const alone = await run('undo');
    expect([alone.code, alone.stderr]).toEqual([4, expect.stringContaining('flagwright undo --out FILE') as string]);
    expect(await keysOf(world)).toContain('extra');
    expect((await runWith({ answer: { line: 'yes' } }, 'undo')).code).toBe(0);
    expect(await keysOf(world)).not.toContain('extra');
  });

  test('saves its plan with --out, and apply applies it', async () => {
    const { run, workspace, world } = await changed();
    const saved = await run('undo', '--out', 'undo.json', '-f', 'json');
    expect([saved.code, schemaErrors('undo', saved.document())]).toEqual([0, []]);
    const { broken_rules: broken, ...plan } = JSON.parse(workspace.read('undo.json')) as Record<string, unknown>;
    expect(saved.document()).toMatchObject({ plan, broken_rules: broken });
    expect(statSync(path.join(workspace.root, 'undo.json')).mode & 0o777).toBe(0o600);
    expect(await keysOf(world)).toContain('extra');
    expect((await run('apply', 'undo.json')).code).toBe(0);
    expect(await keysOf(world)).not.toContain('extra');
  });

  test('refuses changed flags, field by field; --partial reverts the rest', async () => {
    const { run, world } = await changed();
    await world.edit('checkout', { name: 'Edited by hand', filters: { groups: [{ rollout_percentage: 61 }] } });
    for (const argv of [
      ['undo', '-y'],
      ['undo', '--out', 'undo.json'],
    ]) {
      const { code, stderr, document } = await run(...argv, '-f', 'json');
      expect([code, schemaErrors('error', document())]).toEqual([5, []]);
      expect(document()).toMatchObject({
        error: {
          code: 'plan_stale',
          refused: [{ key: 'checkout', refusal: 'moved', moved: [{ before: 60, after: 61 }] }],
        },
      });
      expect(stderr).toMatch(/checkout {2}changed after the run[^]*60% → 61%[^]*--partial/);
    }
    expect(await keysOf(world)).toContain('extra');
    expect((await run('undo', '-y', '--partial')).code).toBe(0);
    const flags = await world.client.listFlags();
    expect(flags.find(({ key }) => key === 'checkout')?.filters?.groups?.[0]?.rollout_percentage).toBe(61);
    expect(flags.find(({ key }) => key === 'search')?.active).toBe(false);
  });

  test('obeys the safety rules of the configuration', async () => {
    const { run, world } = await changed(LIMITED);
    const { code, document } = await run('undo', '-y', '-f', 'json');
    expect([code, schemaErrors('error', document())]).toEqual([4, []]);
    expect(document()).toMatchObject({
      error: { code: 'refused', remedy: expect.stringContaining('Undo again') as string },
    });
    expect(await keysOf(world)).toContain('extra');
    expect((await run('undo', '-y', '--allow-deletes', '1', '--allow-protected', 'search')).code).toBe(0);
    expect(await keysOf(world)).not.toContain('extra');
  });

  test('finds out what an interrupted run did', async () => {
    const staged = await stage();
    breakOff(await applied(staged), 3);
    expect((await staged.run('undo', '-y')).code).toBe(0);
    expect(await keysOf(staged.world)).toEqual([]);
  });

  test('says where runs are recorded if there is none, and finds no run by a wrong name', async () => {
    const staged = await stage();
    const none = await staged.run('undo', '-y', '-f', 'json');
    expect([none.code, none.document()]).toMatchObject([1, { error: { code: 'file' } }]);
    expect((await staged.run('undo')).stderr).toContain(
      `No run of the project environment that changed something is recorded in ${folderOf(staged)}.`,
    );
    expect(await staged.run('undo', 'nonsense')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('nonsense does not exist') as string,
    });
  });

  test('saved with --out is an undo too', async () => {
    const { run } = await changed();
    await run('undo', '--out', 'undo.json');
    expect((await run('apply', 'undo.json')).code).toBe(0);
    expect((await run('undo', '-y')).code).toBe(4);
  });

  test('of targets reverts only their changes', async () => {
    const { run, world } = await changed();
    const done = await run('undo', '--target', 'ext*', '-y');
    expect([done.code, done.stderr]).toEqual([0, expect.stringContaining('Undo: 1 to delete') as string]);
    expect(await keysOf(world)).not.toContain('extra');
    expect((await run('plan')).stdout).toContain('Plan: 1 to restore');
  });

  test('of a target that the run did not write is refused', async () => {
    const { run, world } = await changed();
    const { code, stderr } = await run('undo', '--target', 'extr', '-y');
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/matches no flag[^]*Did you mean --target extra/) as string,
    ]);
    expect(await keysOf(world)).toContain('extra');
  });
});

describe('a run is named', () => {
  const numberOf = async ({ run }: Stage, reference: string): Promise<unknown> =>
    ((await run('history', reference, '-f', 'json')).document() as { run?: string }).run;

  async function threeRuns(): Promise<{ staged: Stage; names: readonly string[] }> {
    const staged = await stage();
    for (const percentage of ['10', '11', '12']) {
      staged.workspace.write('flags/main.yaml', MANIFEST.replace('10', percentage));
      expect((await staged.run('apply', '-y')).code).toBe(0);
    }
    return { staged, names: journals(staged).map(runOf).toSorted().toReversed() };
  }

  test('by its name, a beginning that no other run has, last, and last-N', async () => {
    const { staged, names } = await threeRuns();
    const [newest = '', second = ''] = names;
    expect(await numberOf(staged, second)).toBe(second);
    expect(await numberOf(staged, second.slice(0, -1))).toBe(second);
    expect(await numberOf(staged, 'last')).toBe(newest);
    expect(await numberOf(staged, 'last-1')).toBe(newest);
    expect(await numberOf(staged, 'last-2')).toBe(second);
    expect((await staged.run('undo', 'last-3', '--out', 'undo.json', '--partial')).stdout).toContain(
      `Undo of run ${names[2]}`,
    );
  });

  test.each([
    ['2', 'is the beginning of 3 runs'],
    ['last-4', 'Run last-4 does not exist among 3 runs'],
    ['last-0', 'does not exist'],
    ['', 'does not exist'],
    ['3000', 'Run 3000 does not exist'],
  ])('and %j names none, with the runs that there are', async (reference, words) => {
    const { staged, names } = await threeRuns();
    for (const argv of [
      ['history', reference],
      ['undo', reference],
      ['apply', '--resume', reference],
    ]) {
      const { code, stderr } = await staged.run(...argv);
      expect([code, stderr]).toEqual([1, expect.stringContaining(words) as string]);
      for (const name of names) expect(stderr).toContain(name);
    }
  });
});

test('a beginning of many runs names five of them, and without runs none is last', async () => {
  const staged = await stage();
  expect((await staged.run('history', 'last')).stderr).toContain('No such run is recorded in ');
  const names = ['1', '2', '3', '4', '5', '6', '7'].map((digit) => `2026010${digit}T000000000Z-aaaa`);
  for (const name of names) staged.workspace.write(`.flagwright/journal/${name}.jsonl`, '');
  const { code, stderr } = await staged.run('history', '2026');
  expect([code, stderr]).toEqual([1, expect.stringContaining('is the beginning of 7 runs.') as string]);
  expect(stderr).toContain(`Name one of them: ${names.toReversed().slice(0, 5).join(', ')} and 2 more.`);
});

test('an undo without a journal is not recorded, and a target unlike any key has no suggestion', async () => {
  const staged = await stage();
  expect((await staged.run('apply', '-y')).code).toBe(0);
  const refused = await staged.run('undo', '--target', 'something-else', '-y');
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('lists its changes.') as string]);
  const undone = await staged.run('undo', '-y', '--no-journal');
  expect([undone.code, undone.stderr]).toEqual([0, expect.not.stringContaining('Recorded') as string]);
  expect(journals(staged)).toHaveLength(1);
  const again = await staged.run('undo', '-y');
  expect([again.code, again.stderr]).toEqual([
    5,
    expect.stringMatching(/checkout {2}changed after the run[^]*deleted/) as string,
  ]);
  expect(journals(staged)).toHaveLength(1);
});

describe('--journal', () => {
  /** A run that another job recorded, and its folder and file in this one, with the permissions of an unpacked archive. */
  async function elsewhere(): Promise<{ staged: Stage; folder: string; file: string }> {
    const staged = await stage();
    expect((await staged.run('apply', '-y')).code).toBe(0);
    const folder = path.join(staged.workspace.root, 'artifact');
    renameSync(folderOf(staged), folder);
    const [name = ''] = readdirSync(folder);
    chmodSync(path.join(folder, name), 0o644);
    return { staged, folder, file: path.join(folder, name) };
  }

  test.each(['folder', 'file'] as const)('lists and undoes the run of a %s', async (kind) => {
    const { staged, folder, file } = await elsewhere();
    const given = kind === 'folder' ? 'artifact' : file;
    expect((await staged.run('history', '--journal', given)).stdout).toContain(runOf(file));
    expect((await staged.run('undo', '-y')).code).toBe(1);
    expect((await staged.run('undo', '-y', '--journal', given)).code).toBe(0);
    expect(await keysOf(staged.world)).toEqual([]);
    const recorded = kind === 'folder' ? readdirSync(folder) : readdirSync(folderOf(staged));
    expect(recorded.filter((one) => one.endsWith('.jsonl'))).toHaveLength(kind === 'folder' ? 2 : 1);
  });

  test.each(['folder', 'file'] as const)('resumes the run of a %s, and completes its journal', async (kind) => {
    const { staged, folder, file } = await elsewhere();
    breakOff(file, 2);
    expect((await staged.run('apply', '--resume', '--journal', kind === 'folder' ? folder : file)).code).toBe(0);
    expect((await staged.run('history', '--journal', 'artifact')).stdout).toContain('complete · 2 applied');
  });

  test('of an apply is the folder in which the run is recorded', async () => {
    const staged = await stage();
    const { code, stderr } = await staged.run('apply', '-y', '--journal', 'kept/journal');
    expect([code, /`flagwright (undo.*)` reverts it/.exec(stderr)?.[1]]).toEqual([
      0,
      'undo -p environment --journal kept/journal',
    ]);
    expect(journals(staged)).toEqual([]);
    expect((await staged.run('history', '--journal', 'kept/journal')).stdout).toContain('complete · 2 applied');
    expect(staged.workspace.read('kept/journal/.gitignore')).toBe('*\n');
  });

  test.each([
    [['history', '--journal', 'nowhere'], 'Cannot read nowhere'],
    [['undo', '--journal', 'flags/main.yaml'], 'is not a journal'],
    [['undo', '--journal', 'flags'], 'is recorded in'],
  ])('%j is refused', async (argv, words) => {
    const { run } = await stage();
    expect(await run(...argv)).toMatchObject({ code: 1, stderr: expect.stringContaining(words) as string });
  });

  test('with a file needs no run, and refuses one', async () => {
    const { staged, file } = await elsewhere();
    const { code, stderr } = await staged.run('undo', 'last', '--journal', file);
    expect([code, stderr]).toEqual([1, expect.stringContaining('cannot be used together') as string]);
  });
});

describe('a run says who executed it', () => {
  const COMMIT = '1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d';
  const GITHUB = {
    GITHUB_ACTIONS: 'true',
    GITHUB_ACTOR: 'octocat',
    GITHUB_SHA: 'f'.repeat(40),
    GITHUB_SERVER_URL: 'https://github.com',
    GITHUB_REPOSITORY: 'acme/flags',
    GITHUB_RUN_ID: '42',
  };

  const originOf = async ({ run }: Stage): Promise<object> => {
    const { runs } = (await run('history', '-f', 'json')).document() as { runs: { actor?: object; commit?: string }[] };
    const { actor, commit } = runs[0] ?? {};
    return { actor, commit };
  };

  test('in GitHub Actions and GitLab CI, and from which commit', async () => {
    const staged = await stage();
    await staged.runWith({ env: GITHUB }, 'apply', '-y');
    expect(await originOf(staged)).toEqual({
      actor: { name: 'octocat', ci: 'GitHub Actions', url: 'https://github.com/acme/flags/actions/runs/42' },
      commit: 'f'.repeat(40),
    });
    expect((await staged.run('history')).stdout).toContain('by octocat in GitHub Actions · commit ffffffffffff\n');
    const gitlab = {
      GITLAB_CI: 'true',
      GITLAB_USER_LOGIN: 'tanuki',
      CI_JOB_URL: 'https://gitlab.com/j/1',
      CI_COMMIT_SHA: COMMIT,
    };
    await staged.runWith({ env: gitlab }, 'undo', '-y');
    expect(await originOf(staged)).toEqual({
      actor: { name: 'tanuki', ci: 'GitLab CI', url: 'https://gitlab.com/j/1' },
      commit: COMMIT,
    });
  });

  test('on a host, with the commit of the repository', async () => {
    const staged = await stage();
    staged.workspace.write('.git/HEAD', 'ref: refs/heads/main\n');
    staged.workspace.write('.git/refs/heads/main', `${COMMIT}\n`);
    await staged.run('apply', '-y');
    expect(await originOf(staged)).toEqual({ actor: { name: 'ana', host: 'laptop' }, commit: COMMIT });
    expect((await staged.run('history')).stdout).toContain('by ana@laptop · commit 1a2b3c4d5e6f\n');
  });

  test('but no API key, wherever it stands', async () => {
    const staged = await stage();
    await staged.runWith({ env: { ...GITHUB, GITHUB_ACTOR: KEY } }, 'apply', '-y');
    expect(readFileSync(onlyJournal(staged), 'utf8')).not.toContain(KEY);
  });
});

describe('history', () => {
  test('lists runs newest first, also within one second', async () => {
    const staged = await stage();
    await staged.run('apply', '-y');
    for (let index = 1; index <= 4; index += 1) {
      staged.workspace.write('flags/main.yaml', MANIFEST.replace('10', String(10 + index)));
      expect((await staged.run('apply', '-y')).code).toBe(0);
    }
    const { stdout } = await staged.run('history');
    expect(stdout.match(/complete/g)).toHaveLength(5);
    const { document } = await staged.run('history', '-f', 'json');
    expect(schemaErrors('history', document())).toEqual([]);
    const { runs } = document() as { runs: { run: string; started_at: string }[] };
    const starts = runs.map((run) => run.started_at);
    expect(starts).toEqual(starts.toSorted().toReversed());
    expect((await staged.run('undo', '-y')).stderr).toContain('14% → 13%');

    const few = await staged.run('history', '--limit', '2', '-f', 'json');
    expect(few.document()).toMatchObject({ more: true, runs: [{}, {}] });
    expect((await staged.run('history', '--limit', '2')).stdout).toContain('--limit N shows more');
  });

  test('shows one run with each change and its outcome', async () => {
    const staged = await stage();
    const file = await applied(staged);
    breakOff(file, 4);
    const text = (await staged.run('history', runOf(file))).stdout;
    expect(text).toMatch(/interrupted\n[^]*checkout[^]*1 applied, 1 sent without an answer/);
    const { document } = await staged.run('history', runOf(file), '-f', 'json');
    expect(schemaErrors('history', document())).toEqual([]);
    expect(document()).toMatchObject({ state: 'interrupted', undoable: true, outcomes: { applied: 1, unanswered: 1 } });
  });

  test('distinguishes a running run from an interrupted one', async () => {
    const staged = await stage();
    const file = await applied(staged);
    breakOff(file, 4);
    claim(file, { pid: process.pid, host: hostname() });
    const states = async (): Promise<unknown[]> => {
      const [list, one] = [
        await staged.run('history', '-f', 'json'),
        await staged.run('history', runOf(file), '-f', 'json'),
      ];
      expect([...schemaErrors('history', list.document()), ...schemaErrors('history', one.document())]).toEqual([]);
      return [(list.document() as { runs: { state: string }[] }).runs[0]?.state, one.document()['state']];
    };
    expect(await states()).toEqual(['running', 'running']);
    expect((await staged.run('history')).stdout).toMatch(/ running /);
    expect((await staged.run('plan')).stderr).toContain('is still in progress in another process');
    for (const argv of [
      ['apply', '--resume'],
      ['undo', '-y'],
    ]) {
      expect(await staged.run(...argv)).toMatchObject({
        code: 4,
        stdout: '',
        stderr: expect.stringMatching(
          /^error {2}Another process is executing this run.*\n.*remove .*lock\.1\.\n$/,
        ) as string,
      });
    }
    claim(file, { pid: 2 ** 30, host: hostname() }, 2);
    expect(await states()).toEqual(['interrupted', 'interrupted']);
    expect((await staged.run('apply', '--resume')).code).toBe(0);
    claim(file, { pid: process.pid, host: hostname() }, 3);
    expect(await states()).toEqual(['complete', 'complete']);
  });

  test('without runs is an empty list', async () => {
    const { run } = await stage();
    expect((await run('history')).stdout).toMatch(/^No run is recorded in \/.*\.flagwright\/journal\.\n$/);
    expect((await run('history', '-f', 'json')).document()).toMatchObject({ runs: [], unreadable: [], more: false });
  });

  test('and the other commands separate projects', async () => {
    const staged = await stage(MANIFEST, TWO_PROJECTS);
    const file = await applied(staged);
    breakOff(file, 3);
    expect((await staged.run('history', '-p', 'two')).stdout).toContain('No run is recorded');
    expect((await staged.run('plan', '-p', 'two')).stderr).not.toContain('is unfinished');
    expect((await staged.run('apply', '--resume', '-p', 'two')).stderr).toContain('No run of the project two');
    expect((await staged.run('undo', '-p', 'two')).stderr).toContain('No run of the project two');
    for (const argv of [
      ['undo', runOf(file)],
      ['apply', '--resume', runOf(file)],
    ]) {
      const { code, stderr } = await staged.run(...argv, '-p', 'two');
      expect([code, stderr]).toEqual([1, expect.stringContaining('was made for one') as string]);
    }
    expect((await staged.run('apply', '--resume', runOf(file))).code).toBe(0);
  });
});

describe('a journal in which no run was begun', () => {
  const empty: [string, string, (file: string) => void][] = [
    ['is empty', 'was cut off before it sent anything', (file) => writeFileSync(file, '', { mode: 0o600 })],
    [
      'ends within its first line',
      'was cut off before it sent anything',
      (file) => writeFileSync(file, '{"kind":"begun","format_version":"1.0","run":"x', { mode: 0o600 }),
    ],
    ['is a folder', 'it is a folder', (file) => mkdirSync(file)],
  ];
  const LATER = '29991231T235959999Z-ffff';

  async function withEmpty(make: (file: string) => void): Promise<{ staged: Stage; file: string }> {
    const staged = await stage();
    const file = await applied(staged);
    make(path.join(folderOf(staged), `${LATER}.jsonl`));
    return { staged, file };
  }

  test.each(empty)('and %s is named and skipped by undo', async (_, words, make) => {
    const { staged } = await withEmpty(make);
    const undone = await staged.run('undo', '-y');
    expect([undone.code, await keysOf(staged.world)]).toEqual([0, []]);
    expect(undone.stderr.split(words)).toHaveLength(2);
    expect(undone.stderr).toContain(LATER);
  });

  test.each(empty)('and %s is named and skipped by resume, plan and apply', async (_, words, make) => {
    const { staged, file } = await withEmpty(make);
    breakOff(file, 3);
    for (const argv of [['plan'], ['apply', '--resume']]) {
      const { code, stderr } = await staged.run(...argv);
      expect([code, stderr.split(words).length]).toEqual([0, 2]);
      if (argv[1] !== '--resume') expect(stderr).toContain('is unfinished');
    }
    expect((await staged.run('history', '-f', 'json')).document()).toMatchObject({ runs: [{ state: 'complete' }] });
    breakOff(file, 3);
    const { code, stderr } = await staged.run('apply', '-y');
    expect([code, stderr.split(words).length]).toEqual([0, 2]);
    expect(stderr).toContain('is unfinished');
  });

  test.each(empty)(
    'and %s does not count for the limit of history, and is no run by its name',
    async (_, words, make) => {
      const { staged, file } = await withEmpty(make);
      const { code, document } = await staged.run('history', '-n', '1', '-f', 'json');
      expect([code, schemaErrors('history', document())]).toEqual([0, []]);
      expect(document()).toMatchObject({
        runs: [{ run: runOf(file) }],
        unreadable: [{ run: LATER, message: expect.stringContaining(words) as string }],
        more: false,
      });
      for (const argv of [
        ['undo', '-y', LATER],
        ['apply', '--resume', LATER],
        ['history', LATER],
      ]) {
        const named = await staged.run(...argv);
        expect([named.code, named.stderr]).toEqual([1, expect.stringContaining(words) as string]);
      }
    },
  );

  test('and nothing else leaves nothing to undo or to resume', async () => {
    const { staged, file } = await withEmpty(empty[0]?.[2] ?? (() => undefined));
    rmSync(file);
    expect((await staged.run('undo', '-y')).stderr).toContain('No run of the project environment');
    expect((await staged.run('apply', '--resume')).stderr).toContain('No run of the project environment');
  });
});

describe('a journal that another user may have put there', () => {
  const spoiled: [string, string, (file: string) => void][] = [
    [
      'was edited',
      'edited or truncated',
      (file) => rewrite(file, (text) => text.replaceAll('"rollout_percentage":10', '"rollout_percentage":99')),
    ],
    [
      'has no plan',
      'does not begin with a plan',
      (file) => rewrite(file, (text) => text.split('\n').slice(1).join('\n')),
    ],
    ['has another version', 'format version', (file) => rewrite(file, (text) => text.replace('"1.0"', '"9.0"'))],
    ['is readable by others, as after a checkout', 'other users', (file) => chmodSync(file, 0o644)],
    [
      'is a link',
      'it is a link',
      (file) => {
        renameSync(file, `${file}.elsewhere`);
        symlinkSync(`${file}.elsewhere`, file);
      },
    ],
    [
      'is in a folder that is a link',
      'it is a link',
      (file) => {
        const folder = path.dirname(file);
        renameSync(folder, `${folder}-elsewhere`);
        symlinkSync(`${folder}-elsewhere`, folder);
      },
    ],
  ];

  function rewrite(file: string, change: (text: string) => string): void {
    writeFileSync(file, change(readFileSync(file, 'utf8')));
  }

  test.each(spoiled)('and %s is refused by resume and undo', async (_, words, spoil) => {
    const staged = await stage();
    const file = await applied(staged);
    breakOff(file, 3);
    spoil(file);
    for (const argv of [
      ['apply', '--resume'],
      ['apply', '--resume', runOf(file)],
      ['undo', '-y'],
      ['undo', '-y', runOf(file)],
    ]) {
      const { code, stderr } = await staged.run(...argv);
      expect([code, stderr]).toEqual([1, expect.stringContaining(words) as string]);
    }
    expect((await keysOf(staged.world)).toSorted()).toEqual(['checkout', 'search']);
  });

  test.each(spoiled)(
    'and %s is listed as unreadable, and does not keep plan from planning',
    async (_, words, spoil) => {
      const staged = await stage();
      spoil(await applied(staged));
      const { code, document } = await staged.run('history', '-f', 'json');
      expect([code, schemaErrors('history', document())]).toEqual([0, []]);
      expect(document()).toMatchObject({
        runs: [],
        unreadable: [{ message: expect.stringContaining(words) as string }],
      });
      expect((await staged.run('history')).stdout).toContain('unreadable');
      const planned = await staged.run('plan');
      expect([planned.code, planned.stderr]).toEqual([0, expect.stringContaining(words) as string]);
    },
  );
});
