/** `--target` and `--override` in runs over several projects, of which only some have what they name. */

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { severalProjects, statesOf, membersOf } from '../helpers/several-projects.ts';

const MANIFEST = `flags:
  search: { active: true }
  only_eu: { only_in: [eu], active: true }
`;
const TWO = { staging: '', eu: ', after: [staging]' };
const ALL = '--all-projects';

describe('a target that one of the projects has', () => {
  test('leaves the others nothing to do: plan', async () => {
    const { run } = await severalProjects(TWO, { manifest: MANIFEST });
    const { code, stdout, stderr } = await run('plan', ALL, '--target', 'only_eu', '--detailed-exitcode', '-f', 'json');
    expect([code, stderr]).toEqual([
      2,
      'staging:\nnote  --target only_eu: the manifests declare "only_eu" for other projects, not for "staging".\n',
    ]);
    expect(statesOf({ stdout })).toEqual({ staging: 'in_sync', eu: 'to_apply' });
    expect(membersOf({ stdout })['eu']?.report?.changes).toHaveLength(1);
    const quiet = await run('plan', ALL, '--target', 'only_eu', '--quiet');
    expect(quiet).toMatchObject({ code: 0, stderr: '' });
  });

  test('leaves the others nothing to do: drift, and apply, which goes on to those after them', async () => {
    const { run, keysOf, worlds } = await severalProjects(TWO, { manifest: MANIFEST });
    const applied = await run('apply', ALL, '--yes', '--target', 'only_eu', '-f', 'json');
    expect([applied.code, statesOf(applied)]).toEqual([0, { staging: 'in_sync', eu: 'applied' }]);
    expect([await keysOf('staging'), await keysOf('eu')]).toEqual([[], ['only_eu']]);
    const before = await run('drift', ALL, '--target', 'only_eu', '-f', 'json');
    expect([before.code, statesOf(before)]).toEqual([0, { staging: 'in_sync', eu: 'in_sync' }]);
    await worlds.eu.edit('only_eu', { active: false });
    const after = await run('drift', ALL, '--target', 'only_eu', '-f', 'json');
    expect([after.code, statesOf(after)]).toEqual([2, { staging: 'in_sync', eu: 'differs' }]);
  });

  test('is applied from saved plans, all of them or those of one project', async () => {
    const { run, keysOf } = await severalProjects(TWO, { manifest: MANIFEST });
    expect((await run('plan', ALL, '--target', 'only_eu', '--out', 'plans.json')).code).toBe(0);
    expect((await run('apply', 'plans.json', '-p', 'staging')).code).toBe(0);
    expect((await run('apply', 'plans.json')).code).toBe(0);
    expect([await keysOf('staging'), await keysOf('eu')]).toEqual([[], ['only_eu']]);
  });

  test('may be one that no manifest declares: drift --unmanaged, and export', async () => {
    const { run, worlds, root } = await severalProjects(TWO, { manifest: MANIFEST });
    await worlds.eu.client.createFlag({ key: 'stray' });
    const drift = await run('drift', ALL, '--unmanaged', '--target', 'stray', '-f', 'json');
    expect([drift.code, statesOf(drift)]).toEqual([2, { staging: 'in_sync', eu: 'differs' }]);
    const exported = await run('export', ALL, '--dir', 'flags/new', '--target', 'stray');
    expect(exported.code).toBe(0);
    expect(readFileSync(path.join(root, 'flags/new/misc.yaml'), 'utf8')).toContain('only_in: [eu]');
  });

  test('is no mistake where the project that has it cannot be asked', async () => {
    const { runWith } = await severalProjects(TWO, { manifest: MANIFEST });
    const ran = await runWith({ env: { KEY_EU: '' } }, 'plan', ALL, '--target', 'only_eu', '-f', 'json');
    expect([ran.code, statesOf(ran)]).toEqual([1, { staging: 'in_sync', eu: 'failed' }]);
  });

  test('is overridden where it is', async () => {
    const { run, worlds } = await severalProjects(TWO, { manifest: MANIFEST });
    await worlds.eu.client.createFlag({ key: 'stray' });
    expect(await run('plan', ALL, '--override', 'stray')).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('--override stray matches no flag of the project "staging".') as string,
    });
    expect((await run('plan', ALL, '--override', 'strey')).code).toBe(1);
  });
});

describe('a target that none of the projects has is a mistake in each', () => {
  const others = `${MANIFEST}  afar: { only_in: [us], active: true }\n`;

  test.each([
    ['serach', 'Did you mean --target search?'],
    ['afar', 'for other projects, not for "eu"'],
  ])('%s', async (target, words) => {
    const { run, keysOf } = await severalProjects({ staging: '', eu: '', us: '' }, { manifest: others });
    for (const argv of [['plan'], ['drift'], ['apply', '--yes']]) {
      const ran = await run(...argv, '-p', 'staging,eu', '--target', target, 'only_eu', '-f', 'json');
      expect([argv, ran.code, statesOf(ran)]).toEqual([argv, 1, { staging: 'failed', eu: 'failed' }]);
      expect(membersOf(ran)['eu']?.report?.error?.code).toBe('usage');
      expect(ran.stdout + ran.stderr).toContain(words);
      expect(ran.stderr).not.toContain('note');
    }
    expect(await keysOf('eu')).toEqual([]);
  });

  test('after an export that wrote what others name, which stays reported', async () => {
    const { run, worlds } = await severalProjects(TWO, { manifest: MANIFEST });
    await worlds.staging.client.createFlag({ key: 'stray' });
    const ran = await run('export', ALL, '--dir', 'flags/new', '--target', 'stray', 'strey');
    expect(ran).toMatchObject({ code: 1, stdout: expect.stringContaining('flags/new/misc.yaml') as string });
    expect(ran.stderr).toContain('--target strey matches no flag of the project "staging".');
  });
});
