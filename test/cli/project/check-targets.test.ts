import { describe, expect, test } from 'vitest';
import {
  checkLiveTargets,
  checkOverrides,
  checkTargets,
  type TargetSource,
} from '../../../src/cli/project/check-targets.ts';
import { declared, desiredState, liveFlag, liveState } from '../../helpers/states.ts';
import { stage, type Stage } from '../../helpers/stage.ts';

const MANIFEST = `flags:
  checkout-page: { active: true }
  checkout-form: { active: true }
  search: { previous_keys: [find], active: true }
  abroad: { only_in: [production], active: true }
`;
const CONFIG = `projects:
  staging: { host: $HOST, project_id: "1" }
  production: { host: $HOST, project_id: "2" }
default_project: staging
`;

describe('names that select nothing', () => {
  const desired = desiredState(declared('search', {}, { previousKeys: ['find'] }), declared('checkout-form'));
  const selectable = { desired, project: 'staging', live: liveState([liveFlag(1, 'lives')]), unmanaged: ['stray'] };
  const told = (check: () => void): string | undefined => {
    try {
      check();
      return undefined;
    } catch (error) {
      const { code, message, remedy } = error as { code: string; message: string; remedy?: string };
      return `${code}: ${message} ${remedy}`;
    }
  };

  test.each<[readonly string[], TargetSource]>([
    [['search', 'checkout-*'], 'option'],
    [['stray'], 'option'],
    [['str*'], 'unmanaged'],
    [[], 'keys'],
  ])('%j as %s selects something', (targets, targeting) => {
    expect(told(() => checkTargets(targets, { ...selectable, targeting }))).toBeUndefined();
  });

  test('are answered with what to write, in the syntax that named them', () => {
    const lines = (['option', 'override', 'keys', 'unmanaged'] as const).flatMap((targeting) =>
      ['serch', 'checkout-', 'find', 'lives', 'x'].map(
        (target) => `${targeting} ${target} → ${told(() => checkTargets([target], { ...selectable, targeting }))}`,
      ),
    );
    const live = ['serch', 'x'].map(
      (target) => `live ${target} → ${told(() => checkLiveTargets([target], ['search'], selectable))}`,
    );
    expect([...lines, ...live].join('\n')).toMatchInlineSnapshot(`
      "option serch → usage: --target serch matches no flag that the manifests declare for the project "staging". Did you mean --target search?
      option checkout- → usage: --target checkout- matches no flag that the manifests declare for the project "staging". For all keys with this prefix, use --target "checkout-*".
      option find → usage: --target find: that is a previous key of "search". Use --target search.
      option lives → usage: --target lives: no manifest declares the flag "lives" of the project "staging". To declare it, run flagwright accept --unmanaged lives -p staging.
      option x → usage: --target x matches no flag that the manifests declare for the project "staging". Check its spelling.
      override serch → usage: --override serch matches no flag that the manifests declare for the project "staging". Did you mean --override search?
      override checkout- → usage: --override checkout- matches no flag that the manifests declare for the project "staging". For all keys with this prefix, use --override "checkout-*".
      override find → usage: --override find: that is a previous key of "search". Use --override search.
      override lives → usage: --override lives: no manifest declares the flag "lives" of the project "staging". To declare it, run flagwright accept --unmanaged lives -p staging.
      override x → usage: --override x matches no flag that the manifests declare for the project "staging". Check its spelling.
      keys serch → usage: "serch" matches no flag that the manifests declare for the project "staging". Did you mean "search"?
      keys checkout- → usage: "checkout-" matches no flag that the manifests declare for the project "staging". For all keys with this prefix, use "checkout-*".
      keys find → usage: "find": that is a previous key of "search". Use "search".
      keys lives → usage: "lives": no manifest declares the flag "lives" of the project "staging". To declare it, run flagwright accept --unmanaged lives -p staging.
      keys x → usage: "x" matches no flag that the manifests declare for the project "staging". Check its spelling.
      unmanaged serch → usage: "serch" matches no flag that is in scope in the project "staging" and that no manifest declares. Check its spelling.
      unmanaged checkout- → usage: "checkout-" matches no flag that is in scope in the project "staging" and that no manifest declares. Check its spelling.
      unmanaged find → usage: "find" matches no flag that is in scope in the project "staging" and that no manifest declares. Check its spelling.
      unmanaged lives → usage: "lives" matches no flag that is in scope in the project "staging" and that no manifest declares. Check its spelling.
      unmanaged x → usage: "x" matches no flag that is in scope in the project "staging" and that no manifest declares. Check its spelling.
      live serch → usage: --target serch matches no flag of the project "staging". Did you mean --target search?
      live x → usage: --target x matches no flag of the project "staging". Check its spelling."
    `);
  });
});

describe('what a name may select', () => {
  const cohortOf = (key: string): object => ({ kind: 'declared', key, fields: {}, places: { place: {} } });
  const desired = {
    ...desiredState(declared('search'), declared('a,b'), declared('own', {}, { previousKeys: ['old', 'older'] })),
    cohorts: [cohortOf('beta')],
    namedElsewhere: { flags: ['abroad', 'afar'] },
  } as never;
  const live = liveState([liveFlag(1, 'lives'), liveFlag(2, 'gone', { deleted: true }), liveFlag(3, 'search')]);
  const selectable = { desired, project: 'staging', live, unmanaged: [] };
  const answer = (check: () => void): string => {
    try {
      check();
      return '';
    } catch (error) {
      const { message, remedy } = error as { message: string; remedy?: string };
      return `${message} ${remedy}`;
    }
  };

  test.each([['search'], ['lives'], ['liv*'], ['cohort:beta'], ['own']])('--override %s selects it', (override) => {
    expect(answer(() => checkOverrides([override], selectable))).toBe('');
  });

  test.each([
    ['gone', 'Check its spelling.'],
    ['old', 'Check its spelling.'],
    ['serch', 'Did you mean --override search?'],
    ['beta', 'Did you mean --override cohort:beta?'],
    ['abroad', 'Check its spelling.'],
  ])('--override %s selects nothing', (override, remedy) => {
    expect(answer(() => checkOverrides([override], selectable))).toBe(
      `--override ${override} matches no flag of the project "staging". ${remedy}`,
    );
  });

  test.each<[string, TargetSource, string]>([
    ['afar', 'option', '--target afar: the manifests declare "afar" for other projects, not for "staging". Select'],
    ['ab*', 'keys', '"ab*": the manifests declare "abroad" for other projects, not for "staging". Select'],
    ['olde*', 'option', '--target olde*: that is a previous key of "own". Use --target own.'],
    ['gone', 'option', '--target gone matches no flag that the manifests declare for the project "staging". Check its'],
    [
      'x, y,',
      'option',
      '--target x, y, matches no flag: a comma does not separate targets. Separate them with spaces: --target x y.',
    ],
    ['x,y', 'keys', '"x,y" matches no flag: a comma does not separate keys. Separate them with spaces: x y.'],
    [
      '{x,y}',
      'option',
      '--target {x,y} matches no flag that the manifests declare for the project "staging". Check its spelling.',
    ],
    [
      'beta',
      'option',
      '--target beta matches no flag that the manifests declare for the project "staging". Did you mean --target cohort:beta?',
    ],
    [
      '',
      'option',
      '--target  matches no flag that the manifests declare for the project "staging". Check its spelling.',
    ],
  ])('%j as %s says why it selects nothing', (target, targeting, words) => {
    expect(answer(() => checkTargets([target], { ...selectable, targeting }))).toContain(words);
  });

  test('a key with a comma in it is one', () => {
    expect(answer(() => checkTargets(['a,b'], selectable))).toBe('');
  });

  test('several that select nothing are told of together, and the same remedy once', () => {
    expect(answer(() => checkTargets(['x', 'search', 'y'], selectable))).toBe(
      ['x', 'y']
        .map((key) => `--target ${key} matches no flag that the manifests declare for the project "staging".`)
        .concat('Check its spelling.')
        .join(' '),
    );
    expect(answer(() => checkLiveTargets(['x'], [], { project: 'p' }))).toBe(
      '--target x matches no flag of the project "p". There is none to name.',
    );
  });
});

describe('an override that selects nothing is an error', () => {
  test.each([
    ['serach', 'Did you mean --override search?'],
    ['checkout-', 'use --override "checkout-*"'],
    ['abroad', 'Check its spelling.'],
  ])('%s', async (override, remedy) => {
    const { run } = await staged();
    const { code, stderr } = await run('plan', '--override', override);
    expect([code, stderr]).toEqual([1, expect.stringContaining(remedy)]);
    expect(stderr).toContain('matches no flag of the project "staging"');
    expect((await run('plan', '--override', 'stray', 'checkout-*')).code).toBe(0);
  });
});

describe('a target that selects nothing is an error with the reason and the remedy', () => {
  test.each([
    ['a misspelled key', 'serach', 'matches no flag that the manifests declare', 'Did you mean --target search?'],
    ['a prefix', 'checkout-', 'matches no flag that the manifests declare', 'use --target "checkout-*"'],
    ['a pattern', 'billing-*', 'matches no flag that the manifests declare', 'Check its spelling.'],
    ['an empty one', '', 'It is empty.', 'Is a variable not set?'],
    ['a comma', 'search,checkout-page', 'a comma does not separate targets', '--target search checkout-page.'],
    ['a flag of another project', 'abroad', 'for other projects, not for "staging"', '--project'],
    ['a previous key', 'find', 'is a previous key of "search"', 'Use --target search.'],
    [
      'an unmanaged flag',
      'stray',
      'no manifest declares the flag "stray"',
      'run flagwright accept --unmanaged stray -p staging.',
    ],
  ])('%s', async (_, target, why, remedy) => {
    const { run } = await staged();
    for (const argv of [['plan'], ['drift'], ['apply', '--yes']]) {
      const { code, stderr } = await run(...argv, '--target', target);
      expect([argv, code]).toEqual([argv, 1]);
      expect(stderr).toContain(why);
      expect(stderr).toContain(remedy);
    }
  });

  test('in JSON too', async () => {
    const { run } = await staged();
    const { code, document } = await run('drift', '--target', 'serach', '-f', 'json');
    expect(code).toBe(1);
    expect(document()).toMatchObject({ error: { code: 'usage', remedy: 'Did you mean --target search?' } });
  });
});

test('where every flag is declared, a pattern for others is told so', async () => {
  const { run } = await staged(`${MANIFEST}  stray: { active: true }\n`);
  const { code, stderr } = await run('accept', '--unmanaged', '*');
  expect([code, stderr]).toEqual([1, expect.stringContaining('There is none to name.')]);
});

test('a target names a cohort with its kind', async () => {
  const definition = 'filters: { properties: { type: AND, values: [{ key: plan, value: pro }] } }';
  const { run } = await staged(`${MANIFEST}cohorts: { gamma: { ${definition} } }\n`);
  const { code, stdout, stderr } = await run('plan', '--target', 'cohort:gamma');
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toContain('1 cohort to create');
  expect((await run('plan', '--target', 'cohort:gama')).stderr).toContain('Did you mean --target cohort:gamma?');
  expect((await run('plan', '--target', 'gamma')).stderr).toContain('Did you mean --target cohort:gamma?');
  expect((await run('accept', 'gamma')).stderr).toContain('Did you mean "cohort:gamma"?');
});

test('a target takes along a change of a live cohort that it uses, also through another one', async () => {
  const cohort = (plan: string): string => `cohorts:
  gamma: { filters: { properties: { type: AND, values: [{ key: plan, type: person, value: ${plan}, operator: exact }] } } }
  delta: { filters: { properties: { type: AND, values: [{ key: id, type: cohort, value: gamma }] } } }
flags:
  direct: { active: true, filters: { groups: [{ properties: [{ key: id, type: cohort, value: gamma }] }] } }
  through: { active: true, filters: { groups: [{ properties: [{ key: id, type: cohort, value: delta }] }] } }
  apart: { active: true, filters: { groups: [{ properties: [] }] } }
`;
  const { run, workspace } = await staged(cohort('pro'));
  expect((await run('apply', '--yes')).code).toBe(0);
  workspace.write('flags/main.yaml', cohort('free'));
  for (const target of ['direct', 'through']) {
    const { stdout } = await run('plan', '--target', target);
    expect([target, stdout]).toEqual([target, expect.stringContaining('update  gamma (cohort)') as string]);
  }
  expect((await run('plan', '--target', 'apart')).stdout).toContain('In sync');
});

test('a target may name an unmanaged flag in a run that prunes or reports it', async () => {
  const { run } = await staged();
  expect((await run('plan', '--prune', '--target', 'stray')).stdout).toContain('1 to delete');
  expect((await run('drift', '--unmanaged', '--target', 'stray')).code).toBe(2);
});

async function staged(manifest = MANIFEST): Promise<Stage> {
  const made = await stage(manifest, CONFIG);
  await made.world.client.createFlag({ key: 'stray' });
  return made;
}
