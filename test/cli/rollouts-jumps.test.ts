/** Rollouts with `catch_up: latest`: the review shows and judges the jumps of late runs, and no run jumps over what was not judged. */

import { describe, expect, test } from 'vitest';
import { CONFIG, REF } from '../helpers/git-stage.ts';
import { schemaErrors } from '../helpers/schemas.ts';
import { hour as at, timedStage } from '../helpers/timed-stage.ts';

const JUMPING = `flags:
  checkout:
    active: true
    rollout_percentage:
      catch_up: latest
      steps:
        - { at: ${at(1)}, to: 30 }
        - { at: ${at(2)}, to: 60 }
        - { at: ${at(5)}, to: 90 }
`;

/** Each step turns the flag on for 30 points: only a jump is more. */
const policies = (level: string): string => `${CONFIG}policies:
  approvers: [ben]
  rules: [{ rule: max-widen, points: 40, level: ${level} }]
`;

const JUMP =
  /Late run, all steps from 2026-12-01 09:00:00 UTC to 2026-12-01 13:00:00 UTC at once: checkout .*90%.*max-widen/;

describe('the review', () => {
  test('shows the largest jump and its impact, in each format', async () => {
    const { runAt } = await timedStage(JUMPING);
    const { stdout } = await runAt(0, 'plan', '--impact');
    expect(stdout).toContain(
      '2026-12-01 13:00:00 UTC  in one jump with all steps from 2026-12-01 09:00:00 UTC on, if no run makes one of them in time',
    );
    expect(stdout).toContain('checkout: widen: condition 1 (everyone): 0% → 90%');
    expect(stdout).toContain('checkout: impact: of everyone, 90% get the flag');
    const document = (await runAt(0, 'plan', '--impact', '-f', 'json')).document();
    expect(schemaErrors('plan', document)).toEqual([]);
    const jump = { at: '2026-12-01T13:00:00.000Z', jump_since: '2026-12-01T09:00:00.000Z' };
    expect(document['steps_ahead']).toMatchObject([{}, {}, {}, { ...jump, keys: ['checkout'] }]);
    expect(document['impact']).toMatchObject({ steps: [{}, {}, {}, { ...jump, flags: [{ key: 'checkout' }] }] });
    expect((await runAt(0, 'plan', '-f', 'markdown')).stdout).toContain('in one jump with all steps');
  });

  test('shows none of a rollout that makes one step at a time, nor of one that has a single step left', async () => {
    const single = await timedStage(JUMPING.replace(/ {8}- .*60 \}\n.*\n/, ''));
    expect((await single.runAt(0, 'plan')).stdout).not.toContain('in one jump');
    const slow = await timedStage(JUMPING.replace('      catch_up: latest\n', ''));
    expect((await slow.runAt(0, 'plan')).stdout).not.toContain('in one jump');
  });

  test('counts the steps that no run made yet, also against a snapshot', async () => {
    const { runAt, commit } = await timedStage(JUMPING);
    expect(await runAt(0, 'apply', '--yes')).toMatchObject({ code: 0 });
    commit({ 'flags/main.yaml': JUMPING.replace('to: 90', 'to: 95') });
    expect(await runAt(3, 'snapshot', '--out', 'live.json')).toMatchObject({ code: 0 });
    const stepsAhead = async (...argv: readonly string[]): Promise<unknown> =>
      (await runAt(3, 'plan', '-f', 'json', ...argv)).document()['steps_ahead'];
    const live = await stepsAhead();
    expect(live).toMatchObject([{ keys: ['checkout'] }]);
    expect(await stepsAhead('--against', 'live.json')).toEqual(live);
  });

  test('refuses a jump that a policy forbids, although it allows each step', async () => {
    const { runAt, git } = await timedStage(JUMPING, { config: policies('error') });
    const ran = await runAt(0, 'apply', '--yes');
    expect(ran).toMatchObject({ code: 4 });
    expect(ran.stderr).toMatch(JUMP);
    expect(git('for-each-ref', REF)).toBe('');
    const slow = await timedStage(JUMPING.replace('      catch_up: latest\n', ''), { config: policies('error') });
    expect(await slow.runAt(0, 'apply', '--yes')).toMatchObject({ code: 0 });
  });

  test('by validate refuses it too, and names each jump once', async () => {
    const { runAt, commit } = await timedStage(JUMPING.replace(/: *\n {6}catch_up(.*\n){5}/, ': 0\n'), {
      config: policies('error'),
    });
    expect(await runAt(0, 'apply', '--yes')).toMatchObject({ code: 0 });
    commit({ 'flags/main.yaml': JUMPING });
    const ran = await runAt(0.2, 'validate');
    expect(ran).toMatchObject({ code: 4 });
    expect(ran.stdout).toMatch(JUMP);
    expect(ran.stdout.split('(max-widen)')).toHaveLength(2);
  });

  test('covers the jump with its approval, so that a late run makes it and asks nobody', async () => {
    const { runAt, percentages, git } = await timedStage(JUMPING, { config: policies('approve') });
    expect((await runAt(0, 'apply', '--yes')).code).toBe(4);
    expect((await runAt(0, 'apply', '--yes', '--approved-by', 'ben')).code).toBe(0);
    expect(git('log', '-1', '--format=%B', REF)).toMatch(
      /"approved":\[\{"rule":"max-widen","by":"ben",[^[]*"points":90,[^[]*"jumps":true\}\]/,
    );
    expect((await runAt(9, 'apply', '--due')).code).toBe(0);
    expect(await percentages()).toEqual({ checkout: 90 });
  });
});

describe('a late run', () => {
  test('does not jump by an approval of steps alone, as earlier releases recorded it', async () => {
    const { runAt, percentages, git, write } = await timedStage(JUMPING, { config: policies('approve') });
    await runAt(0, 'apply', '--yes', '--approved-by', 'ben');
    write('record.json', `${git('cat-file', 'commit', REF).replace(',"jumps":true', '')}\n`);
    git('update-ref', REF, git('hash-object', '-t', 'commit', '-w', '--no-filters', 'record.json'));
    expect((await runAt(9, 'apply', '--due')).code).toBe(4);
    expect(await percentages()).toEqual({ checkout: 0 });
  });

  test('does not jump under a policy that was applied after the review', async () => {
    const { runAt, percentages, commit, read } = await timedStage(JUMPING);
    await runAt(0, 'apply', '--yes');
    commit({ 'flagwright.yaml': read('flagwright.yaml') + policies('error').slice(CONFIG.length) });
    expect((await runAt(0.5, 'apply', '--yes')).code).toBe(0);
    expect((await runAt(9, 'apply', '--due')).code).toBe(4);
    expect(await percentages()).toEqual({ checkout: 0 });
  });
});

describe('a switch and a percentage of one flag', () => {
  const BOTH = `flags:
  checkout:
    active: { steps: [{ at: ${at(2)}, to: true }] }
    rollout_percentage: { from: 10, steps: [{ at: ${at(4)}, to: 100 }] }
`;
  /** The step to on widens by 10 points, and that to 100% by 90. */
  const config = (level: string): string => policies(level).replace('points: 40', 'points: 95');

  test('that a late run would make together are refused at review, and shown', async () => {
    const { runAt } = await timedStage(BOTH, { config: config('error') });
    expect((await runAt(0, 'plan')).stdout).toContain('in one jump with all steps from 2026-12-01 10:00:00 UTC on');
    const ran = await runAt(0, 'apply', '--yes');
    expect(ran).toMatchObject({ code: 4 });
    expect(ran.stderr).toMatch(
      /Late run, all steps from 2026-12-01 10:00:00 UTC to 2026-12-01 12:00:00 UTC at once: checkout .*100%.*max-widen/,
    );
  });

  test('are made by a late run only if their jump was approved', async () => {
    const { runAt, percentages, world } = await timedStage(BOTH, { config: config('approve') });
    expect(await runAt(0, 'apply', '--yes', '--approved-by', 'ben')).toMatchObject({ code: 0 });
    expect(await runAt(9, 'apply', '--due')).toMatchObject({ code: 0 });
    expect(await percentages()).toEqual({ checkout: 100 });
    expect(await world.client.listFlags()).toMatchObject([{ active: true }]);
  });
});
