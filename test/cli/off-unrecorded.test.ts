/** A flag that a run created and did not live to record: who turns it off since then is asked before it is turned on. */

import { expect, test } from 'vitest';
import { REF } from '../helpers/git-stage.ts';
import { timedStage, type TimedStage } from '../helpers/timed-stage.ts';

test.each<[string, (here: TimedStage) => Promise<unknown>]>([
  ['off', async ({ runAt }) => runAt(1.5, 'off', 'b', '--yes')],
  ['the interface of the service', async ({ world }) => world.edit('b', { active: false })],
])('what a person turned off with %s stays off until a run overrides it', async (_, turnOff) => {
  const manifest = 'flags:\n  a: { active: true }\n';
  const here = await timedStage(manifest);
  const { runAt, world, commit, git } = here;
  await runAt(0, 'apply', '--yes');
  commit({ 'flags/main.yaml': `${manifest}  b: { active: true, rollout_percentage: 18 }\n` });
  const before = git('rev-parse', REF).trim();
  await runAt(1, 'apply', '--yes');
  git('update-ref', REF, before);
  await turnOff(here);
  const isOn = async (): Promise<boolean | undefined> =>
    (await world.client.listFlags()).find(({ key }) => key === 'b')?.active;

  const refused = await runAt(2, 'apply', '--yes', '--allow-risky', '*');
  expect(refused).toMatchObject({ code: 4 });
  expect(refused.stderr).toContain('--override b');
  expect(await isOn()).toBe(false);
  expect(await runAt(3, 'apply', '--yes', '--override', 'b')).toMatchObject({ code: 0 });
  expect(await isOn()).toBe(true);
});

test.each<[string, (here: TimedStage) => Promise<unknown>, string]>([
  ['off', async ({ runAt }) => runAt(2, 'off', 'a', '--yes'), 'turned off'],
  ['the interface of the service', async ({ world }) => world.edit('a', { active: false }), 'version'],
])('a saved plan that turned a flag on does not turn it on again after %s', async (_, turnOff, said) => {
  const manifest = 'flags:\n  a: { active: false }\n';
  const here = await timedStage(manifest);
  const { runAt, world, commit } = here;
  await runAt(0, 'apply', '--yes');
  commit({ 'flags/main.yaml': manifest.replace('false', 'true') });
  await runAt(1, 'plan', '--out', 'plan.json');
  expect(await runAt(1, 'apply', 'plan.json')).toMatchObject({ code: 0 });
  await turnOff(here);
  const again = await runAt(3, 'apply', 'plan.json');
  expect(again.code).not.toBe(0);
  expect(`${again.stdout}${again.stderr}`).toContain(said);
  expect((await world.client.listFlags())[0]?.active).toBe(false);
});

test('a saved plan that widened a flag does not widen it again after somebody narrowed it', async () => {
  const manifest = 'flags:\n  a: { active: true, rollout_percentage: 10 }\n';
  const { runAt, world, commit, percentages } = await timedStage(manifest);
  await runAt(0, 'apply', '--yes');
  commit({ 'flags/main.yaml': manifest.replace('10', '90') });
  await runAt(1, 'plan', '--out', 'plan.json');
  expect(await runAt(1, 'apply', 'plan.json')).toMatchObject({ code: 0 });
  expect((await runAt(1.5, 'apply', 'plan.json')).stdout).toContain('already up to date');
  await world.edit('a', { filters: { groups: [{ properties: [], rollout_percentage: 10 }] } });
  expect((await runAt(3, 'apply', 'plan.json')).stdout).toContain('version');
  expect(await percentages()).toEqual({ a: 10 });
});
