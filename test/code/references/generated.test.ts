/** Files that a program wrote: the keys in them, and what they make keys of, may be the code of people elsewhere, but are never certain. */

import { expect, test } from 'vitest';
import { createCollector } from '../../../src/code/references/collect.ts';
import { nameKeys } from '../../../src/code/references/names.ts';

const keys = ['new-checkout', 'beta', 'a-b'];
const names = nameKeys(keys, { accessors: keys, patterns: [] });
function found(text: string, generated?: string): unknown {
  const collector = createCollector(names, () => false);
  if (generated !== undefined) collector.addGenerated({ file: 'dist/a.js', bytes: Buffer.from(generated) });
  if (text !== '') collector.add({ file: 'a.ts', bytes: Buffer.from(text) });
  const { references, indirectReads, unknownReads, loose } = collector.finish();
  return {
    references: references.map(({ key, form, certain, place }) => `${place.file} ${key} ${form} ${certain}`),
    indirect: indirectReads.map(({ prefix = '', suffix = '' }) => `${prefix}…${suffix}`),
    unknown: unknownReads.map(({ key }) => key),
    loose: [...loose],
  };
}

test('keys are text there, words are counted, and calls with other keys or names say nothing', () => {
  const code = "isFeatureEnabled('new-checkout');isFeatureEnabled('other');isFeatureEnabled(x);f('beta');NEW_CHECKOUT";
  expect(found('', code)).toEqual({
    references: ['dist/a.js new-checkout text false'],
    indirect: [],
    unknown: [],
    loose: [['beta', 1]],
  });
});

test('what a part of a key is joined to counts there, too', () => {
  expect(found('', 'f(`new-${x}`)')).toMatchObject({ indirect: ['new-…'] });
});

test('a longer word is no key', () => {
  expect(found('', "f('new-checkout-2')")).toMatchObject({ references: [] });
});

test('they stand beside the code of people', () => {
  expect(found("isFeatureEnabled('new-checkout')", "f('new-checkout')")).toMatchObject({
    references: ['a.ts new-checkout call true', 'dist/a.js new-checkout text false'],
  });
});
