import { expect, it } from 'vitest';
import { findResourceOwner } from '../../../src/core/engine/ownership.ts';

it('a resource named for this project belongs to the manifest, one named for another project to that project, and any other is unmanaged', () => {
  const named = { here: new Set(['a', 'both']), elsewhere: new Set(['b', 'both']) };
  expect(['a', 'both', 'b', 'c'].map((key) => findResourceOwner(key, named))).toEqual([
    'manifest',
    'manifest',
    'other-project',
    'unmanaged',
  ]);
});
