/** What is said about a text that names no place in a flag, a cohort or an early access feature. */

import { expect, it } from 'vitest';
import { explainFieldPath } from '../../../src/posthog/names/field-path-words.ts';
import { parseFieldPath } from '../../../src/posthog/flag/model/fields.ts';

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
  [
    'typ',
    /^A flag has no part "typ"\.$/,
    /^Write "tags", (?:"[a-z_]+", ){3}"[a-z_]+" or one of \d\d more \(https:\/\/flagwright\.dev\/ownership#paths\), or a JSON pointer/,
  ],
  ['fields', /names no field/, /one of \d+ more/],
])('%s', (text, message, remedy) => {
  const parsed = parseFieldPath(text);
  if (!('problem' in parsed)) throw new Error('names a place');
  const words = explainFieldPath(text, parsed.problem);
  expect(words.message).toMatch(message);
  expect(words.remedy).toMatch(remedy);
});

it.each([
  ['cohort', '', 'Write a name such as `name` or `definition.1.2.value`.'],
  ['cohort', 'version', 'Write a field that a manifest may declare, such as `name` or `definition.1.2.value`.'],
  ['early_access', '', 'Write a name such as `stage`.'],
] as const)('the remedy of a %s for %j names a part that it has', (of, text, remedy) => {
  const problem = text === '' ? ({ kind: 'empty' } as const) : ({ kind: 'computed', field: text } as const);
  expect(explainFieldPath(text, problem, of).remedy).toBe(remedy);
});

it.each([
  ['flag', 'A flag', '/filters/holdout_groups/0'],
  ['cohort', 'A cohort', '/filters/properties/values/0/value/0'],
  ['early_access', 'An early access feature', '/stage'],
] as const)('the words for a %s are its own', (of, noun, pointer) => {
  const unknown = { kind: 'unknown', part: 'x', outer: '', known: ['name'] } as const;
  expect(explainFieldPath('x', unknown, of).message).toBe(`${noun} has no part "x".`);
  const number = { kind: 'number', part: '0', outer: 'a' } as const;
  expect(explainFieldPath('a.0', number, of).remedy).toContain(`\`${pointer}\``);
});
