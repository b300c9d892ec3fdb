/** Runs over several projects on bad days: what fails in one project concerns it and those after it, and the exit code and the report say what was done. */

import { chmodSync, mkdirSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { FlagwrightError } from '../../src/base/errors.ts';
import { createSecrets } from '../../src/cli/session/session-parts.ts';
import { overProjects } from '../../src/cli/project/over-projects.ts';
import { activityOf, twice } from '../helpers/killed-run.ts';
import { startCli, untilSaid } from '../helpers/cli.ts';
import { startGate, type Gate } from '../helpers/gate.ts';
import { createBare, git } from '../helpers/repository.ts';
import { schemaErrors } from '../helpers/schemas.ts';
import { RESULT } from '../report/samples.ts';
import { watchSession } from '../helpers/watched-session.ts';
import { committing, severalProjects, statesOf, TWO_FLAGS, type SeveralProjects } from '../helpers/several-projects.ts';

const ALL = '--all-projects';
const ARGV = ['apply', ALL, '--yes', '-f', 'json'];
const MORE = TWO_FLAGS.replace('rollout_percentage: 10', 'rollout_percentage: 20');

/** Puts a gate in front of each service. */
async function behindGates<Name extends string>(several: SeveralProjects<Name>): Promise<Record<Name, Gate>> {
  const gates: Partial<Record<Name, Gate>> = {};
  let text = several.read('flagwright.yaml');
  for (const [name, world] of Object.entries(several.worlds) as [Name, { readonly url: string }][]) {
    const gate = await startGate(world.url);
    gates[name] = gate;
    text = text.replace(world.url, gate.host);
  }
  several.write('flagwright.yaml', text);
  return gates as Record<Name, Gate>;
}

async function expectOnce<Name extends string>({ worlds }: SeveralProjects<Name>): Promise<void> {
  for (const { client } of Object.values(worlds) as SeveralProjects<Name>['worlds'][Name][]) {
    const created = (await activityOf(client)).filter((entry) => entry.endsWith(' created'));
    expect(twice(created)).toEqual([]);
  }
}

test('a wrong key, a host that is down, a limit of requests, a refusal and a stale plan concern their projects alone', async () => {
  const several = await severalProjects(
    { fine: '', unkeyed: '', down: '', limited: '', refused: '', stale: ', after: [fine]', later: ', after: [stale]' },
    { settings: 'protected: [search]\n' },
  );
  const { run, runWith, write, worlds, keysOf } = several;
  expect((await run(...ARGV)).code).toBe(0);
  write(
    'flags/main.yaml',
    MORE.replace('search: { active: true }', 'search: { active: true, projects: { refused: { active: false } } }'),
  );
  const planned = await run('plan', ALL, '--out', 'plans.json', '-f', 'json');
  expect(statesOf(planned)).toMatchObject({ fine: 'to_apply', refused: 'refused', later: 'to_apply' });
  await worlds.stale.edit('checkout', { active: false });
  await worlds.down.goDown();
  const ran = await runWith({ env: { KEY_UNKEYED: '' } }, 'apply', 'plans.json', '-f', 'json');
  expect(statesOf(ran)).toEqual({
    ...{ fine: 'applied', unkeyed: 'failed', down: 'failed', limited: 'applied' },
    ...{ refused: 'refused', stale: 'stale', later: 'held' },
  });
  expect(ran.code).toBe(3);
  expect(ran.stderr).toContain('later: held, since stale is not in sync (stale); nothing was applied.');
  const shares = await Promise.all(
    (['fine', 'limited', 'refused', 'unkeyed', 'later'] as const).map(async (name) => {
      const flag = (await worlds[name].client.listFlags()).find(({ key }) => key === 'checkout');
      return [name, JSON.stringify(flag?.filters)] as const;
    }),
  );
  for (const [name, filters] of shares) {
    expect([name, filters]).toEqual([name, expect.stringContaining(['fine', 'limited'].includes(name) ? '20' : '10')]);
  }
  expect(await keysOf('later')).toEqual(['checkout', 'search']);
});

describe('a run that is cut off while two of four projects write', () => {
  test('by Ctrl-C finishes the writes it began, starts nothing new anywhere, and the next run does the rest', async () => {
    const several = await severalProjects({ a: '', b: '', c: ', after: [b]', d: '' });
    const gates = await behindGates(several);
    const holds = [gates.a, gates.b].map((gate) => gate.hold(({ method }) => method !== 'GET', 'before'));
    const { child, ended } = startBuilt(several, '--concurrency', '1');
    await Promise.all(holds.map((hold) => hold.arrived(1)));
    child.kill('SIGINT');
    await untilSaid(child, 'Interrupted.');
    for (const hold of holds) hold.open();
    const { code, stdout, stderr } = await ended;
    expect(statesOf({ stdout })).toMatchObject({ a: 'interrupted', b: 'interrupted', c: 'held' });
    expect([code, stderr.match(/Interrupted\. Changes/g)?.length]).toEqual([3, 1]);
    expect([await several.keysOf('a'), await several.keysOf('b'), await several.keysOf('c')]).toEqual([
      ['checkout'],
      ['checkout'],
      [],
    ]);
    const next = await several.run(...ARGV);
    expect([next.code, Object.values(statesOf(next)).includes('held')]).toEqual([0, false]);
    expect((await several.run('plan', ALL)).stdout).toContain('4 in sync');
    await expectOnce(several);
  });

  test('by kill -9 leaves a journal of each, and the next run does the rest', async () => {
    const several = await severalProjects({ a: '', b: '', c: ', after: [b]' });
    const gates = await behindGates(several);
    const holds = [gates.a, gates.b].map((gate) => gate.hold(({ method }) => method !== 'GET', 'after'));
    const { child, ended } = startBuilt(several);
    await Promise.all(holds.map((hold) => hold.arrived(1)));
    child.kill('SIGKILL');
    expect((await ended).signal).toBe('SIGKILL');
    for (const hold of holds) hold.open();
    await Promise.all(Object.values(gates).map((gate) => gate.idle()));
    const { document } = await several.run('history', '-f', 'json');
    const { runs } = document() as { readonly runs: readonly { readonly project: { readonly name: string } }[] };
    expect(runs.map(({ project }) => project.name).toSorted()).toEqual(['a', 'b']);
    expect(await several.keysOf('c')).toEqual([]);
    const next = await several.run(...ARGV);
    expect([next.code, statesOf(next)['c']]).toEqual([0, 'applied']);
    for (const name of ['a', 'b'])
      expect(next.stderr).toMatch(new RegExp(`Run \\S+ of this project is unfinished.+-p ${name}`));
    expect((await several.run('plan', ALL)).stdout).toContain('3 in sync');
    await expectOnce(several);
  });
});

function startBuilt(
  { root, env }: Pick<SeveralProjects<string>, 'root' | 'env'>,
  ...argv: string[]
): ReturnType<typeof startCli> {
  return startCli([...ARGV, ...argv], { cwd: root, env });
}

test('two runs over all projects at once write nothing twice, and say what they did', async () => {
  const several = await severalProjects({ a: '', b: ', after: [a]', c: '' });
  const both = await Promise.all([several.run(...ARGV), several.run(...ARGV)]);
  for (const name of ['a', 'b', 'c'] as const) expect(await several.keysOf(name)).toEqual(['checkout', 'search']);
  await expectOnce(several);
  expect(both.map(({ code }) => code).every((code) => [0, 1, 3, 5].includes(code))).toBe(true);
  const last = await several.run(...ARGV);
  expect([last.code, new Set(Object.values(statesOf(last)))]).toEqual([0, new Set(['in_sync'])]);
});

describe('between a saved plan and its apply', () => {
  test('a project that is removed from the configuration ends the run before anything is written', async () => {
    const { run, read, write, keysOf } = await severalProjects({ a: '', b: '' });
    await run('plan', ALL, '--out', 'plans.json');
    write('flagwright.yaml', read('flagwright.yaml').replace(/^ {2}b: .+\n/m, ''));
    const ran = await run('apply', 'plans.json');
    expect([ran.code, ran.stderr, await keysOf('a')]).toEqual([1, expect.stringContaining('no project "b"'), []]);
    expect((await run('apply', 'plans.json', '-p', 'a')).code).toBe(0);
  });

  test('a name that now means another project is refused, and the rest is applied', async () => {
    const { run, read, write, keysOf, worlds } = await severalProjects({ a: '', b: '', c: '' });
    await run('plan', ALL, '--out', 'plans.json');
    write('flagwright.yaml', read('flagwright.yaml').replace(worlds.b.url, worlds.c.url));
    const ran = await run('apply', 'plans.json', '-f', 'json');
    expect(statesOf(ran)).toEqual({ a: 'applied', b: 'failed', c: 'applied' });
    expect([ran.code, await keysOf('b')]).toEqual([3, []]);
    expect(ran.stderr).toContain('The plan was made for b (');
  });
});

describe('the limit over all projects', () => {
  const LIMITED = { settings: 'limits: { all_projects: 3 }\n' };

  test('is that of a plan, which apply would refuse', async () => {
    const { run } = await severalProjects({ a: '', b: '' }, LIMITED);
    const planned = await run('plan', ALL, '--detailed-exitcode');
    expect([planned.code, planned.stderr]).toEqual([
      4,
      expect.stringContaining('Apply would refuse these plans: 4 changes in 2 projects; the limit') as string,
    ]);
    expect((await run('plan', '-p', 'a', '--detailed-exitcode')).code).toBe(2);
    const { document } = await run('plan', ALL, '-f', 'json');
    expect(schemaErrors('projects', document())).toEqual([]);
    const words = '4 changes in 2 projects; the limit of a run over several is 3 (limits.all_projects).';
    expect(document()).toMatchObject({ refusal: { code: 'refused', message: words } });
    for (const format of ['text', 'markdown', 'html']) {
      const { stdout } = await run('plan', ALL, '-f', format);
      expect(stdout).toContain('Apply would refuse these plans');
      expect(stdout).toContain('the limit of a run over several is 3');
    }
  });

  test('is that of saved plans, too', async () => {
    const { run, keysOf } = await severalProjects({ a: '', b: '' }, LIMITED);
    const planned = await run('plan', ALL, '--out', 'plans.json');
    expect(planned.stderr).not.toContain('To apply exactly these plans');
    const ran = await run('apply', 'plans.json');
    expect([ran.code, ran.stderr]).toEqual([4, expect.stringContaining('4 changes in 2 projects') as string]);
    expect([await keysOf('a'), await keysOf('b')]).toEqual([[], []]);
    expect((await run('apply', 'plans.json', '-p', 'b')).code).toBe(0);
  });
});

describe('what a run says', () => {
  test('ends with 3 where its document could not be written after changes', async () => {
    const { run, root, keysOf } = await severalProjects({ a: '', b: '' });
    mkdirSync(path.join(root, 'folder'));
    const ran = await run(...ARGV, '-o', 'folder');
    expect([ran.code, await keysOf('a')]).toEqual([3, ['checkout', 'search']]);
    expect(ran.stderr).toContain('The changes were made before that.');
  });

  test('--quiet keeps what a person has to see, as of a record that was not pushed', async () => {
    const several = await severalProjects({ a: '', b: '' }, { settings: 'base: { push: origin }\n' });
    const { runWith, root } = several;
    const bare = createBare();
    const { env } = committing(several);
    git(root, 'remote', 'add', 'origin', `file://${bare.root}`);
    const hook = path.join(bare.root, 'hooks', 'update');
    several.write('hook', '#!/bin/sh\nexit 1\n');
    mkdirSync(path.dirname(hook), { recursive: true });
    git(root, 'config', '--file', path.join(bare.root, 'config'), 'core.hooksPath', path.dirname(hook));
    const { copyFileSync } = await import('node:fs');
    copyFileSync(path.join(root, 'hook'), hook);
    chmodSync(hook, 0o755);
    const ran = await runWith({ env }, 'apply', ALL, '--yes', '--quiet');
    expect(ran.stderr).toContain('refs/flagwright/applied/a was not pushed');
    expect(ran.stderr).toContain('refs/flagwright/applied/b was not pushed');
    expect(ran.code).toBe(0);
  });

  test('has the notes of planning, once', async () => {
    const { run, write } = await severalProjects({ a: '', b: '' });
    write('flags/main.yaml', `${TWO_FLAGS}  third: { active: true, filters: { groups: [] } }\n`);
    const all = await run('apply', ALL, '--yes');
    expect([all.code, all.stderr.match(/conditions-none/g)]).toEqual([0, ['conditions-none']]);
  });

  test('keeps what a run wrote where the project fails after its report', async () => {
    const { root } = await severalProjects({ a: '', b: '' });
    const stderr = { isTerminal: false, columns: 80, write: async () => undefined };
    const { session, said, reports } = watchSession({
      context: { cwd: root, env: {}, stderr },
      options: { allProjects: true, color: false },
    });
    const code = await overProjects(
      { ...session, paces: new Map(), secrets: createSecrets() },
      async (one) => {
        await one.publish({ kind: 'result', result: RESULT, durationMs: 1 });
        throw new FlagwrightError('file', 'The disk is full.');
      },
      { command: 'apply' },
    );
    expect([code, said.join('')]).toEqual([3, expect.stringContaining('The disk is full.') as string]);
    expect(reports).toMatchObject([{ kind: 'projects', projects: [{ report: { kind: 'result' } }, {}] }]);
  });
});

test('a project that waits for one in which people keep their edits is told what differs', async () => {
  const several = await severalProjects({ a: '', b: ', after: [a]' }, { settings: 'drift: keep\n' });
  const { runWith, worlds, write } = several;
  const { env, commit } = committing(several);
  expect((await runWith({ env }, ...ARGV)).code).toBe(0);
  await worlds.a.edit('search', { active: false });
  write('flags/main.yaml', MORE);
  commit();
  const ran = await runWith({ env }, ...ARGV);
  expect(statesOf(ran)).toEqual({ a: 'left', b: 'held' });
  expect(ran.code).toBe(3);
  expect(ran.stderr).toContain('b: held, since a is not in sync (it still differs in search); nothing was applied.');
});

test('edits since a saved plan hold what comes next also where the run keeps them, and a plan that left some is not stale', async () => {
  const several = await severalProjects({ a: '', b: ', after: [a]', c: '' });
  const { runWith, worlds, write } = several;
  write('.gitignore', '/*.json\n');
  const { env, commit } = committing(several);
  expect((await runWith({ env }, ...ARGV)).code).toBe(0);
  write('flags/main.yaml', MORE.replace('20 }', '20, projects: { c: { rollout_percentage: 10 } } }'));
  commit();
  await worlds.c.edit('search', { active: false });
  const planned = await runWith({ env }, 'plan', ALL, '--only-pending', '--out', 'plans.json');
  expect([planned.code, planned.stdout]).toEqual([0, expect.stringMatching(/^ {2}c +in sync but/m)]);
  await worlds.a.edit('search', { active: false });
  const ran = await runWith({ env }, 'apply', 'plans.json', '-f', 'json');
  expect(statesOf(ran)).toEqual({ a: 'incomplete', b: 'held', c: 'left' });
  expect([ran.code, ran.stderr]).toEqual([3, expect.stringContaining('differs from the manifests in search')]);
});

test('six projects record their runs in one folder at once', async () => {
  const { run, root } = await severalProjects({ a: '', b: '', c: '', d: '', e: '', f: '' });
  expect((await run(...ARGV, '--journal', 'runs')).code).toBe(0);
  expect(readdirSync(path.join(root, 'runs')).filter((name) => name.endsWith('.jsonl'))).toHaveLength(6);
  const { document } = await run('history', '--journal', 'runs', '-f', 'json');
  const { runs } = document() as { readonly runs: readonly { readonly project: { readonly name: string } }[] };
  expect(runs.map(({ project }) => project.name).toSorted()).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
});

test('six projects record what was applied in one repository at once', async () => {
  const several = await severalProjects(
    { a: '', b: '', c: '', d: '', e: '', f: '' },
    { settings: 'base: { push: origin }\n' },
  );
  const { runWith, root } = several;
  const bare = createBare();
  const { env } = committing(several);
  git(root, 'remote', 'add', 'origin', `file://${bare.root}`);
  const ran = await runWith({ env }, ...ARGV);
  expect([ran.code, ran.stderr]).toEqual([0, expect.not.stringMatching(/not pushed|No commit is recorded/)]);
  for (const folder of [root, bare.root])
    expect(git(folder, 'for-each-ref', 'refs/flagwright/applied/').split('\n')).toHaveLength(6);
});

test('due steps of all projects are made in their order, and wait for those of the project before', async () => {
  let time = Date.parse('2026-11-01T00:00:00Z');
  const now = (): Date => new Date(time);
  const steps = '[{ at: 2026-11-02T00:00:00Z, to: 10 }, { at: 2026-11-20T00:00:00Z, to: 50 }]';
  const several = await severalProjects(
    { a: '', b: ', after: [a]' },
    {
      manifest: `flags:\n  checkout: { active: true, rollout_percentage: { steps: ${steps} } }\n`,
      worlds: { a: { now }, b: { now } },
    },
  );
  const { runWith, worlds } = several;
  const { env } = committing(several);
  expect(await runWith({ env, now: time }, ...ARGV)).toMatchObject({ code: 0 });
  const shareIn = async (name: 'a' | 'b'): Promise<unknown> =>
    (await worlds[name].client.listFlags())[0]?.filters?.groups?.[0]?.rollout_percentage;
  const due = ['apply', '--due', ALL, '-f', 'json'];
  time = Date.parse('2026-11-03T00:00:00Z');
  const held = await runWith({ env: { ...env, KEY_A: '' }, now: time }, ...due);
  expect([held.code, statesOf(held), await shareIn('b')]).toEqual([1, { a: 'failed', b: 'held' }, 0]);
  const made = await runWith({ env, now: time }, ...due);
  expect([made.code, statesOf(made)]).toEqual([0, { a: 'applied', b: 'applied' }]);
  expect([await shareIn('a'), await shareIn('b')]).toEqual([10, 10]);
  const again = await runWith({ env, now: time }, ...due);
  expect([again.code, statesOf(again)]).toEqual([0, { a: 'in_sync', b: 'in_sync' }]);
});
