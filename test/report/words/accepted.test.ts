/** The sentences about values that an accept leaves. */

import { expect, test } from 'vitest';
import type { KeyUse } from '../../../src/editing/edit.ts';
import { leftText } from '../../../src/report/words/editing.ts';

test.each<[KeyUse, string]>([
  [
    { by: 'flags', names: ['a', 'b'] },
    'the conditions of "a", "b" use "old" (key-in-use). ' +
      'Rename the declaration to "new" with previous_keys: ["old"], and write "new" in place of "old" in the conditions of "a", "b".',
  ],
  [
    { by: 'features', names: ['early_access:a'] },
    'the members of "early_access:a" use "old" (key-in-use). ' +
      'Rename the declaration to "new" with previous_keys: ["old"], and write flag: "new" in "early_access:a".',
  ],
  [
    { by: 'roles', names: ['Growth'] },
    'the lists of "Growth" under role_access use "old" (key-in-use). ' +
      'Rename the declaration to "new" with previous_keys: ["old"], and write "new" in place of "old" in the lists of "Growth" under role_access.',
  ],
  [
    { by: 'projects', names: ['staging'] },
    'other projects ("staging") use "old" (key-in-use). ' +
      'Rename it in all projects with --layer base, or declare it apart for this one with --layer project:',
  ],
  [
    { by: 'declaration' },
    'another declaration has that key (key-in-use). ' +
      'Keep one of the two, declared for all projects that have the flag, or rename the flag back in the service.',
  ],
])('a key that moved and is used elsewhere: %j', (use, text) => {
  const reason = { code: 'key-in-use' as const, key: 'old', renamed: 'new', use };
  const left = leftText({ key: 'old', reason, place: { file: 'flags.yaml', line: 3, column: 1 } }, JSON.stringify);
  expect(left).toBe(`"old" ("flags.yaml:3") was left as it is: its key is "new" in the service, and ${text}`);
});

test('a value outside the bounds that others keep names the place of the rule', () => {
  const rule = { file: 'flagwright.yaml', line: 5, column: 15 };
  const args = { path: 'rollout_percentage', value: 40, low: 0, high: 25, rule };
  const problem = { code: 'ownership-value-outside', severity: 'error', args } as const;
  expect(leftText({ key: 'a', reason: { code: 'invalid', problem } }, JSON.stringify)).toBe(
    '"a" was left as it is: 40 is outside the bounds 0 to 25 that ownership at "flagwright.yaml:5:15" has for ' +
      '"rollout_percentage" (invalid). Widen the bounds there, and run the command again; or change the value in the service.',
  );
});
