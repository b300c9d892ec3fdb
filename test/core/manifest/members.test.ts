import { expect, it } from 'vitest';
import { problems } from './check.ts';

it.each([
  ['free', 'a: { previous_keys: [b, "old key!"] }', []],
  ['of a flag that exists', 'a: { previous_keys: [b] }, b: {}', ['error previous-key-taken /flags/a/previous_keys/0']],
  [
    'of a deleted flag',
    'a: { previous_keys: [b] }, b: { deleted: true }',
    ['error previous-key-taken /flags/a/previous_keys/0'],
  ],
  [
    'of two flags',
    'a: { previous_keys: [c] }, b: { previous_keys: [c] }',
    ['error previous-key-taken /flags/b/previous_keys/0'],
  ],
  ['its own', 'a: { previous_keys: [a] }', ['error previous-key-taken /flags/a/previous_keys/0']],
  ['of a flag elsewhere', 'a: { previous_keys: [b] }, b: { only_in: [staging] }', []],
])('checks a previous key: %s', (_, flags, expected) => {
  expect(problems(`flags: { ${flags} }`)).toEqual(expected);
});
