/** What the changes of a plan take from the code that reads flags. */

import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import { buildPlan } from '../../../src/posthog/planning/build-plan.ts';
import type { DesiredFlag } from '../../../src/posthog/desired.ts';
import { certainReads, findLosses, readLosses, type Loss } from '../../../src/code/references/losses.ts';
import type { KnownCode } from '../../../src/code/references/use.ts';
import { declared, desiredState, liveFlag, liveState, retired } from '../../helpers/states.ts';
import { search } from './support.ts';

const filtersOf = (...variants: string[]): JsonObject => ({
  filters: {
    groups: [{ properties: [], rollout_percentage: 100 }],
    multivariate: { variants: variants.map((key) => ({ key, rollout_percentage: 100 / variants.length })) },
  },
});

function lossesOf(desired: DesiredFlag, live: JsonObject): readonly Loss[] {
  return findLosses(buildPlan(desiredState(desired), liveState([liveFlag(1, 'a', live)])).changes);
}

describe('a change takes from code', () => {
  test.each<[string, DesiredFlag, JsonObject, Partial<Loss>[]]>([
    ['a flag that it deletes', retired('a'), {}, [{ key: 'a', loses: 'delete' }]],
    [
      'the key that it renames',
      declared('b', {}, { previousKeys: ['a'] }),
      {},
      [{ ref: 'flag:b', key: 'a', loses: 'rename' }],
    ],
    ['a flag that it disables', declared('a', { active: false }), {}, [{ key: 'a', loses: 'disable' }]],
    [
      'the variants that it removes',
      declared('a', filtersOf('x')),
      filtersOf('x', 'y'),
      [{ key: 'a', loses: 'variants', variants: ['y'] }],
    ],
    [
      'the variants too, of a flag that it disables',
      declared('a', { active: false, ...filtersOf('x', 'z') }),
      filtersOf('x', 'y'),
      [{ loses: 'disable', variants: ['y'] }],
    ],
    ['nothing, where it adds variants', declared('a', filtersOf('x', 'y')), filtersOf('x'), []],
    [
      'nothing, where it writes the filters with the same variants',
      declared('a', filtersOf('y', 'x')),
      filtersOf('x', 'y'),
      [],
    ],
    ['nothing, where it changes the description', declared('a', { name: 'new' }), {}, []],
  ])('%s', (_what, desired, live, expected) => {
    const found = lossesOf(desired, live);
    expect(found).toMatchObject(expected);
    expect(found).toHaveLength(expected.length);
    expect(found.map((one) => Object.hasOwn(one, 'variants'))).toEqual(
      expected.map((one) => Object.hasOwn(one, 'variants')),
    );
  });
});

describe('the code that reads what is lost', () => {
  const READS = "posthog.getFeatureFlag('new-checkout') === 'fast'\n";
  const TEXT = "// 'new-checkout'\n";
  const LOSS: Loss = { ref: 'flag:a', key: 'new-checkout', loses: 'variants', variants: ['fast', 'slow'] };
  const keys = ['new-checkout', 'other-flag'];
  const codeOf = (files: Readonly<Record<string, string>>, more: Partial<KnownCode> = {}): KnownCode => ({
    repositories: [{ code: search(files, { keys }) }],
    gaps: [],
    ...more,
  });

  test('is named with its places, certain ones first, and the lost variants of each line', () => {
    const files = { 'a.ts': TEXT + READS, 'b.ts': READS.replace('fast', 'fast-track') };
    const lines = new Map(Object.entries(files).map(([file, text]) => [file, text.split('\n')]));
    const { flags } = readLosses([LOSS], codeOf(files), ({ file, line }) => lines.get(file)?.[line - 1]);
    expect(flags).toMatchObject([{ ...LOSS, verdict: 'read', searched: true }]);
    expect(
      flags[0]?.references.map(({ place, certain, variants }) => [place.file, place.line, certain, variants]),
    ).toEqual([
      ['a.ts', 2, true, ['fast']],
      ['b.ts', 1, true, undefined],
      ['a.ts', 1, false, undefined],
    ]);
    expect(flags[0]?.references.every((one) => !Object.hasOwn(one, 'key'))).toBe(true);
  });

  test('has no variants where nothing says which are lost, the line cannot be read or is of another repository', () => {
    const first = (loss: Loss, code: KnownCode, line: string | undefined): unknown =>
      readLosses([loss], code, () => line).flags[0]?.references[0]?.variants;
    const here = codeOf({ 'a.ts': READS });
    expect(first(LOSS, here, READS)).toEqual(['fast']);
    expect(first({ ...LOSS, variants: ['fast', 'new'] }, here, READS)).toEqual(['fast']);
    expect(first({ ref: LOSS.ref, key: LOSS.key, loses: 'delete' }, here, READS)).toBeUndefined();
    expect(first(LOSS, here, undefined)).toBeUndefined();
    const there = codeOf({}, { repositories: [{ name: 'web', code: search({ 'a.ts': READS }, { keys }) }] });
    expect(first(LOSS, there, READS)).toBeUndefined();
  });

  test('is nobody where the flag was found nowhere', () => {
    expect(readLosses([LOSS], codeOf({ 'a.ts': "posthog.isFeatureEnabled('other-flag')" }), () => '')).toEqual({
      flags: [],
      gaps: [],
    });
  });

  test('may be more where some code was not searched for the key', () => {
    const gap = { code: 'no_reader_found' } as const;
    const partly = codeOf({ 'a.ts': READS }, { gaps: [gap] });
    expect(readLosses([LOSS], partly, () => READS)).toMatchObject({ flags: [{ searched: true }], gaps: [gap] });
    const another = search({ 'a.ts': "posthog.isFeatureEnabled('other-flag')" }, { keys: ['other-flag'] });
    const found = readLosses([LOSS], codeOf({ 'a.ts': READS }, { repositories: [{ code: another }] }), () => READS);
    expect(found.flags).toMatchObject([{ searched: false, verdict: 'unknown', references: [] }]);
  });

  test('is certain by the ref of the change, with three places at most', () => {
    const many = Object.fromEntries(['a', 'b', 'c', 'd'].map((name) => [`${name}.ts`, READS]));
    const certain = certainReads(readLosses([LOSS], codeOf({ ...many, 'e.ts': TEXT }), () => READS));
    expect([...certain.keys()]).toEqual(['flag:a']);
    expect(certain.get('flag:a')).toMatchObject({
      count: 4,
      places: ['a', 'b', 'c'].map((name) => ({ place: { file: `${name}.ts` } })),
    });
    expect(certainReads(readLosses([LOSS], codeOf({ 'e.ts': TEXT }), () => READS)).size).toBe(0);
    const there = codeOf({}, { repositories: [{ name: 'web', code: search({ 'a.ts': READS }, { keys }) }] });
    expect(certainReads(readLosses([LOSS], there, () => READS)).get('flag:a')?.places).toMatchObject([
      { repository: 'web' },
    ]);
  });
});
