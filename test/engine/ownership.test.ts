import { expect, it } from 'vitest';
import { findResourceOwner } from '../../src/engine/ownership.ts';

it('a resource belongs to the manifest that names it here, else to those of other projects, else to none', () => {
  const named = { here: new Set(['a', 'both']), elsewhere: new Set(['b', 'both']) };
  expect(['a', 'both', 'b', 'c'].map((key) => findResourceOwner(key, named))).toEqual([
    'manifest',
    'manifest',
    'other-project',
    'unmanaged',
  ]);
});
