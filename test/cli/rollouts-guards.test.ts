/** What makes a step that nobody reviewed, or that was applied elsewhere: other manifests, another project, an old record, an old approval. */

import { describe, expect, test } from 'vitest';
import { startFront } from '../helpers/front.ts';
import { createBare } from '../helpers/repository.ts';
import { CONFIG, REF } from '../helpers/git-stage.ts';
import { hour, START, timedStage, type TimedStage } from '../helpers/timed-stage.ts';
import { begunRollout } from './begun-rollout.ts';

const HOUR = 3_600_000;
const STEPS = `
      steps:
        - { at: ${hour(1)}, to: 10 }
        - { at: ${hour(2)}, to: 50 }
        - { at: ${hour(5)}, to: 100 }`;
const flag = (key: string, percentage: string): string =>
  `  ${key}:\n    description: One\n    active: true\n    rollout_percentage:${percentage}\n`;
const STEPPED = `flags:\n${flag('checkout', STEPS)}${flag('search', ' 10')}`;

const begun = (manifest: string, options?: Parameters<typeof begunRollout>[1]): Promise<TimedStage> =>
  begunRollout(manifest, options, '--approved-by', 'ben');

describe('a run that only makes due steps', () => {
  test('reads the manifests that the configuration of the recorded commit names, and no others', async () => {
    const { commit, runAt, percentages, world } = await timedStage(STEPPED);
    const config = CONFIG.replaceAll('$HOST', world.url);
    commit({ 'other/main.yaml': STEPPED.replace('to: 50', 'to: 90') });
    for (const hours of [0, 1]) await runAt(hours, 'apply', '--yes');
    commit({ 'flagwright.yaml': `${config}manifests: [other/*.yaml]\n` });
    expect(await runAt(2, 'apply', '--due')).toMatchObject({ code: 0 });
    expect(await percentages()).toEqual({ checkout: 50, search: 10 });
    commit({ 'flagwright.yaml': `${config}manifests: [gone/*.yaml]\n` });
    expect(await runAt(5, 'apply', '--due')).toMatchObject({ code: 0 });
    expect(await percentages()).toEqual({ checkout: 100, search: 10 });
  });

  test('is refused for another project than the one to which the commit was applied', async () => {
    const { commit, runAt, world } = await begun(STEPPED);
    commit({ 'flagwright.yaml': CONFIG.replaceAll('$HOST', world.url).replace('"1"', '"2"') });
    const ran = await runAt(2, 'apply', '--due');
    expect(ran).toMatchObject({ code: 1 });
    expect(ran.stderr).toContain('was applied to another host or project_id than the configuration has now');
  });

  test('is refused where the remote that shares the record cannot be read: other steps may have been applied', async () => {
    const { git, runAt, percentages } = await timedStage(STEPPED, { config: `${CONFIG}base: { push: origin }\n` });
    git('remote', 'add', 'origin', `file://${createBare().root}`);
    for (const hours of [0, 1]) expect(await runAt(hours, 'apply', '--yes')).toMatchObject({ code: 0 });
    expect((await runAt(1.5, 'apply', '--due')).stdout).toContain('Nothing to apply');
    git('remote', 'set-url', 'origin', 'file:///nowhere');
    const ran = await runAt(2, 'apply', '--due');
    expect(ran).toMatchObject({ code: 1 });
    expect(ran.stderr).toContain('another clone may have applied a newer commit');
    expect(await percentages()).toMatchObject({ checkout: 10 });
  });
});

describe('an approval of steps', () => {
  const config = `${CONFIG}policies:\n  approvers: [ben]\n  rules:\n    - { rule: max-widen, points: 20, level: approve }\n`;
  const REFUSED = 'Needs an approval of ben';
  const IN_FULL = `  checkout:
    description: One
    active: true
    filters:
      groups:
        - properties: []
          rollout_percentage:${STEPS.replaceAll('\n', '\n      ')}
`;

  test('lifts no step that was edited since, also where its time has come', async () => {
    const { commit, runAt, percentages } = await begun(STEPPED, { config });
    commit({ 'flags/main.yaml': STEPPED.replace('to: 50', 'to: 90') });
    const ran = await runAt(2, 'apply', '--yes');
    expect(ran).toMatchObject({ code: 4 });
    expect(ran.stderr).toContain(REFUSED);
    await runAt(2, 'plan', '--out', 'plan.json');
    expect(await runAt(2, 'apply', 'plan.json')).toMatchObject({ code: 4 });
    expect(await percentages()).toMatchObject({ checkout: 10 });
    expect(await runAt(2, 'apply', '--yes', '--approved-by', 'ben')).toMatchObject({ code: 0 });
    expect(await runAt(5, 'apply', '--due')).toMatchObject({ code: 0 });
    expect(await percentages()).toMatchObject({ checkout: 100 });
  });

  test('counts while its approver is one', async () => {
    const { commit, runAt, percentages, world } = await begun(STEPPED, { config });
    const now = config.replaceAll('$HOST', world.url).replace('[ben]', '[ann]');
    commit({ 'flagwright.yaml': now });
    const merged = await runAt(2, 'apply', '--due');
    expect(merged).toMatchObject({ code: 4 });
    expect(merged.stderr).toContain('Needs an approval of ann');
    expect(await runAt(2.1, 'apply', '--yes', '--approved-by', 'ben')).toMatchObject({ code: 0 });
    expect(await runAt(5.2, 'apply', '--due')).toMatchObject({ code: 4 });
    expect(await percentages()).toMatchObject({ checkout: 50 });
    expect(await runAt(5.2, 'apply', '--due', '--approved-by', 'ann')).toMatchObject({ code: 0 });
    expect(await percentages()).toMatchObject({ checkout: 100 });
  });

  test.each(['merged', 'applied'])('of one freeze lifts no other that was %s since', async (since) => {
    const freeze = (from: number): string =>
      `    - { rule: freeze, level: approve, deny: [{ from: ${hour(from).slice(0, 16)}, to: ${hour(from + 1).slice(0, 16)}, zone: UTC }] }\n`;
    const frozen = `${CONFIG}policies:\n  rules:\n${freeze(1)}${freeze(5)}`;
    const { commit, runAt, percentages, world } = await begun(STEPPED, { config: frozen });
    commit({ 'flagwright.yaml': frozen.replaceAll('$HOST', world.url) + freeze(2) });
    if (since === 'applied') expect(await runAt(1.5, 'apply', '--yes')).toMatchObject({ code: 0 });
    const ran = await runAt(2, 'apply', '--due');
    expect(ran).toMatchObject({ code: 4 });
    expect(ran.stderr).toContain('changes are frozen from 2026-12-01T10:00');
    expect(await percentages()).toMatchObject({ checkout: 10 });
    expect(await runAt(3, 'apply', '--due')).toMatchObject({ code: 0 });
    expect(await percentages()).toMatchObject({ checkout: 50 });
  });

  test.each([
    ['describes the flag otherwise', STEPPED.replace('description: One', 'description: Two'), 'checkout'],
    ['renames the flag', STEPPED.replace('  checkout:\n', '  payment:\n    previous_keys: [checkout]\n'), 'payment'],
    ['writes its condition in full', `flags:\n${IN_FULL}${flag('search', ' 10')}`, 'checkout'],
  ])('holds where a change %s', async (_, pull, key) => {
    const { commit, runAt, percentages } = await begun(STEPPED, { config });
    commit({ 'flags/main.yaml': pull });
    expect(await runAt(1.1, 'apply', '--yes')).toMatchObject({ code: 0 });
    for (const hours of [2, 5]) expect(await runAt(hours, 'apply', '--due')).toMatchObject({ code: 0 });
    expect(await percentages()).toMatchObject({ [key]: 100 });
  });
});

describe('the time', () => {
  const YEAR = 365 * 24;

  test('of a step that is recorded as made later than now makes no step, is said, and is corrected by an apply', async () => {
    const { runAt, percentages, git } = await timedStage(STEPPED);
    await runAt(0, 'apply', '--yes');
    // The service and this machine were both wrong.
    await runAt(YEAR, 'apply', '--due');
    expect(await percentages()).toMatchObject({ checkout: 10 });
    const refused = await runAt(2, 'apply', '--due');
    expect(refused).toMatchObject({ code: 4 });
    expect(refused.stderr).toContain('is recorded as made at 2027-12-01 08:00:00 UTC, which is later than now');
    expect((await runAt(2, 'plan')).stdout).toContain('waits: its last step is recorded in the future');
    const late = await runAt(3, 'drift');
    expect(late).toMatchObject({ code: 2 });
    expect(late.stdout).toContain('overdue since 2026-12-01 10:00:00 UTC');
    expect((await runAt(3, 'doctor')).stdout).toContain('1 overdue');

    expect(await runAt(3, 'apply', '--yes')).toMatchObject({ code: 0 });
    expect(git('log', '-1', '--format=%B', REF)).toContain('"at":"2026-12-01T11:00:00.000Z"');
    // Two hours late, as is the step after it.
    expect((await runAt(3.9, 'apply', '--due')).stdout).toContain('Nothing to apply');
    expect(await runAt(4, 'apply', '--due')).toMatchObject({ code: 0 });
    expect(await percentages()).toMatchObject({ checkout: 50 });
  });

  test('that is recorded is the one of the service, and not of a machine with another', async () => {
    const { runWith, git } = await timedStage(STEPPED);
    expect(await runWith({ now: START + YEAR * HOUR }, 'apply', '--yes')).toMatchObject({ code: 0 });
    expect(git('log', '-1', '--format=%B', REF)).toContain('"at":"2026-12-01T08:00:00.000Z"');
  });

  test('that the service does not say begins no rollout whose first step has passed', async () => {
    const front = await startFront();
    const { runAt, world, percentages, commit } = await timedStage(STEPPED.replace(STEPS, ' 0'), {
      config: CONFIG.replace('$HOST', front.url),
    });
    Object.assign(front, { target: world.url, isTimeless: true });
    expect(await runAt(0, 'apply', '--yes')).toMatchObject({ code: 0 });
    commit({ 'flags/main.yaml': STEPPED });
    const ran = await runAt(YEAR, 'apply', '--yes');
    expect(ran).toMatchObject({ code: 4 });
    expect(ran.stderr).toContain('The answers of the service have no time');
    expect(await percentages()).toMatchObject({ checkout: 0 });
    expect(await runAt(YEAR, 'drift')).toMatchObject({ code: 0 });
  });
});
