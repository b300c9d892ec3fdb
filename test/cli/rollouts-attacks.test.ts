/** Hostile and careless people, and what a schedule makes of them: it makes steps of merged commits only, under every policy that was merged. */

import { describe, expect, test } from 'vitest';
import { startFront } from '../helpers/front.ts';
import { cloneOf, createBare } from '../helpers/repository.ts';
import { CONFIG, onRepository, REF } from '../helpers/git-stage.ts';
import { openWorld } from '../helpers/world.ts';
import { hour as at, timedStage, type TimedStage } from '../helpers/timed-stage.ts';
import { begunRollout } from './begun-rollout.ts';

const STEPPED = `flags:
  checkout:
    active: true
    rollout_percentage:
      steps:
        - { at: ${at(1)}, to: 10 }
        - { at: ${at(2)}, to: 50 }
        - { at: ${at(5)}, to: 100 }
  search: { active: true, rollout_percentage: 5 }
`;

const begun = (manifest = STEPPED, config = CONFIG): Promise<TimedStage> => begunRollout(manifest, { config });

/** Points the record to other commits, as whoever may push refs can; `edit` changes its text. */
function forge({ git, write }: TimedStage, edit: (record: string) => string): void {
  write('record.json', `${edit(git('cat-file', 'commit', REF))}\n`);
  git('update-ref', REF, git('hash-object', '-t', 'commit', '-w', '--no-filters', 'record.json'));
}

describe('a record that somebody forged', () => {
  test.each<[string, string]>([
    ['the applied commit', '$1'],
    ['the commit of what was left', '$1\nLeft: $OTHER "checkout" ["filters"]'],
  ])('names a commit that nobody merged as %s: no step is made', async (_, line) => {
    const staged = await begun();
    const { git, commit, runAt, percentages } = staged;
    const main = git('rev-parse', 'HEAD');
    const tree = git('rev-parse', 'HEAD^{tree}');
    git('checkout', '--quiet', '-b', 'evil');
    const evil = commit({ 'flags/main.yaml': STEPPED.replace('to: 50', 'to: 99') });
    const evilTree = git('rev-parse', 'HEAD^{tree}');
    git('checkout', '--quiet', 'main');
    forge(staged, (record) => {
      const isLeft = line.includes('Left');
      const named = isLeft ? main : evil;
      return record
        .replace(`tree ${tree}`, `tree ${isLeft ? tree : evilTree}`)
        .replace(`parent ${main}`, isLeft ? `parent ${main}\nparent ${evil}` : `parent ${evil}`)
        .replace(/^(Applied: ).*$/m, `$1${named}${line.replace('$1', '').replace('$OTHER', evil)}`)
        .replace('"to":50', isLeft ? '"to":50' : '"to":99');
    });
    const ran = await runAt(2, 'apply', '--due');
    expect(ran).toMatchObject({ code: 4 });
    expect(ran.stderr).toContain('is not in the history of what is checked out');
    expect(ran.stderr).toContain('find out who moved the record');
    expect((await runAt(2, 'plan', '--due')).code).toBe(4);
    expect(await percentages()).toMatchObject({ checkout: 10 });
  });

  test('says that a step was made later or earlier than it was: none is early', async () => {
    const staged = await begun();
    forge(staged, (record) => record.replace('"step":0,"at":"2026-12-01T09', '"step":0,"at":"2026-11-01T09'));
    expect((await staged.runAt(1.9, 'apply', '--due')).code).toBe(0);
    expect(await staged.percentages()).toMatchObject({ checkout: 10 });
  });

  test('says that a step was made that was not: the rollout waits', async () => {
    const staged = await begun();
    forge(staged, (record) => record.replace('"step":0', '"step":1'));
    expect((await staged.runAt(5, 'apply', '--due')).stderr).toContain('waits: somebody changed the flag');
    expect(await staged.percentages()).toMatchObject({ checkout: 10 });
  });
});

test('a history that was rewritten: no step is made until somebody records a commit of it', async () => {
  const { git, commit, runAt, percentages } = await begun();
  git('commit', '--quiet', '--amend', '--message=rewritten');
  expect((await runAt(2, 'apply', '--due')).code).toBe(4);
  expect(await percentages()).toMatchObject({ checkout: 10 });
  commit({ 'flags/main.yaml': STEPPED });
  expect((await runAt(2.1, 'apply', '--yes', '--move-base')).code).toBe(0);
  expect(await percentages()).toMatchObject({ checkout: 50 });
  expect((await runAt(5.2, 'apply', '--due')).code).toBe(0);
  expect(await percentages()).toMatchObject({ checkout: 100 });
});

test('a shallow clone finds out that the record was merged, also a long time ago', async () => {
  const staged = await timedStage(STEPPED, { config: `${CONFIG}base: { push: origin }\n` });
  const bare = createBare();
  staged.git('remote', 'add', 'origin', `file://${bare.root}`);
  staged.git('push', '--quiet', 'origin', 'main');
  for (const hours of [0, 1]) await staged.runAt(hours, 'apply', '--yes');
  const many = Array.from({ length: 60 }, () => 'git commit --quiet --allow-empty --message=other');
  staged.git('-c', `alias.many=!${many.join(' && ')}`, 'many');
  staged.git('push', '--quiet', 'origin', 'main');
  const shallow = onRepository(cloneOf(bare, '--depth=1'), staged);
  expect(shallow.git('rev-list', '--count', 'HEAD')).toBe('1');
  staged.setClock(2);
  const now = Date.parse(at(2));
  expect(await shallow.runWith({ now }, 'apply', '--due')).toMatchObject({ code: 0 });
  expect(await staged.percentages()).toMatchObject({ checkout: 50 });
});

describe('people who click', () => {
  test('off, and on again before the step: it is made, and nobody is asked', async () => {
    const { world, runAt, percentages } = await begun();
    for (const active of [false, true]) await world.edit('checkout', { active });
    expect((await runAt(2, 'apply', '--due')).code).toBe(0);
    expect(await percentages()).toMatchObject({ checkout: 50 });
  });

  test.each([
    ['declares it', STEPPED],
    ['does not declare it', STEPPED.replace('    active: true\n    rollout', '    rollout')],
  ])(
    'off while a due run writes, where the manifest %s: the flag stays off, and the rollout waits',
    async (_, manifest) => {
      const front = await startFront();
      const { world, runAt } = await timedStage(manifest, { config: CONFIG.replace('$HOST', front.url) });
      front.target = world.url;
      for (const hours of [0, 1]) await runAt(hours, 'apply', '--yes');
      front.before = async (method) => {
        if (method === 'PATCH') await world.edit('checkout', { active: false });
      };
      await runAt(2, 'apply', '--due');
      front.before = async () => undefined;
      const [flag] = (await world.client.listFlags()).filter(({ key }) => key === 'checkout');
      // The service locks only what both change. Nobody gets the step: the flag is off.
      expect(flag).toMatchObject({ active: false });
      expect((await runAt(5, 'apply', '--due')).stderr).toContain('waits:');
    },
  );
});

test('overlays of two projects have steps of their own, and each project its own record', async () => {
  const manifest = `flags:
  checkout:
    active: true
    rollout_percentage: 5
    projects:
      main: { rollout_percentage: { from: 5, steps: [{ at: ${at(1)}, to: 10 }, { at: ${at(3)}, to: 30 }] } }
      other: { rollout_percentage: { from: 5, steps: [{ at: ${at(2)}, to: 20 }, { at: ${at(3)}, to: 40 }] } }
`;
  let now = Date.parse(at(0));
  const second = await openWorld('posthog', undefined, { now: () => new Date(now) });
  const config = CONFIG.replace('limits:', `  other: { host: "${second.url}", project_id: "1" }\nlimits:`);
  const { runAt, git, world } = await timedStage(manifest, { config });
  const shares = async (): Promise<unknown[]> => {
    const flags = await Promise.all([world, second].map(async ({ client }) => (await client.listFlags())[0]));
    return flags.map((flag) => flag?.filters?.groups?.[0]?.rollout_percentage);
  };
  for (const project of ['main', 'other']) await runAt(0, 'apply', '--yes', '-p', project);
  expect(await shares()).toEqual([5, 5]);
  for (const [hours, expected] of [
    [1, [10, 5]],
    [2, [10, 20]],
    [3, [30, 40]],
  ] as const) {
    now = Date.parse(at(hours));
    for (const project of ['main', 'other']) {
      expect(await runAt(hours, 'apply', '--due', '-p', project)).toMatchObject({ code: 0 });
    }
    expect(await shares()).toEqual(expected);
  }
  expect(git('log', '-1', '--format=%B', REF)).toContain('/projects/main/rollout_percentage');
  expect(git('log', '-1', '--format=%B', REF.replace('main', 'other'))).not.toContain('/projects/main/');
});

test('a flag that moves to another project goes on there, and makes no step where it was', async () => {
  let now = Date.parse(at(0));
  const second = await openWorld('posthog', undefined, { now: () => new Date(now) });
  const config = CONFIG.replace('limits:', `  other: { host: "${second.url}", project_id: "1" }\nlimits:`);
  const inProject = (name: string): string => STEPPED.replace('checkout:\n', `checkout:\n    only_in: [${name}]\n`);
  const { runAt, commit, world } = await timedStage(inProject('main'), { config });
  const shareIn = async ({ client }: Pick<typeof second, 'client'>): Promise<unknown> => {
    const flag = (await client.listFlags()).find(({ key }) => key === 'checkout');
    return flag?.filters?.groups?.[0]?.rollout_percentage;
  };
  const run = async (hours: number, ...argv: string[]): Promise<void> => {
    now = Date.parse(at(hours));
    for (const project of ['main', 'other']) {
      expect(await runAt(hours, ...argv, '-p', project)).toMatchObject({ code: 0 });
    }
  };
  await run(0, 'apply', '--yes');
  await run(1, 'apply', '--due');
  commit({ 'flags/main.yaml': inProject('other') });
  await run(1.5, 'apply', '--yes');
  expect([await shareIn(world), await shareIn(second)]).toEqual([10, 10]);
  // It began half an hour late, and its steps keep their distance.
  for (const hours of [2, 2.5, 5.5]) await run(hours, 'apply', '--due');
  expect([await shareIn(world), await shareIn(second)]).toEqual([10, 100]);
});

test('daylight saving and leap days: the offset of each step counts, and a day that no calendar has is refused', async () => {
  const days = (last: string): string => `flags:
  checkout:
    active: true
    rollout_percentage:
      steps:
        - { at: 2027-03-28T01:45+01:00, to: 10 }
        - { at: 2027-03-28T03:15+02:00, to: 20 }
        - { at: 2027-10-31T02:30+02:00, to: 30 }
        - { at: 2027-10-31T02:30+01:00, to: 40 }
        - { at: ${last}T09:00+01:00, to: 50 }
`;
  const { runAt, commit, percentages } = await timedStage(days('2028-02-29'));
  const hourOf = (time: string): number => (Date.parse(time) - Date.parse(at(0))) / 3_600_000;
  expect((await runAt(0, 'apply', '--yes')).code).toBe(0);
  for (const [time, share] of [
    ['2027-03-28T00:44Z', 0],
    ['2027-03-28T00:45Z', 10],
    // Half an hour later, by clocks that went forward by an hour.
    ['2027-03-28T01:14Z', 10],
    ['2027-03-28T01:15Z', 20],
    ['2027-10-31T00:30Z', 30],
    ['2027-10-31T01:29Z', 30],
    ['2027-10-31T01:30Z', 40],
    ['2028-02-28T23:59Z', 40],
    ['2028-02-29T08:00Z', 50],
  ] as const) {
    expect((await runAt(hourOf(time), 'apply', '--due')).code).toBe(0);
    expect([time, await percentages()]).toMatchObject([time, { checkout: share }]);
  }
  commit({ 'flags/main.yaml': days('2027-02-29') });
  const ran = await runAt(hourOf('2027-01-01T00:00Z'), 'validate');
  expect(ran.code).toBe(1);
  expect(ran.stdout).toContain('step-time-invalid');
});

describe('policies', () => {
  const FREEZE = `policies: { rules: [{ rule: freeze, deny: [{ from: 2026-12-01T09:30, to: 2026-12-01T14:30, zone: UTC }] }] }\n`;

  test('a freeze that was merged and not applied yet holds for due steps', async () => {
    const { commit, read, runAt, percentages } = await begun();
    commit({ 'flagwright.yaml': read('flagwright.yaml') + FREEZE });
    const ran = await runAt(2, 'apply', '--due');
    expect(ran).toMatchObject({ code: 4 });
    expect(ran.stderr).toContain('freeze');
    expect(await percentages()).toMatchObject({ checkout: 10 });
    expect((await runAt(14.6, 'apply', '--due')).code).toBe(0);
    expect(await percentages()).toMatchObject({ checkout: 50 });
  });

  test.each([
    ['a freeze', 'policies: { rules: [{ rule: freeze, keys: [payment], deny: [{ days: [tue], zone: UTC }] }] }'],
    ['the protection', 'protected: [payment]'],
  ])('%s of a key that the same merge gives the flag holds for its due steps', async (_, more) => {
    const ending = `active: { from: true, steps: [{ at: ${at(2)}, to: false }] }`;
    const manifest = STEPPED.replace('active: true', ending).replace(`at: ${at(2)}, to: 50`, `at: ${at(3)}, to: 50`);
    const { commit, runAt, world } = await begunRollout(manifest);
    commit({
      'flagwright.yaml': `${CONFIG.replaceAll('$HOST', world.url)}${more}\n`,
      'flags/main.yaml': manifest.replace('  checkout:\n', '  payment:\n    previous_keys: [checkout]\n'),
    });
    expect(await runAt(2, 'apply', '--due')).toMatchObject({ code: 4 });
    expect(await world.client.listFlags()).toMatchObject([{ key: 'search' }, { key: 'checkout', active: true }]);
  });

  test('an exception that was applied lifts what the policies of the checkout find too', async () => {
    const frozen = `${CONFIG}${FREEZE}`;
    const exception =
      'exceptions: [{ rule: freeze, keys: [checkout], reason: launch, until: 2027-01-01, granted_by: ben }]\n';
    const staged = await timedStage(STEPPED, { config: frozen });
    const { commit, read, runAt, percentages } = staged;
    commit({ 'exceptions.yaml': exception });
    for (const hours of [0, 1]) {
      expect(await runAt(hours, 'apply', '--yes', '--approved-by', 'ben')).toMatchObject({ code: 0 });
    }
    commit({ 'flagwright.yaml': read('flagwright.yaml').replace('deny:', 'except: [kill], deny:') });
    expect(await runAt(2, 'apply', '--due')).toMatchObject({ code: 0 });
    expect(await percentages()).toMatchObject({ checkout: 50 });
  });

  test('a change that lifts a policy and declares the rollout that it forbids is refused', async () => {
    const config = `${CONFIG}policies: { rules: [{ rule: max-widen, points: 20 }] }\n`;
    const { commit, read, runAt, git } = await begun(STEPPED.replace(/: *\n {6}steps:(?:\n {8}-.*)+/, ': 10'), config);
    const record = git('rev-parse', REF);
    commit({
      'flags/main.yaml': STEPPED,
      'flagwright.yaml': read('flagwright.yaml').replace('points: 20', 'points: 100'),
    });
    expect(await runAt(1.5, 'apply', '--yes')).toMatchObject({ code: 4 });
    expect(git('rev-parse', REF)).toBe(record);
    expect((await runAt(9, 'apply', '--due')).stdout).toContain('Nothing to apply');
  });
});

describe('a step that turns on what a person wants off', () => {
  const LAUNCH = `flags:
  launch:
    rollout_percentage: 5
    active: { steps: [{ at: ${at(1)}, to: true }, { at: ${at(9)}, to: false }] }
`;
  const EXCEPTION =
    'exceptions: [{ rule: switched_off, keys: [launch], reason: one, until: 2026-12-31, granted_by: ann }]\n';

  test('is not made by an exception that was granted before, and off names that', async () => {
    const { runAt, world, commit } = await timedStage('flags: {}\n');
    commit({ 'flags/main.yaml': LAUNCH, 'exceptions.yaml': EXCEPTION });
    expect(await runAt(0, 'apply', '--yes', '--approved-by', 'ann')).toMatchObject({ code: 0 });
    const { stderr } = await runAt(0.5, 'off', 'launch', '--yes');
    expect(stderr).toContain(
      'an exception from switched_off lets apply turn it back on. Remove it: exceptions.yaml:1:14',
    );
    expect(stderr).not.toContain('apply will not');
    const due = await runAt(1, 'apply', '--due');
    expect(due.stderr).not.toContain('a person continues it');
    expect((await world.client.listFlags())[0]).toMatchObject({ key: 'launch', active: false });
    expect(await runAt(1, 'apply', '--yes', '--approved-by', 'ann')).toMatchObject({ code: 0 });
    expect((await world.client.listFlags())[0]).toMatchObject({ active: true });
    const again = (await runAt(1.1, 'off', 'launch', '--yes')).stderr;
    expect(again).toContain('drift reports it; an exception from switched_off lets apply turn it back on');
  });
});
