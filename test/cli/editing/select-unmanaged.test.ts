/** Which live cohorts and early access features an argument means. */

import { describe, expect, test } from 'vitest';
import { selectUnmanaged } from '../../../src/cli/editing/accept.ts';
import type { Selectable } from '../../../src/editing/facet.ts';

const SELECTABLE = {
  project: { name: 'prod', roles: {}, cohorts: { vips: 1, testers: 4 } },
  desired: { flags: [], cohorts: [{ key: 'vips' }], early_access: [{ flag: 'managed' }] },
  live: {
    flags: [
      { id: 11, key: 'managed' },
      { id: 12, key: 'chat' },
      { id: 13, key: 'chats' },
      { id: 14, key: 'old' },
    ],
    cohorts: [
      { id: 1, name: 'VIPs' },
      { id: 2, name: ' Power users ' },
      { id: 3, name: 'Gone', deleted: true },
      { id: 4, name: 'Testers' },
      { id: 5, name: ' ' },
      { id: 6, name: null },
      { id: 7, name: 'Power people' },
    ],
    early_access: [
      { id: 11, name: 'Managed', stage: 'beta' },
      { id: 12, name: 'New chat', stage: 'beta' },
      { id: 13, name: 'chat', stage: 'alpha' },
      { id: 14, name: 'Old', stage: 'archived' },
      { id: 99, name: 'Of no flag', stage: 'beta' },
    ],
  },
} as unknown as Selectable;

const select = (targets: readonly string[], selectable = SELECTABLE): readonly (readonly string[])[] => {
  const { cohorts, early_access: features } = selectUnmanaged(targets, selectable);
  return [[...cohorts], [...features]];
};

describe('an argument', () => {
  test.each<[string, readonly string[], readonly string[]]>([
    ['an id', ['cohort:2'], ['2']],
    ['a name without the blanks around it', ['cohort:Power users'], ['2']],
    ['an alias', ['cohort:testers'], ['4']],
    ['a glob', ['cohort:Power*'], ['2', '7']],
    ['several', ['cohort:7', 'cohort:5', 'cohort:Power users'], ['7', '5', '2']],
    ['a glob that matches all', ['cohort:*'], ['2', '4', '5', '6', '7']],
  ])('means cohorts by %s', (_, targets, ids) => {
    expect(select(targets)).toEqual([ids, []]);
  });

  test.each<[string, readonly string[], readonly string[]]>([
    ['the key of the flag', ['early_access:chats'], ['13']],
    ['a name', ['early_access:New chat'], ['12']],
    ['an exact name, also one that is a key elsewhere', ['early_access:chat'], ['12', '13']],
    ['a glob', ['early_access:*'], ['12', '13']],
  ])('means features by %s', (_, targets, ids) => {
    expect(select(targets)).toEqual([[], ids]);
  });

  test('of each family is looked up in its own', () => {
    expect(select(['cohort:2', 'early_access:chats'])).toEqual([['2'], ['13']]);
    expect(select([])).toEqual([[], []]);
  });

  test.each([
    ['that is managed', 'cohort:vips', 'cohort'],
    ['that is deleted', 'cohort:Gone', 'cohort'],
    ['of a feature that is managed', 'early_access:managed', 'early access feature'],
    ['of a feature that is archived', 'early_access:old', 'early access feature'],
    ['of a feature without a flag', 'early_access:Of no flag', 'early access feature'],
  ])('%s is refused', (_, target, noun) => {
    expect(() => select([target])).toThrow(
      expect.objectContaining({
        code: 'usage',
        message: expect.stringMatching(
          new RegExp(`^.${target}. matches no ${noun} of the project .prod. that no manifest declares\\.$`),
        ) as string,
      }) as Error,
    );
  });

  test.each([
    ['cohort:Power user', 'cohort:Power users'],
    ['early_access:New cht', 'early_access:New chat'],
    ['cohort:zzzzzzzz', 'flagwright cohorts list shows both'],
    ['early_access:zzzzzzzz', 'flagwright early-access list shows both'],
  ])('%s that names nothing has the remedy %s', (target, remedy) => {
    expect(() => select([target])).toThrow(
      expect.objectContaining({ remedy: expect.stringContaining(remedy) as string }) as Error,
    );
  });

  test('finds nothing where nothing was read', () => {
    const selectable = { ...SELECTABLE, desired: { flags: [] }, live: { flags: [] } } as unknown as Selectable;
    for (const target of ['cohort:2', 'early_access:chats'])
      expect(() => select([target], selectable)).toThrow(expect.objectContaining({ code: 'usage' }) as Error);
  });
});
