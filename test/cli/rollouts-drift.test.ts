/** `apply --due` where the project keeps drift (`drift: keep`): what a person changed or an apply left is not written by a run that makes steps. */

import { describe, expect, test } from 'vitest';
import { CONFIG } from '../helpers/git-stage.ts';
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
    rollout_percentage: { steps: [{ at: ${at(1)}, to: 20 }, { at: ${at(2)}, to: 60 }] }
`;

describe('with drift: keep, a due run', () => {
  test('writes no change of git that an earlier apply left', async () => {
    const { runAt, world, commit, percentages } = await timedStage(MANIFEST, { config: KEEP });
    await runAt(0, 'apply', '--yes');
    await world.edit('search', { key: 'other' });
    commit({ 'flags/main.yaml': MANIFEST.replace('rollout_percentage: 0', 'rollout_percentage: 100') });
    expect((await runAt(0.5, 'apply', '--yes')).stderr).toContain('but for what was left of search');
    await world.edit('other', { key: 'search' });
    expect(await runAt(1, 'apply', '--due')).toMatchObject({ code: 0 });
    expect(await percentages()).toMatchObject({ checkout: 10, banner: 20, search: 0 });
  });

  test('does not continue the rollout of a flag that somebody turned off', async () => {
    const { runAt, percentages, world } = await timedStage(MANIFEST, { config: KEEP });
    for (const hours of [0, 1]) await runAt(hours, 'apply', '--yes');
    expect(await runAt(1.2, 'off', 'checkout', '--yes')).toMatchObject({ code: 0 });
    expect(await runAt(2, 'apply', '--due')).toMatchObject({ code: 0 });
    expect(await percentages()).toMatchObject({ checkout: 10, banner: 60 });
    expect((await world.client.listFlags()).find(({ key }) => key === 'checkout')?.active).toBe(false);
  });

  test('makes the steps of all other flags where somebody edited one', async () => {
    const { runAt, percentages, world } = await timedStage(MANIFEST, { config: KEEP });
    for (const hours of [0, 1]) await runAt(hours, 'apply', '--yes');
    await world.edit('checkout', { active: false });
    await world.edit('search', { active: false });
    expect(await runAt(2, 'apply', '--due')).toMatchObject({ code: 0 });
    expect(await percentages()).toMatchObject({ checkout: 10, banner: 60 });
  });
});
