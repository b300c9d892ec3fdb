/** `apply --due` where the project keeps drift (`drift: keep`): what a person changed or an apply left is not written by a run that makes steps. */

import { describe, expect, test } from 'vitest';
import { CONFIG, REF } from '../helpers/git-stage.ts';
import { hour as at, timedStage } from '../helpers/timed-stage.ts';

const KEEP = `${CONFIG}drift: keep\n`;

const MANIFEST = `flags:
  checkout:
    active: true
    rollout_percentage: { steps: [{ at: ${at(1)}, to: 10 }, { at: ${at(2)}, to: 50 }] }
  search:
    active: true
    rollout_percentage: 0
  banner:
    active: true
    rollout_percentage: { steps: [{ at: ${at(1)}, to: 20 }, { at: ${at(2)}, to: 40 }] }
`;

describe('with drift: keep, a due run', () => {
  test('writes no change of git that an earlier apply left', async () => {
    const { runAt, world, commit, percentages } = await timedStage(MANIFEST, { config: KEEP });
    await runAt(0, 'apply', '--yes');
    await world.edit('search', { key: 'other' });
    commit({ 'flags/main.yaml': MANIFEST.replace('rollout_percentage: 0', 'rollout_percentage: 100') });
    expect((await runAt(0.5, 'apply', '--yes')).stderr).toContain('except what was left of search');
    await world.edit('other', { key: 'search' });
    expect(await runAt(1, 'apply', '--due')).toMatchObject({ code: 0 });
    expect(await percentages()).toMatchObject({ checkout: 10, banner: 20, search: 0 });
  });

  test('does not continue the rollout of a flag that somebody turned off', async () => {
    const { runAt, percentages, world } = await timedStage(MANIFEST, { config: KEEP });
    for (const hours of [0, 1]) await runAt(hours, 'apply', '--yes');
    expect(await runAt(1.2, 'off', 'checkout', '--yes')).toMatchObject({ code: 0 });
    expect(await runAt(2, 'apply', '--due')).toMatchObject({ code: 0 });
    expect(await percentages()).toMatchObject({ checkout: 10, banner: 40 });
    expect((await world.client.listFlags()).find(({ key }) => key === 'checkout')?.active).toBe(false);
  });

  test('makes the steps of all other flags where somebody edited one', async () => {
    const { runAt, percentages, world } = await timedStage(MANIFEST, { config: KEEP });
    for (const hours of [0, 1]) await runAt(hours, 'apply', '--yes');
    await world.edit('checkout', { active: false });
    await world.edit('search', { active: false });
    expect(await runAt(2, 'apply', '--due')).toMatchObject({ code: 0 });
    expect(await percentages()).toMatchObject({ checkout: 10, banner: 40 });
  });
});

describe('a due run', () => {
  test('makes the steps of all other flags where a rule refuses that of one, and says so', async () => {
    const { runAt, percentages, git, commit, read } = await timedStage(MANIFEST);
    for (const hours of [0, 1]) await runAt(hours, 'apply', '--yes');
    const record = git('rev-parse', REF);
    const config = read('flagwright.yaml');
    const limited = (points: number): string =>
      `${config}policies: { rules: [{ rule: max-widen, points: ${points} }] }\n`;
    commit({ 'flagwright.yaml': limited(30) });
    const ran = await runAt(2, 'apply', '--due');
    expect(ran).toMatchObject({ code: 3 });
    expect(ran.stderr).toMatch(/checkout .*\(max-widen\)/);
    expect(ran.stderr).toContain('waits: a rule refuses its step');
    expect(await percentages()).toMatchObject({ checkout: 10, banner: 40 });
    // The next run has nothing but the step that is refused.
    expect(await runAt(2.2, 'apply', '--due')).toMatchObject({ code: 4 });
    expect(git('rev-parse', REF)).not.toBe(record);
    commit({ 'flagwright.yaml': limited(50) });
    expect(await runAt(2.6, 'apply', '--due')).toMatchObject({ code: 0 });
    expect(await percentages()).toMatchObject({ checkout: 50, banner: 40 });
    expect((await runAt(2.7, 'plan', '-f', 'json')).document()['changes']).toEqual([]);
  });

  test('waits where somebody ended the early access of a flag', async () => {
    const features = `early_access:\n  checkout: { stage: beta }\n`;
    const { runAt, percentages, world } = await timedStage(`${MANIFEST}${features}`);
    for (const hours of [0, 1]) expect(await runAt(hours, 'apply', '--yes')).toMatchObject({ code: 0 });
    const [feature] = await world.client.listEarlyAccessFeatures();
    await world.client.updateEarlyAccessFeature(feature?.['id'] as string, { stage: 'archived' });
    const ran = await runAt(2, 'apply', '--due');
    expect(ran).toMatchObject({ code: 0 });
    expect(ran.stderr).toContain('waits: somebody changed the flag in the service');
    expect(await percentages()).toMatchObject({ checkout: 10, banner: 40 });
  });
});
