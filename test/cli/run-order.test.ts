/** undo, --resume and the history choose the run that came last, whatever the clocks say, and none where that is unknown. */

import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { schemaErrors } from '../helpers/schemas.ts';
import { stage, type Stage } from '../helpers/stage.ts';

const at = (day: number): number => Date.UTC(2026, 0, day);
const manifest = (percentage: number): string =>
  `flags:\n  checkout: { active: true, rollout_percentage: ${percentage} }\n`;

async function apply(staged: Stage, percentage: number, now: number, ...argv: string[]): Promise<string> {
  staged.workspace.write('flags/main.yaml', manifest(percentage));
  const ran = await staged.runWith({ now }, 'apply', '-y', '-f', 'json', ...argv);
  expect([ran.code, ran.stderr]).toMatchObject([0, expect.anything()]);
  return (ran.document() as { run: string }).run;
}

async function rollout({ world }: Stage): Promise<unknown> {
  const [flag] = await world.client.listFlags();
  return flag?.filters?.groups?.[0]?.rollout_percentage;
}

const fileOf = ({ workspace }: Stage, run: string, folder = '.flagwright/journal'): string =>
  path.join(workspace.root, folder, `${run}.jsonl`);

test.each([
  ['went back', 4, 2],
  ['stood still', 4, 4],
])('undo reverts the last run where the clock %s', async (_, first, second) => {
  const staged = await stage(manifest(1));
  await apply(staged, 10, at(1));
  await apply(staged, 20, at(first));
  const last = await apply(staged, 30, at(second));
  const { runs } = (await staged.run('history', '-f', 'json')).document() as { runs: { run: string }[] };
  expect(runs.map(({ run }) => run)[0]).toBe(last);
  const undone = await staged.runWith({ now: at(3) }, 'undo', '-y');
  expect([undone.code, await rollout(staged)]).toEqual([0, 20]);
  const again = await staged.runWith({ now: at(1) }, 'undo', '-y');
  expect([again.code, again.stderr]).toEqual([4, expect.stringContaining(`is an undo of run ${last}`) as string]);
});

test('--resume finds the run that was cut off after the clock went back, and plan mentions it', async () => {
  const staged = await stage(manifest(1));
  await apply(staged, 10, at(4));
  const last = await apply(staged, 20, at(2));
  const file = fileOf(staged, last);
  writeFileSync(file, `${readFileSync(file, 'utf8').split('\n').slice(0, 2).join('\n')}\n`);
  expect((await staged.run('plan')).stderr).toContain(`Run ${last} of this project is unfinished`);
  const resumed = await staged.run('apply', '--resume', '-f', 'json');
  expect([resumed.code, resumed.document()]).toMatchObject([0, { run: last, outcomes: { applied: 1 } }]);
});

/** Two machines apply to the project in turn; their journals are joined in one folder. */
async function joined(): Promise<{ staged: Stage; one: string; two: string }> {
  const staged = await stage(manifest(1));
  const one = await apply(staged, 10, at(4), '--journal', 'one');
  const two = await apply(staged, 20, at(2), '--journal', 'two');
  mkdirSync(path.join(staged.workspace.root, 'joined'));
  for (const run of [one, two]) {
    const from = run === one ? 'one' : 'two';
    copyFileSync(fileOf(staged, run, from), fileOf(staged, run, 'joined'));
  }
  return { staged, one, two };
}

test.each([
  ['undo', '-y'],
  ['apply', '--resume'],
  ['history', 'last'],
  ['undo', 'last', '-y'],
  ['undo', 'last-2', '-y'],
])('%s %s asks which run is meant where two machines recorded one each', async (...argv) => {
  const { staged, one, two } = await joined();
  const { code, stderr } = await staged.run(...argv, '--journal', 'joined');
  expect([code, stderr]).toEqual([4, expect.stringContaining('were recorded independently') as string]);
  for (const run of [one, two]) expect(stderr).toContain(run);
  expect(await rollout(staged)).toBe(20);
});

test('the history says that runs were recorded independently; a run that is named is undone, and is the last one from then on', async () => {
  const { staged, one, two } = await joined();
  const history = await staged.run('history', '--journal', 'joined');
  expect(history.stdout).toContain(`${one}, ${two} were recorded independently`);
  expect((await staged.run('undo', two, '-y', '--journal', 'joined')).code).toBe(0);
  expect(await rollout(staged)).toBe(10);
  const { document } = await staged.run('history', '--journal', 'joined', '-f', 'json');
  expect(schemaErrors('history', document() as never)).toEqual([]);
  const [newest] = document()['runs'] as { follows: string[]; undoes: string }[];
  expect(newest).toMatchObject({ undoes: two, follows: [one, two] });
  expect((await staged.run('history', '--journal', 'joined')).stdout).not.toContain('recorded independently');
  expect(
    readdirSync(path.join(staged.workspace.root, 'joined')).filter((file) => file.endsWith('.jsonl')),
  ).toHaveLength(3);
});
