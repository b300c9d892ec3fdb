/** Rollouts over time: a percentage and `active` by their steps, from the merge to the last step, by the clock of the service. */

import { describe, expect, test } from 'vitest';
import { CONFIG, REF } from '../helpers/git-stage.ts';
import { schemaErrors } from '../helpers/schemas.ts';
import { hour as at, START, timedStage, type TimedStage } from '../helpers/timed-stage.ts';

const HOUR = 3_600_000;

const STEPPED = `flags:
  checkout:
    description: One-page checkout
    active: true
    rollout_percentage:
      steps:
        - { at: ${at(1)}, to: 10 }
        - { at: ${at(2)}, to: 50 }
        - { at: ${at(5)}, to: 100 }
  search:
    active: false
`;

interface Rollout extends TimedStage {
  readonly percentage: () => Promise<unknown>;
}

async function rollout(manifest: string = STEPPED, config: string = CONFIG): Promise<Rollout> {
  const staged = await timedStage(manifest, { config });
  return { ...staged, percentage: async () => (await staged.percentages())['checkout'] };
}

describe('an apply writes the step whose time has come', () => {
  test('from the merge to the last step, one at a time, and never early', async () => {
    const { runAt, percentage, git } = await rollout();
    expect(await runAt(0, 'apply', '--yes')).toMatchObject({ code: 0 });
    expect(await percentage()).toBe(0);
    for (const [hours, expected] of [
      [0.5, 0],
      [1.2, 10],
      [1.5, 10],
      [2, 50],
      [4.9, 50],
      [5.5, 100],
      [9, 100],
    ] as const) {
      expect(await runAt(hours, 'apply', '--yes')).toMatchObject({ code: 0 });
      expect(await percentage()).toBe(expected);
      expect((await runAt(hours, 'plan', '-f', 'json')).document()['changes']).toEqual([]);
    }
    expect(git('log', '-1', '--format=%B', REF)).toContain('"step":2');
  });

  test('a late run makes one step, and keeps the declared distance to the next', async () => {
    const { runAt, percentage } = await rollout();
    await runAt(0, 'apply', '--yes');
    for (const [hours, expected] of [
      [10, 10],
      [10.5, 10],
      [11, 50],
      [13.9, 50],
      [14, 100],
    ] as const) {
      await runAt(hours, 'apply', '--yes');
      expect(await percentage()).toBe(expected);
    }
  });

  test('with catch_up: latest it goes to the newest one', async () => {
    const { runAt, percentage } = await rollout(
      STEPPED.replace('      steps:', '      catch_up: latest\n      steps:'),
    );
    await runAt(0, 'apply', '--yes');
    await runAt(10, 'apply', '--yes');
    expect(await percentage()).toBe(100);
  });

  test('with catch_up: latest, a step that was made and not recorded is followed too', async () => {
    const { runAt, percentage, git } = await rollout(
      STEPPED.replace('      steps:', '      catch_up: latest\n      steps:'),
    );
    await runAt(0, 'apply', '--yes');
    const before = git('rev-parse', REF).trim();
    await runAt(1, 'apply', '--due');
    git('update-ref', REF, before);
    await runAt(2, 'apply', '--due');
    expect(await percentage()).toBe(10);
    await runAt(2.3, 'apply', '--due');
    expect(await percentage()).toBe(50);
  });

  test('nothing steps back from a later step that somebody made by hand, and none follows it', async () => {
    const { runAt, percentage, world } = await rollout();
    await runAt(1, 'apply', '--yes');
    await world.edit('checkout', { filters: { groups: [{ properties: [], rollout_percentage: 50 }] } });
    expect(await runAt(1.5, 'apply', '--yes')).toMatchObject({ code: 0 });
    expect(await percentage()).toBe(50);
    await runAt(4.4, 'apply', '--yes');
    expect(await percentage()).toBe(50);
    await runAt(5, 'apply', '--yes');
    expect(await percentage()).toBe(50);
  });
});

describe('apply --due', () => {
  test('makes the steps that are due, without a question, and nothing else', async () => {
    const { runAt, percentage, commit, world } = await rollout();
    await runAt(0, 'apply', '--yes');
    // Merged and not applied yet: it was reviewed, but this run is not the one that applies it.
    commit({
      'flags/main.yaml': STEPPED.replace('One-page checkout', 'Another checkout').replace('to: 100', 'to: 90'),
    });
    await world.edit('search', { name: 'Edited' });
    expect(await runAt(1, 'apply', '--due')).toMatchObject({ code: 0 });
    expect(await percentage()).toBe(10);
    const flags = await world.client.listFlags();
    expect(flags.map(({ name }) => name)).toEqual(expect.arrayContaining(['One-page checkout', 'Edited']));
    expect((await runAt(1.2, 'apply', '--due')).stdout).toContain('Nothing to apply');
    expect((await runAt(2, 'apply', '--due')).code).toBe(0);
    expect(await percentage()).toBe(50);
  });

  test.each([
    ['switched it off', { active: false }],
    ['changed its description', { name: 'Edited' }],
    ['changed the percentage itself', { filters: { groups: [{ properties: [], rollout_percentage: 33 }] } }],
    ['deleted it', { deleted: true }],
  ])('waits where somebody %s, and says how to go on', async (_, edit) => {
    const { runAt, world } = await rollout();
    await runAt(1, 'apply', '--yes');
    await world.edit('checkout', edit);
    const before = await world.client.listFlags();
    const ran = await runAt(2, 'plan', '--due');
    expect(ran.stdout).toContain('flagwright accept checkout');
    expect(ran.stdout).toContain('flagwright apply --target checkout --override checkout');
    expect(await runAt(2, 'apply', '--due')).toMatchObject({ code: 0 });
    expect(await world.client.listFlags()).toEqual(before);
  });

  test('waits where somebody switched off a flag of which the manifest does not say whether it is active', async () => {
    const { runAt, world, commit, percentage } = await rollout(STEPPED.replace('    active: true\n', ''));
    await runAt(1, 'apply', '--yes');
    await world.edit('checkout', { active: false });
    const before = await world.client.listFlags();
    for (const command of [['plan', '--due'], ['plan']]) {
      const { stdout } = await runAt(2, ...command);
      expect(stdout).toContain(
        'waits: the flag is switched off in the service, and no manifest declares whether it is on',
      );
      expect(stdout).toContain('to continue, switch it on in the service, or declare active: true and apply that');
    }
    for (const command of [
      ['apply', '--due'],
      ['apply', '--yes'],
    ])
      await runAt(2, ...command);
    expect(await world.client.listFlags()).toEqual(before);
    commit({ 'flags/main.yaml': STEPPED });
    expect((await runAt(3, 'apply', '--yes')).code).toBe(0);
    expect(await percentage()).toBe(10);
    await runAt(3.1, 'apply', '--due');
    expect(await percentage()).toBe(50);
  });

  test('a condition that somebody added with the value of a later step makes no step', async () => {
    const { runAt, world, git, percentage } = await rollout();
    await runAt(1, 'apply', '--yes');
    const groups = [50, 10].map((rollout_percentage) => ({ properties: [], rollout_percentage }));
    await world.edit('checkout', { filters: { groups } });
    // Reverts the edit.
    expect((await runAt(1.5, 'apply', '--yes')).code).toBe(0);
    expect(await percentage()).toBe(10);
    expect(git('log', '-1', '--format=%B', REF)).toContain('"step":0');
  });

  test('waits where somebody narrowed to the value of a later step', async () => {
    const { runAt, world, percentage } = await rollout(STEPPED.replace('to: 100', 'to: 10'));
    for (const hours of [1, 2]) await runAt(hours, 'apply', '--yes');
    await world.edit('checkout', { filters: { groups: [{ properties: [], rollout_percentage: 10 }] } });
    expect((await runAt(3, 'drift')).code).toBe(2);
    await runAt(3, 'apply', '--due');
    expect(await percentage()).toBe(10);
  });

  test('is refused where the base, the options or the clock do not allow it', async () => {
    const { runAt, runWith } = await rollout();
    expect((await runAt(1, 'apply', '--due')).stderr).toContain('The last apply is unknown');
    await runAt(1, 'apply', '--yes');
    expect((await runAt(2, 'apply', '--due', '--target', 'checkout')).code).toBe(1);
    const late = await runWith({ now: START + 2 * HOUR - 61_000 }, 'apply', '--due');
    expect(late).toMatchObject({ code: 4 });
    expect(late.stderr).toContain('differ by 61 seconds');
  });
});

describe('a step that nobody made', () => {
  test('is pending at first, and overdue after two runs', async () => {
    const { runAt } = await rollout();
    await runAt(1, 'apply', '--yes');
    expect(await runAt(2.4, 'drift')).toMatchObject({ code: 0 });
    const ran = await runAt(2.6, 'drift');
    expect(ran).toMatchObject({ code: 2 });
    // The step after it keeps its distance from now.
    expect(ran.stdout).toContain('overdue since 2026-12-01 10:00:00 UTC; then 100% at 2026-12-01 13:36:00 UTC');
    expect((await runAt(2.6, 'drift', '-f', 'json')).document()['rollouts']).toMatchObject([
      { overdue: true, step: 1 },
    ]);
  });
});

describe('the review of a rollout', () => {
  const POLICIES = `${CONFIG}policies:
  approvers: [ben]
  rules:
    - rule: max-widen
      points: 45
      level: approve
    - rule: freeze
      deny: [{ from: 2026-12-01T12:30, to: 2026-12-01T13:30, zone: UTC }]
      level: warning
`;

  test('shows and judges each step, at its time', async () => {
    const { runAt } = await rollout(STEPPED, POLICIES);
    const ran = await runAt(0, 'plan');
    expect(ran.stdout).toContain('Steps to come, which this change decides:');
    expect(ran.stdout).toContain('checkout: widen: condition 1 (everyone): 10% → 50%');
    expect(ran.stdout).toMatch(/Step of 2026-12-01 13:00:00 UTC: checkout .*\(max-widen\)/);
    expect(ran.stdout).toMatch(/Step of 2026-12-01 13:00:00 UTC: checkout .*\(freeze\)/);
    // At the line of the step.
    expect(ran.stdout).toMatch(/Step of 2026-12-01 13:00:00 UTC: .*\(max-widen\)\. flags\/main\.yaml:9:/);
    expect(ran.stdout).not.toMatch(/Step of 2026-12-01 09:00:00 UTC: checkout .*\(max-widen\)/);
    const document = (await runAt(0, 'plan', '-f', 'json')).document();
    expect(schemaErrors('plan', document)).toEqual([]);
    expect(document['steps_ahead']).toMatchObject([
      { keys: ['checkout'] },
      { keys: ['checkout'] },
      { keys: ['checkout'] },
    ]);
  });

  test('judges a step of a rollout that begins late when it comes', async () => {
    // The last step, declared for 13:00, comes at 13:45.
    const { runAt } = await rollout(STEPPED, POLICIES.replace('12:30', '13:40').replace('13:30', '13:50'));
    const ran = await runAt(2.75, 'plan');
    expect(ran.stdout).toMatch(/Step of 2026-12-01 13:45:00 UTC: checkout .*\(freeze\)/);
    expect((await runAt(0, 'plan')).stdout).not.toContain('(freeze)');
  });

  test('refuses the merge of a step that nobody approved, and makes it later without a person once somebody did', async () => {
    const { runAt, percentage } = await rollout(STEPPED, POLICIES);
    expect((await runAt(0, 'apply', '--yes')).code).toBe(4);
    expect((await runAt(0, 'apply', '--yes', '--approved-by', 'ben')).code).toBe(0);
    for (const hours of [1, 2, 5]) await runAt(hours, 'apply', '--due');
    expect(await percentage()).toBe(100);
    expect((await runAt(6, 'plan')).stdout).not.toContain('Steps to come');
  });

  test('is over once the steps are applied: an unchanged plan is not judged again', async () => {
    const { runAt, commit } = await rollout(STEPPED, POLICIES);
    await runAt(0, 'apply', '--yes', '--approved-by', 'ben');
    commit({ 'flags/main.yaml': STEPPED.replace('search:\n    active: false', 'search:\n    active: true') });
    expect((await runAt(0.2, 'plan')).stdout).not.toContain('Steps to come');
    expect((await runAt(0.2, 'apply', '--yes')).code).toBe(0);
    expect((await runAt(1, 'apply', '--due')).code).toBe(0);
    await runAt(2, 'apply', '--due');
    expect((await runAt(5, 'apply', '--due')).code).toBe(0);
  });

  test('lets another change be applied while an approved step is due, also from a saved plan', async () => {
    const { runAt, commit, percentage } = await rollout(STEPPED, POLICIES);
    await runAt(0, 'apply', '--yes', '--approved-by', 'ben');
    await runAt(1, 'apply', '--due');
    await runAt(2, 'apply', '--due');
    commit({ 'flags/main.yaml': STEPPED.replace('search:\n    active: false', 'search:\n    active: true') });
    await runAt(5, 'plan', '--out', 'plan.json');
    expect((await runAt(5, 'apply', 'plan.json')).code).toBe(0);
    expect(await percentage()).toBe(100);
  });

  test('is made again where the flag has other conditions: the same step means something else', async () => {
    const to = (properties: string): string => `flags:
  checkout:
    active: true
    filters:
      groups:
        - properties: [${properties}]
          rollout_percentage: { steps: [{ at: ${at(1)}, to: 10 }, { at: ${at(2)}, to: 80 }] }
`;
    const { runAt, commit } = await rollout(to('{ key: plan, type: person, value: [pro] }'), POLICIES);
    expect((await runAt(0, 'apply', '--yes', '--approved-by', 'ben')).code).toBe(0);
    await runAt(1, 'apply', '--due');
    commit({ 'flags/main.yaml': to('') });
    expect((await runAt(1.5, 'plan')).stdout).toMatch(/Step of 2026-12-01 10:00:00 UTC: checkout .*\(max-widen\)/);
    expect((await runAt(1.5, 'apply', '--yes')).code).toBe(4);
  });

  test('begins anew with steps that were edited: an approval of others does not count', async () => {
    const { runAt, commit } = await rollout(STEPPED, POLICIES);
    await runAt(0, 'apply', '--yes', '--approved-by', 'ben');
    commit({ 'flags/main.yaml': STEPPED.replace('to: 50', 'to: 5') });
    expect((await runAt(0.2, 'apply', '--yes')).code).toBe(4);
  });
});

describe('a manifest with steps keeps them', () => {
  const live = (rollout_percentage: number): object => ({
    filters: { groups: [{ properties: [], rollout_percentage }] },
  });

  test('accept adds what somebody set as a step that is made, and the rollout ends there', async () => {
    const { runAt, world, read } = await rollout();
    await runAt(1, 'apply', '--yes');
    await world.edit('checkout', { name: 'Edited', ...live(33) });
    expect(await runAt(1.5, 'accept', 'checkout', '--yes')).toMatchObject({ code: 0 });
    expect(read('flags/main.yaml')).toBe(
      STEPPED.replace('One-page checkout', 'Edited').replace(
        / {8}- \{ at: 2026-12-01T10.*\n.*\n/,
        `        - { at: "${at(1.5)}", to: 33, done: true }\n`,
      ),
    );
    expect((await runAt(1.6, 'plan', '-f', 'json')).document()['changes']).toEqual([]);
    expect((await runAt(9, 'plan', '-f', 'json')).document()['changes']).toEqual([]);
  });

  test('accept of another field changes no step', async () => {
    const { runAt, world, read } = await rollout();
    await runAt(1, 'apply', '--yes');
    await world.edit('checkout', { name: 'Edited' });
    await runAt(1.5, 'accept', 'checkout', '--yes');
    expect(read('flags/main.yaml')).toBe(STEPPED.replace('One-page checkout', 'Edited'));
  });

  test.each([
    ['another condition is added before it', [{ properties: [], rollout_percentage: 3, variant: null }], true],
    ['its condition gets a filter', [], false],
  ])('accept where %s', async (_, before, isKept) => {
    const conditions = `flags:
  checkout:
    active: true
    filters:
      groups:
        - description: beta
          rollout_percentage: { steps: [{ at: ${at(1)}, to: 10 }, { at: ${at(2)}, to: 50 }] }
`;
    const { runAt, world, read, commit } = await rollout(conditions);
    await runAt(1, 'apply', '--yes');
    const own = { description: 'beta', rollout_percentage: 10 };
    const filter = { key: 'plan', type: 'person', operator: 'exact', value: ['pro'] };
    const groups = isKept ? [...before, { ...own, properties: [] }] : [{ ...own, properties: [filter] }];
    await world.edit('checkout', { filters: { groups } });
    await runAt(1.5, 'accept', 'checkout', '--yes');
    expect(read('flags/main.yaml')).toContain(`steps: [{ at: ${at(1)}, to: 10 }, { at: ${at(2)}, to: 50 }]`);
    expect((await runAt(1.6, 'plan', '-f', 'json')).document()['changes']).toEqual([]);
    commit();
    await runAt(1.7, 'apply', '--yes');
    expect((await runAt(2, 'apply', '--due')).code).toBe(0);
    const [flag] = await world.client.listFlags();
    expect(flag?.filters?.groups?.at(-1)).toMatchObject({ description: 'beta', rollout_percentage: 50 });
  });

  test('explain names the value and its step', async () => {
    const { runAt } = await rollout();
    await runAt(1, 'apply', '--yes');
    const { stdout } = await runAt(1.5, 'explain', 'checkout');
    expect(stdout).toContain('condition 1 · rollout_percentage: 10\n');
    expect(stdout).toContain('flags/main.yaml:7:');
    expect(stdout).not.toContain('steps');
  });
});
