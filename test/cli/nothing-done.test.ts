/** A run that has nothing to do decides something too: it supersedes older runs, and an `off` of what is off holds. */

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { CONFIG, gitStage, REF } from '../helpers/git-stage.ts';
import { hour as at, timedStage } from '../helpers/timed-stage.ts';

const OFF = 'flags: { a: { active: false, rollout_percentage: 100 }, b: { active: true } }\n';
const ON = OFF.replace('active: false', 'active: true');

describe('off of a flag that is off', () => {
  test('is recorded: no apply turns the flag on without a word', async () => {
    const { run, commit, world } = await gitStage(CONFIG, { manifest: OFF });
    const active = async (): Promise<unknown> =>
      (await world.client.listFlags()).find(({ key }) => key === 'a')?.active;
    await run('apply', '--yes');
    const off = await run('off', 'a', '--yes', '--reason', 'incident 7');
    expect(off).toMatchObject({ code: 0 });
    expect(off.stderr).toMatch(/Recorded as run \S+: on this machine, apply will not turn a on\./);
    const { stdout: history } = await run('history');
    expect(history).toMatch(/ {2}main {2}a kept off\n {2}complete · nothing to write\n {2}off: incident 7\n/);
    commit({ 'flags/main.yaml': ON });
    for (const command of [['plan'], ['apply', '--yes']]) {
      const ran = await run(...command);
      expect(ran.stdout + ran.stderr).toMatch(
        /a was off already when \S+ ran `flagwright off` \(run \S+\) on .*: incident 7/,
      );
      expect(ran.code).toBe(command[0] === 'plan' ? 0 : 4);
    }
    expect(await active()).toBe(false);
    expect(await run('apply', '--yes', '--override', 'a')).toMatchObject({ code: 0 });
    expect(await active()).toBe(true);
  });

  test('holds until its run is undone', async () => {
    const { run, commit, world } = await gitStage(CONFIG, { manifest: OFF });
    await run('apply', '--yes');
    await run('off', 'a', '--yes');
    commit({ 'flags/main.yaml': ON });
    const { runs } = (await run('history', '-f', 'json')).document() as {
      readonly runs?: readonly { readonly run: string }[];
    };
    expect(await run('undo', runs?.[0]?.run ?? '', '--yes')).toMatchObject({ code: 0 });
    expect(await run('apply', '--yes')).toMatchObject({ code: 0 });
    expect((await world.client.listFlags()).map(({ active }) => active)).toEqual([true, true]);
  });

  test.each([
    ['localhost', (config: string) => config.replace('127.0.0.1', 'localhost')],
    ['@current', (config: string) => config.replace('"1"', '"@current"')],
    ['another name', (config: string) => config.replace('main:', 'production:')],
  ])('holds where the same change writes the project in another way: %s', async (_, spell) => {
    const { run, commit, read, world } = await gitStage(CONFIG, { manifest: OFF });
    await run('apply', '--yes');
    await run('off', 'a', '--yes');
    commit({ 'flags/main.yaml': ON, 'flagwright.yaml': spell(read('flagwright.yaml')) });
    const ran = await run('apply', '--yes');
    expect(ran).toMatchObject({ code: 4 });
    expect(ran.stderr).toMatch(/a was off already when \S+ ran `flagwright off`/);
    expect((await world.client.listFlags()).map(({ active }) => active)).toEqual([true, false]);
  });

  test('with --zero before the first step, its rollout waits', async () => {
    const steps = `{ steps: [{ at: ${at(1)}, to: 10 }, { at: ${at(2)}, to: 50 }] }`;
    const { runAt, percentages } = await timedStage(`flags: { a: { active: true, rollout_percentage: ${steps} } }\n`);
    await runAt(0, 'apply', '--yes');
    expect(await runAt(0.5, 'off', 'a', '--zero', '--yes')).toMatchObject({ code: 0 });
    for (const hours of [1, 2, 3]) {
      const ran = await runAt(hours, 'apply', '--due');
      expect(ran).toMatchObject({ code: 0 });
      expect(ran.stderr).toContain('waits: somebody undid this step or turned the flag off');
      expect(ran.stderr).toContain('flagwright apply --target a --override a continues it');
      const applied = await runAt(hours, 'apply', '--yes');
      expect(applied).toMatchObject({ code: 0 });
      // It reverts nothing, and no later run makes the step.
      expect(applied.stderr).not.toContain('this plan reverts that');
      expect(await percentages()).toEqual({ a: 0 });
    }
    await runAt(3, 'apply', '--yes', '--target', 'a', '--override', 'a');
    expect(await percentages()).toEqual({ a: 10 });
  });
});

test.each([
  ['an apply', [['apply', '--yes']]],
  [
    'a saved plan',
    [
      ['plan', '--out', 'p.json'],
      ['apply', 'p.json'],
    ],
  ],
])(
  '%s in sync supersedes a run that was killed before it wrote, so that nobody resumes what git took back',
  async (_, runs) => {
    const { run, commit, git, world, root } = await gitStage(CONFIG, { manifest: OFF });
    await run('apply', '--yes');
    const record = git('rev-parse', REF).trim();
    commit({ 'flags/main.yaml': ON });
    await run('apply', '--yes');
    // As if it had been killed: the request was recorded and never sent.
    git('update-ref', REF, record);
    await world.edit('a', { active: false });
    const folder = path.join(root, '.flagwright/journal');
    const newest = path.join(folder, readdirSync(folder).toSorted().at(-1) ?? '');
    const lines = readFileSync(newest, 'utf8').split('\n');
    writeFileSync(newest, `${lines.slice(0, 2).join('\n')}\n`);
    expect((await run('plan')).stderr).toContain('`flagwright apply --resume -p main` finishes it');
    commit({ 'flags/main.yaml': OFF });
    const planned = await run('plan');
    expect(planned.stderr).not.toContain('--resume');
    expect(planned.stderr).toContain('an apply supersedes it');
    for (const argv of runs) expect(await run(...argv)).toMatchObject({ code: 0 });
    const resumed = await run('apply', '--resume');
    expect(resumed.stdout + resumed.stderr).toContain('Nothing to resume');
    expect((await world.client.listFlags()).find(({ key }) => key === 'a')?.active).toBe(false);
    expect((await run('plan')).stderr).toBe('');
  },
);
