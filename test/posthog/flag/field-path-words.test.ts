/** What is said about a text that names no place in a flag. */

import { expect, it } from 'vitest';
import { explainFieldPath } from '../../../src/posthog/flag/field-path-words.ts';
import { parseFieldPath } from '../../../src/posthog/flag/field-path.ts';

it.each([
  ['', /empty/, /active/],
  ['tags.', /part of "tags\." is empty/, /one dot/],
  ['conditions.a"b', /not around a whole part/, /between dots/],
  ['conditions.0.variant', /counted from 1/, /1 for the first/],
  ['tags.a', /"tags" has no parts/, /Leave out "a"/],
  ['filters.holdout_groups.0', /may be a name or a number/, /JSON pointer/],
  ['version', /computes "version"/, /active/],
  [
    'conditions.1.rollout',
    /"condition" has no part "rollout" \(in "conditions\.1\.rollout"\)/,
    /Did you mean "rollout_p/,
  ],
  ['xyzzy', /^A flag has no part "xyzzy"\.$/, /Write "description", .* or a JSON pointer/],
  ['fields', /names no field/, /archived/],
])('%s', (text, message, remedy) => {
  const parsed = parseFieldPath(text);
  if (!('problem' in parsed)) throw new Error('names a place');
  const words = explainFieldPath(text, parsed.problem);
  expect(words.message).toMatch(message);
  expect(words.remedy).toMatch(remedy);
});
