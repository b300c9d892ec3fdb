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
import type { Holder } from '../../src/journal/claims.ts';
import { schemaErrors } from '../helpers/schemas.ts';
import { keysOf, LIMITED, MANIFEST, stage, type Stage } from '../helpers/stage.ts';

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
function claim(file: string, holder: Partial<Holder>, generation = 1): void {
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
    expect(stderr).toContain(`Recorded as run ${runOf(file)}; \`flagwright undo\` reverts it.`);
    expect([statSync(file).mode & 0o777, statSync(path.dirname(file)).mode & 0o777]).toEqual([0o600, 0o700]);
    expect(staged.workspace.read('.flagwright/.gitignore')).toBe('*\n');
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
    const { code } = await staged.run('apply', '--resume');
    expect(code).toBe(0);
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
      expect(stderr).toContain(`Run ${runOf(file)} of this project is unfinished; \`flagwright apply --resume\``);
    }
    expect((await staged.run('plan', '--quiet')).stderr).toBe('');
  });

  test.each([
    ['no run', async () => undefined],
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
    ['a name that is no run', ['apply', '--resume', '../../etc/passwd'], 'Run ../../etc/passwd does not exist.'],
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

  test('reverts the newest run, is a run itself, and is reverted by the next undo', async () => {
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
    expect((await run('undo', '-y')).code).toBe(0);
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
    expect(saved.document()['plan']).toEqual(JSON.parse(workspace.read('undo.json')));
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

  test('has nothing to do without a run, and finds no run by a wrong name', async () => {
    const { run } = await stage();
    const none = await run('undo', '-y', '-f', 'json');
    expect([none.code, schemaErrors('result', none.document())]).toEqual([0, []]);
    expect((await run('undo')).stdout).toContain('No run that can be undone is recorded here for environment');
    expect(await run('undo', 'nonsense')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('nonsense does not exist') as string,
    });
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
    expect(stdout.trimEnd().split('\n')).toHaveLength(6);
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
    expect((await run('history')).stdout).toBe('No runs are recorded here.\n');
    expect((await run('history', '-f', 'json')).document()).toMatchObject({ runs: [], unreadable: [], more: false });
  });

  test('and the other commands separate projects', async () => {
    const staged = await stage(MANIFEST, TWO_PROJECTS);
    const file = await applied(staged);
    breakOff(file, 3);
    expect((await staged.run('history', '-p', 'two')).stdout).toContain('No runs');
    expect((await staged.run('plan', '-p', 'two')).stderr).not.toContain('is unfinished');
    expect((await staged.run('apply', '--resume', '-p', 'two')).stdout).toContain('Nothing to resume in two');
    expect((await staged.run('undo', '-p', 'two')).stdout).toContain('is recorded here for two');
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
    for (const argv of [['plan'], ['apply', '-y'], ['apply', '--resume']]) {
      const { code, stderr } = await staged.run(...argv);
      expect([code, stderr.split(words).length]).toEqual([0, 2]);
      if (argv[1] !== '--resume') expect(stderr).toContain('is unfinished');
    }
    expect((await staged.run('history', '-f', 'json')).document()).toMatchObject({ runs: [{ state: 'complete' }] });
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
    expect((await staged.run('undo', '-y')).stdout).toContain('No run that can be undone is recorded here');
    expect((await staged.run('apply', '--resume')).stdout).toContain('Nothing to resume');
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
