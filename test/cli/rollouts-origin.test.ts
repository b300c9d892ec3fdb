/** Who made a step: one that no recorded run made is not counted, whatever the flag has in the service. */

import { describe, expect, test } from 'vitest';
import { rmSync } from 'node:fs';
import path from 'node:path';
import type { JsonObject } from '../../src/base/json.ts';
import { REF } from '../helpers/git-stage.ts';
import { hour as at, timedStage } from '../helpers/timed-stage.ts';

const SWITCHED = `flags:
  checkout:
    rollout_percentage: 10
    active: { steps: [{ at: ${at(1)}, to: true }, { at: ${at(3)}, to: false }, { at: ${at(5)}, to: true }] }
`;
const STEPPED = `flags:
  checkout:
    active: true
    rollout_percentage:
      steps: [{ at: ${at(1)}, to: 10 }, { at: ${at(2)}, to: 50 }, { at: ${at(3)}, to: 0 }, { at: ${at(5)}, to: 100 }]
`;

const UNKNOWN = 'waits: no recorded run made this step, so somebody may have made it by hand';
const percentage = (rollout_percentage: number): JsonObject => ({
  filters: { groups: [{ properties: [], rollout_percentage }] },
});

describe('a flag that a person turned off, where the manifest turns it off for some time', () => {
  test.each([{ argv: ['off', 'checkout', '--yes', '--no-journal'] }, {}])('stays off (%j)', async ({ argv }) => {
    const { runAt, world } = await timedStage(SWITCHED);
    for (const hours of [0, 1]) expect(await runAt(hours, 'apply', '--yes')).toMatchObject({ code: 0 });
    if (argv === undefined) await world.edit('checkout', { active: false });
    else await runAt(3.1, ...argv);
    for (const hours of [3.5, 5, 5.5, 6]) {
      const ran = await runAt(hours, 'apply', '--due');
      expect(ran.code).toBe(0);
      expect(ran.stderr).toContain(UNKNOWN);
      expect((await world.client.listFlags())[0]?.active).toBe(false);
    }
    const drifted = await runAt(6, 'drift');
    expect(drifted).toMatchObject({ code: 2 });
    expect(drifted.stdout).toContain('1 rollout at a step that no run made');
    // An ordinary apply, of whatever was merged, decides nothing about it.
    await runAt(6.1, 'apply', '--yes');
    expect(await runAt(7, 'apply', '--due')).toMatchObject({ code: 0 });
    expect((await world.client.listFlags())[0]?.active).toBe(false);
  });
});

test.each([
  ['a description', (text: string) => text.replace('checkout:', 'checkout:\n    description: two')],
  ['another key', (text: string) => text.replace('checkout:', 'pay:\n    previous_keys: [checkout]')],
])('a merge of %s does not make the step that the flag has by hand', async (_, edit) => {
  const { runAt, world, commit } = await timedStage(SWITCHED);
  for (const hours of [0, 1]) expect(await runAt(hours, 'apply', '--yes')).toMatchObject({ code: 0 });
  await world.edit('checkout', { active: false });
  commit({ 'flags/main.yaml': edit(SWITCHED) });
  const merged = await runAt(3.5, 'apply', '--yes');
  expect(merged).toMatchObject({ code: 0 });
  expect(merged.stderr).toContain(UNKNOWN);
  for (const hours of [5.5, 6]) {
    expect((await runAt(hours, 'apply', '--due')).stderr).toContain(UNKNOWN);
    expect((await world.client.listFlags())[0]?.active).toBe(false);
  }
});

const STAFF = '{ properties: [{ key: plan, value: staff }], rollout_percentage: 100 }';
const LISTED = `flags:
  checkout:
    active: true
    filters:
      groups:
        - { properties: [{ key: plan, value: beta }], rollout_percentage: 5 }
        - properties: [{ key: plan, value: pro }]
          rollout_percentage: { steps: [{ at: ${at(1)}, to: 10 }, { at: ${at(3)}, to: 50 }, { at: ${at(5)}, to: 100 }] }
`;

test.each<[string, (text: string) => string, number]>([
  ['another percentage before it', (text) => text.replace('percentage: 5', 'percentage: 6'), 0],
  // Both sides changed the list.
  ['a condition before it', (text) => text.replace('groups:', `groups:\n        - ${STAFF}`), 4],
  ['a condition after it', (text) => `${text}        - ${STAFF}\n`, 4],
  ['no condition before it', (text) => text.replace(/ +- \{.*beta.*\n/, ''), 4],
])('a merge of %s does not make the step that its condition has by hand', async (_, edit, code) => {
  const { runAt, world, commit } = await timedStage(LISTED);
  for (const hours of [0, 1]) expect(await runAt(hours, 'apply', '--yes')).toMatchObject({ code: 0 });
  const conditions = async (): Promise<readonly unknown[]> =>
    (await world.client.listFlags())[0]?.filters?.groups ?? [];
  const [beta, pro] = await conditions();
  await world.edit('checkout', {
    filters: { groups: [beta, { ...(pro as JsonObject), rollout_percentage: 50 }] as never },
  });
  commit({ 'flags/main.yaml': edit(LISTED) });
  const merged = await runAt(3.5, 'apply', '--yes');
  expect(merged).toMatchObject({ code });
  if (code === 0) expect(merged.stderr).toContain(UNKNOWN);
  for (const hours of [5.5, 6]) {
    await runAt(hours, 'apply', '--due');
    expect((await conditions())[1]).toMatchObject({ rollout_percentage: 50 });
  }
});

test.each<[string, readonly string[]]>([
  ['off --zero', ['off', 'checkout', '--zero', '--yes']],
  ['undo of the step', ['undo', '--yes']],
])('%s makes no step, although it sets the value of one', async (_, argv) => {
  const { runAt, percentages } = await timedStage(STEPPED.replace('{ at: 2026-12-01T10:00:00Z, to: 50 }, ', ''));
  for (const hours of [0, 1]) expect(await runAt(hours, 'apply', '--yes')).toMatchObject({ code: 0 });
  expect(await runAt(3.1, ...argv)).toMatchObject({ code: 0 });
  for (const hours of [3.5, 5, 6]) {
    await runAt(hours, 'apply', '--due');
    expect(await percentages()).toMatchObject({ checkout: 0 });
  }
});

describe('a step that somebody made by hand', () => {
  test('is left as it is, and nothing follows it until the manifest says so', async () => {
    const { runAt, percentages, world, commit, git } = await timedStage(STEPPED);
    for (const hours of [0, 1]) await runAt(hours, 'apply', '--yes');
    await world.edit('checkout', percentage(50));
    const record = git('rev-parse', REF);
    for (const hours of [1.5, 3, 3.5]) {
      const ran = await runAt(hours, 'apply', '--yes');
      expect(ran).toMatchObject({ code: 0 });
      expect(ran.stderr).toContain(UNKNOWN);
      expect(await percentages()).toMatchObject({ checkout: 50 });
    }
    expect(git('rev-parse', REF)).toBe(record);
    commit({ 'flags/main.yaml': STEPPED.replace('to: 50 }', 'to: 50, done: true }') });
    await runAt(3.6, 'apply', '--yes');
    expect(await percentages()).toMatchObject({ checkout: 50 });
    await runAt(3.7, 'apply', '--due');
    expect(await percentages()).toMatchObject({ checkout: 0 });
  });

  test('is taken back by --override', async () => {
    const { runAt, percentages, world } = await timedStage(STEPPED);
    for (const hours of [0, 1]) await runAt(hours, 'apply', '--yes');
    await world.edit('checkout', percentage(50));
    await runAt(1.5, 'apply', '--yes', '--target', 'checkout', '--override', 'checkout');
    expect(await percentages()).toMatchObject({ checkout: 10 });
    await runAt(2, 'apply', '--due');
    expect(await percentages()).toMatchObject({ checkout: 50 });
  });
});

describe('a step that a run made and did not live to record', () => {
  test.each([
    ['is counted where the journal has the run', true],
    ['waits where no journal has it', false],
  ])('%s', async (_, hasJournal) => {
    const { runAt, percentages, git, root } = await timedStage(STEPPED);
    for (const hours of [0, 1]) await runAt(hours, 'apply', '--yes');
    const before = git('rev-parse', REF).trim();
    await runAt(2, 'apply', '--due');
    git('update-ref', REF, before);
    if (!hasJournal) rmSync(path.join(root, '.flagwright'), { recursive: true });
    const ran = await runAt(2.2, 'apply', '--due');
    expect(ran).toMatchObject({ code: 0 });
    expect(ran.stderr.includes(UNKNOWN)).toBe(!hasJournal);
    expect(await percentages()).toMatchObject({ checkout: 50 });
    expect(git('log', '-1', '--format=%B', REF)).toContain(`"step":${hasJournal ? 1 : 0}`);
  });
});

test('a saved plan whose step somebody has made by hand since makes no step', async () => {
  const { runAt, world } = await timedStage(SWITCHED);
  await runAt(0, 'apply', '--yes');
  await runAt(1, 'plan', '--out', 'plan.json');
  await world.edit('checkout', { active: true });
  const applied = await runAt(1.1, 'apply', 'plan.json');
  expect(applied).toMatchObject({ code: 0 });
  expect(applied.stdout).toContain('already up to date');
  for (const hours of [1.2, 3.5]) {
    expect((await runAt(hours, 'apply', '--due')).stderr).toContain(UNKNOWN);
    expect((await world.client.listFlags())[0]?.active).toBe(true);
  }
});

test.each([
  ['a step that was not recorded', true],
  ['a value that a person set', false],
])('off --zero of %s holds the rollout, although it sets the recorded value', async (_, isStep) => {
  const { runAt, world, percentages, git } = await timedStage(STEPPED);
  await runAt(0, 'apply', '--yes');
  const before = git('rev-parse', REF).trim();
  if (isStep) await runAt(1, 'apply', '--due');
  else await world.edit('checkout', percentage(7));
  git('update-ref', REF, before);
  expect(await runAt(1.1, 'off', 'checkout', '--zero', '--yes')).toMatchObject({ code: 0 });
  for (const hours of [1.2, 2.5]) {
    const ran = await runAt(hours, 'apply', '--due');
    expect(ran).toMatchObject({ code: 0 });
    expect(ran.stderr).toContain('waits: somebody undid this step or turned the flag off');
    await runAt(hours, 'apply', '--yes');
    expect(await percentages()).toMatchObject({ checkout: 0 });
  }
});

test('a step that a run made, did not live to record, and somebody undid is not made again until a person says so', async () => {
  const { runAt, percentages, git } = await timedStage(STEPPED);
  for (const hours of [0, 1]) await runAt(hours, 'apply', '--yes');
  const before = git('rev-parse', REF).trim();
  await runAt(2, 'apply', '--due');
  git('update-ref', REF, before);
  expect(await runAt(2.1, 'undo', '--yes')).toMatchObject({ code: 0 });
  for (const hours of [2.2, 2.5]) {
    const ran = await runAt(hours, 'apply', '--due');
    expect(ran).toMatchObject({ code: 0 });
    expect(ran.stderr).toContain('waits: somebody undid this step or turned the flag off');
    expect(await percentages()).toMatchObject({ checkout: 10 });
  }
  await runAt(2.6, 'apply', '--yes', '--target', 'checkout', '--override', 'checkout');
  expect(await percentages()).toMatchObject({ checkout: 50 });
});
