import fc from 'fast-check';
import { expect, test } from 'vitest';

import { groupFiles } from '../../../../src/core/manifest/write/group-files.ts';

const cases: readonly { by: 'prefix' | 'flag' | 'single'; keys: string[]; files: Record<string, string[]> }[] = [
  {
    by: 'prefix',
    keys: ['checkout-b', 'checkout_a', 'banner', 'old-menu', 'Checkout'],
    files: { 'checkout.yaml': ['Checkout', 'checkout-b', 'checkout_a'], 'misc.yaml': ['banner', 'old-menu'] },
  },
  { by: 'prefix', keys: ['-a', '_b', 'misc-c'], files: { 'misc.yaml': ['-a', '_b', 'misc-c'] } },
  { by: 'prefix', keys: ['con-a', 'con-b'], files: { 'con-flags.yaml': ['con-a', 'con-b'] } },
  {
    by: 'flag',
    keys: ['Banner', 'banner', 'flagwright'],
    files: { 'banner.yaml': ['Banner', 'banner'], 'flagwright-flags.yaml': ['flagwright'] },
  },
  { by: 'single', keys: ['b', 'a'], files: { 'flags.yaml': ['a', 'b'] } },
  { by: 'single', keys: [], files: {} },
];

test.each(cases)('$keys by $by', ({ by, keys, files }) => {
  expect(Object.fromEntries(groupFiles(keys, by))).toEqual(files);
});

test('every key is in one file with a portable, unique name', () => {
  const key = fc.oneof(
    fc.stringMatching(/^[A-Za-z0-9_-]{1,400}$/),
    fc.stringMatching(/^[aA][-_][aAbB]{1,2}$/),
    fc.constantFrom('NUL', 'com1', '-', '__proto__'),
  );
  const by = fc.constantFrom('prefix' as const, 'flag' as const, 'single' as const);
  fc.assert(
    fc.property(fc.uniqueArray(key), by, (keys, groupBy) => {
      const files = groupFiles(keys, groupBy);
      expect([...files.values()].flat().sort()).toEqual(keys.toSorted());
      expect([...files.keys()]).toEqual([...new Set([...files.keys()].map((name) => name.toLowerCase()))].sort());
      for (const name of files.keys())
        expect(name).toMatch(/^(?!(con|prn|aux|nul|com\d|lpt\d)\.)[a-z0-9][a-z0-9_-]{0,105}\.yaml$/);
    }),
  );
});
