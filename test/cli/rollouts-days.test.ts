/** Rollouts on days on which something else happens: renames, deletes and reverts in git, edits in the service, and a service that is down. */

import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { grantRole } from '../helpers/access.ts';
import { CONFIG, REF } from '../helpers/git-stage.ts';
import { schemaErrors } from '../helpers/schemas.ts';
import { hour, type TimedStage } from '../helpers/timed-stage.ts';
import { ROLE_IDS } from '../helpers/world.ts';
import { begunRollout } from './begun-rollout.ts';

const [, OTHER = ''] = ROLE_IDS;
const STEPS = `
      steps:
        - { at: ${hour(1)}, to: 10 }
        - { at: ${hour(2)}, to: 50 }
        - { at: ${hour(5)}, to: 100 }`;
const flag = (key: string, percentage: string): string =>
  `  ${key}:\n    active: true\n    rollout_percentage:${percentage}\n`;
const SEARCH = flag('search', ' 30');
const STEPPED = `flags:\n${flag('checkout', STEPS)}${SEARCH}`;

describe('between two steps, git', () => {
  test('renames the flag: its rollout goes on', async () => {
    const { commit, runAt, percentages } = await begunRollout(STEPPED);
    const renamed = STEPPED.replace('  checkout:\n', '  payment:\n    previous_keys: [checkout]\n');
    commit({ 'flags/main.yaml': renamed });
    expect((await runAt(2, 'apply', '--yes')).code).toBe(0);
    expect(await percentages()).toEqual({ payment: 50, search: 30 });
    expect((await runAt(4.5, 'apply', '--due')).stdout).toContain('Nothing to apply');
    expect((await runAt(5, 'apply', '--due')).code).toBe(0);
    expect(await percentages()).toEqual({ payment: 100, search: 30 });
  });

  test('renames it, and nobody applies that: its steps are made by its old name', async () => {
    const { commit, runAt, percentages } = await begunRollout(STEPPED);
    commit({ 'flags/main.yaml': STEPPED.replace('  checkout:\n', '  payment:\n    previous_keys: [checkout]\n') });
    expect((await runAt(2, 'apply', '--due')).code).toBe(0);
    expect(await percentages()).toEqual({ checkout: 50, search: 30 });
    expect((await runAt(2.1, 'apply', '--yes')).code).toBe(0);
    expect((await runAt(5, 'apply', '--due')).code).toBe(0);
    expect(await percentages()).toEqual({ payment: 100, search: 30 });
  });

  test.each([
    ['deletes the flag', `flags:\n  checkout: { deleted: true }\n${SEARCH}`, { search: 30 }],
    ['no longer names it', `flags:\n${SEARCH}`, { checkout: 10, search: 30 }],
    ['has a value in place of the steps', `flags:\n${flag('checkout', ' 20')}${SEARCH}`, { checkout: 20, search: 30 }],
    [
      'moves it to another project',
      STEPPED.replace('  checkout:\n', '  checkout:\n    only_in: [other]\n'),
      { checkout: 10, search: 30 },
    ],
  ])('%s: no step of it is made any more', async (_, manifest, live) => {
    const config = 'projects:\n  main: { host: $HOST, project_id: "1" }\n  other: { host: $HOST, project_id: "2" }\n';
    const { commit, runAt, percentages } = await begunRollout(STEPPED, { config: `${config}default_project: main\n` });
    commit({ 'flags/main.yaml': manifest });
    expect((await runAt(1.5, 'apply', '--yes', '--allow-deletes', '1')).code).toBe(0);
    for (const hours of [2, 5]) {
      const ran = await runAt(hours, 'apply', '--due');
      expect(ran).toMatchObject({ code: 0 });
      expect(ran.stdout).toContain('Nothing to apply');
    }
    expect(await percentages()).toEqual(live);
    expect((await runAt(9, 'drift')).stdout).not.toContain('overdue');
  });

  test('reverts the commit at 50%: the plan says that it narrows, and nothing widens again', async () => {
    const { commit, git, runAt, percentages } = await begunRollout(STEPPED.replace(STEPS, ' 10'));
    commit({ 'flags/main.yaml': STEPPED });
    expect((await runAt(1.1, 'apply', '--yes')).code).toBe(0);
    expect((await runAt(2, 'apply', '--due')).code).toBe(0);
    expect(await percentages()).toMatchObject({ checkout: 50 });
    git('revert', '--no-edit', 'HEAD');
    expect((await runAt(2.1, 'plan')).stdout).toContain('narrow: condition 1 (everyone): 50% → 10%');
    expect((await runAt(2.2, 'apply', '--yes')).code).toBe(0);
    await runAt(6, 'apply', '--due');
    expect(await percentages()).toMatchObject({ checkout: 10 });
  });

  test('moves the steps that are ahead: the rollout goes on where it is', async () => {
    const { commit, runAt, percentages } = await begunRollout(STEPPED);
    commit({ 'flags/main.yaml': STEPPED.replace(hour(2), hour(3)) });
    expect((await runAt(1.5, 'apply', '--yes')).stdout).toContain('Nothing to apply');
    expect((await runAt(2, 'apply', '--due')).stdout).toContain('Nothing to apply');
    expect((await runAt(3, 'apply', '--due')).code).toBe(0);
    expect(await percentages()).toMatchObject({ checkout: 50 });
  });

  test('edits a step that was made: the plan shows where the rollout begins anew before it is applied', async () => {
    const { commit, runAt, percentages } = await begunRollout(STEPPED);
    await runAt(2, 'apply', '--due');
    commit({ 'flags/main.yaml': STEPPED.replace('to: 50', 'to: 40') });
    const { stdout } = await runAt(2.1, 'plan');
    expect(stdout).toContain('begins at step 2 of 3, 40%');
    expect(stdout).toContain('narrow: condition 1 (everyone): 50% → 40%');
    expect(await percentages()).toMatchObject({ checkout: 50 });
  });
});

test('the plan of a rollout that begins late says when its next step comes', async () => {
  const { commit, runAt, percentages } = await begunRollout(`flags:\n${SEARCH}`);
  commit({ 'flags/main.yaml': STEPPED });
  expect((await runAt(3, 'plan')).stdout).toMatch(/begins at step 2 of 3, 50%; then 100% at .* 14:00:00 UTC/);
  const told =
    '2026-12-01 14:00:00 UTC  declared for 2026-12-01 13:00:00 UTC, but its rollout is late; if this change is applied after that, it makes the step at once';
  for (const format of ['text', 'markdown', 'html'])
    expect((await runAt(3, 'plan', '-f', format)).stdout.replaceAll(/<[^>]*>/g, '')).toContain(told);
  const document = (await runAt(3, 'plan', '-f', 'json', '--impact')).document();
  expect(schemaErrors('plan', document)).toEqual([]);
  const ofStep = { at: '2026-12-01T13:00:00.000Z', due: '2026-12-01T14:00:00.000Z' };
  expect(document).toMatchObject({
    steps_ahead: [ofStep],
    impact: { steps: [ofStep] },
    steps_soon: [{ at: ofStep.at }],
  });
  expect((await runAt(3, 'apply', '--yes')).code).toBe(0);
  expect((await runAt(5, 'apply', '--due')).stdout).toContain('Nothing to apply');
  expect((await runAt(6, 'apply', '--due')).code).toBe(0);
  expect(await percentages()).toMatchObject({ checkout: 100 });
});

test('steps that an earlier apply left are not made, until an apply makes them', async () => {
  const { world, commit, runAt, percentages, git } = await begunRollout(STEPPED);
  await world.edit('checkout', { key: 'other' });
  const edited = STEPPED.replace('to: 50', 'to: 80').replace('  checkout:\n', '  checkout:\n    description: New\n');
  commit({ 'flags/main.yaml': edited });
  expect((await runAt(2.1, 'apply', '--yes', '--only-pending')).stderr).toContain('except what was left of checkout');
  await world.edit('other', { key: 'checkout' });
  for (const hours of [2.2, 9]) {
    const ran = await runAt(hours, 'apply', '--due');
    expect(ran).toMatchObject({ code: 0 });
    expect(ran.stderr).toContain('waits: the last apply skipped the flag, so these steps were not applied');
    expect(await percentages()).toMatchObject({ checkout: 10 });
    expect(git('log', '-1', '--format=%B', REF)).toMatch(/"to":50.*"step":0/);
  }
  expect(await runAt(9, 'drift')).toMatchObject({ code: 2 });
  expect((await runAt(9, 'plan')).stdout).not.toContain('also without this change');
  expect((await runAt(9, 'apply', '--yes')).code).toBe(0);
  expect(await percentages()).toMatchObject({ checkout: 80 });
  expect(git('log', '-1', '--format=%B', REF)).toMatch(/"to":80.*"step":1/);
});

describe('who reverts an edit gets back what was applied before it, and the step that fell due follows', () => {
  const ANSWER = ['apply', '--target', 'checkout', '--override', 'checkout', '--yes'];

  test('after an emergency at 10%, under a policy that the step and the flag together would break', async () => {
    const config = `${CONFIG}policies: { rules: [{ rule: max-widen, points: 45 }] }\n`;
    const { world, runAt, percentages } = await begunRollout(STEPPED.replace('to: 100', 'to: 90'), { config });
    const isActive = async (): Promise<unknown> =>
      (await world.client.listFlags()).find(({ key }) => key === 'checkout')?.active;
    expect((await runAt(1.5, 'off', 'checkout', '--reason', 'incident', '--yes')).code).toBe(0);
    const plan = await runAt(2.2, 'plan', '-f', 'json');
    expect(schemaErrors('plan', plan.document())).toEqual([]);
    expect(plan.document()['rollouts']).toMatchObject([{ key: 'checkout', step: 0, held: true }]);
    expect((await runAt(2.2, 'plan')).stdout).toContain(
      'at step 1 of 3, 10%; the next step, 50%, is due since 2026-12-01 10:00:00 UTC',
    );
    expect(await runAt(9, ...ANSWER)).toMatchObject({ code: 0 });
    expect([await isActive(), await percentages()]).toMatchObject([true, { checkout: 10 }]);
    expect(await runAt(9.1, 'apply', '--due')).toMatchObject({ code: 0 });
    expect(await percentages()).toMatchObject({ checkout: 50 });
    expect((await runAt(12, 'apply', '--due')).stdout).toContain('Nothing to apply');
  });

  test('also where an apply leaves the edit: it makes no step', async () => {
    const { world, runAt, percentages } = await begunRollout(STEPPED);
    await world.edit('checkout', { active: false });
    expect(await runAt(2, 'apply', '--yes', '--only-pending')).toMatchObject({ code: 0 });
    expect(await percentages()).toMatchObject({ checkout: 10 });
    expect(await runAt(3, 'drift')).toMatchObject({ code: 2 });
  });
});

describe('in the service', () => {
  test.each<[string, (staged: TimedStage, id: number) => Promise<unknown>]>([
    ['archives the flag', async ({ world }) => world.edit('checkout', { archived: true, active: false })],
    ['gives a role access to it', async ({ world }, id) => grantRole(world.client, id, OTHER)],
  ])('somebody %s: the rollout waits', async (_, edit) => {
    const managed = STEPPED.replace('    active: true\n', '    active: true\n    role_access: [role-0]\n');
    const staged = await begunRollout(managed);
    const [checkout] = (await staged.world.client.listFlags()).filter(({ key }) => key === 'checkout');
    await edit(staged, checkout?.id ?? 0);
    const ran = await staged.runAt(2, 'apply', '--due');
    expect(ran).toMatchObject({ code: 0 });
    expect(ran.stderr).toContain('waits: somebody changed the flag in the service');
    expect(ran.stderr).toContain('flagwright apply --target checkout --override checkout reverts it');
    const leftIn = (text: string): number => text.split('Left as it is').length - 1;
    expect([leftIn(ran.stderr), leftIn(ran.stdout)]).toEqual([0, 1]);
    expect(await staged.world.client.getFlag(checkout?.id ?? 0)).toMatchObject({
      filters: { groups: [{ rollout_percentage: 10 }] },
    });
    expect(await staged.runAt(3, 'drift')).toMatchObject({ code: 2 });
    const reverted = await staged.runAt(3, 'apply', '--target', 'checkout', '--override', 'checkout', '--yes');
    expect(reverted).toMatchObject({ code: 0 });
    expect(reverted.stderr).toContain('this plan reverts that, and the next run makes the next step');
    expect(reverted.stderr).not.toContain('flagwright accept');
    await staged.runAt(3.1, 'apply', '--due');
    expect(await staged.percentages()).toMatchObject({ checkout: 50 });
  });

  test('somebody gives a role access to another flag: the rollout goes on', async () => {
    const managed = STEPPED.replaceAll('    active: true\n', '    active: true\n    role_access: [role-0]\n');
    const { world, runAt, percentages } = await begunRollout(managed);
    const [search] = (await world.client.listFlags()).filter(({ key }) => key === 'search');
    await grantRole(world.client, search?.id ?? 0, OTHER);
    expect((await runAt(2, 'apply', '--due')).code).toBe(0);
    expect(await percentages()).toMatchObject({ checkout: 50 });
  });
});

test('a service that is down at the step and up an hour later makes it then, and the next one keeps its distance', async () => {
  // Each of the two runs before listed the flags four times.
  const down = { match: { operation: 'listFlags' }, from: 9, count: 5, answer: { status: 503 } };
  const { runAt, percentages, git } = await begunRollout(STEPPED, { faults: { faults: [down] } });
  const before = git('rev-parse', REF);
  expect((await runAt(2, 'apply', '--due')).code).toBe(1);
  expect(git('rev-parse', REF)).toBe(before);
  expect((await runAt(3, 'apply', '--due')).code).toBe(0);
  expect(await percentages()).toMatchObject({ checkout: 50 });
  expect((await runAt(5.9, 'apply', '--due')).stdout).toContain('Nothing to apply');
  await runAt(6, 'apply', '--due');
  expect(await percentages()).toMatchObject({ checkout: 100 });
});

test('ten flags whose steps are due at once are made in one run, also where the service takes no more requests for a second', async () => {
  const keys = Array.from({ length: 10 }, (_, index) => `flag-${index}`);
  const throttle = { match: { method: 'PATCH' }, from: 15, count: 2, answer: { status: 429, retry_after: 1 } };
  const { runAt, percentages } = await begunRollout(`flags:\n${keys.map((key) => flag(key, STEPS)).join('')}`, {
    faults: { faults: [throttle] },
  });
  const ran = await runAt(2, 'apply', '--due', '-f', 'json');
  expect(ran.document()).toMatchObject({ outcomes: { applied: 10 } });
  expect(new Set(Object.values(await percentages()))).toEqual(new Set([50]));
  expect((await runAt(2.1, 'plan', '-f', 'json')).document()['changes']).toEqual([]);
});

test('the commands of the page for a job that deploys make the due steps, or write one flag', async () => {
  const page = readFileSync(new URL('../../docs/rollouts.md', import.meta.url), 'utf8');
  const [, block = ''] = /## One step after a deploy[^]*?```sh\n([^]*?)```/.exec(page) ?? [];
  const [due = [], merged = []] = block
    .trimEnd()
    .split('\n')
    .map((line) =>
      line.replace(/ #.*/, '').replace('production', 'main').replace('new-checkout', 'checkout').split(' ').slice(1),
    );
  const { commit, runAt, percentages } = await begunRollout(STEPPED);
  commit({ 'flags/main.yaml': STEPPED.replace('rollout_percentage: 30', 'rollout_percentage: 35') });
  const early = await runAt(1.5, ...due);
  expect(early.stdout + early.stderr).toContain('Nothing to apply');
  expect((await runAt(2, ...due)).code).toBe(0);
  expect(await percentages()).toEqual({ checkout: 50, search: 30 });
  commit({ 'flags/main.yaml': `flags:\n${flag('checkout', ' 60')}${flag('search', ' 35')}` });
  expect((await runAt(3, ...merged)).code).toBe(0);
  expect(await percentages()).toEqual({ checkout: 60, search: 30 });
});
