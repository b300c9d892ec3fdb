import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { findPythonFault } from '../../../src/base/pattern/python.ts';

/** Patterns of people and random ones of a grammar, each with whether `re.compile` of Python 3.11 accepts it. */
const CASES = readFileSync(new URL('python.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as [pattern: string, isAccepted: boolean]);

it('the patterns that Python accepts are accepted, and no others', () => {
  expect(CASES.filter(([pattern, isAccepted]) => (findPythonFault(pattern) === undefined) !== isAccepted)).toEqual([]);
  expect(CASES.filter(([, isAccepted]) => isAccepted).length).toBeGreaterThan(400);
  expect(CASES.filter(([, isAccepted]) => !isAccepted).length).toBeGreaterThan(400);
});

it.each([
  ['a(?i)B', 'flags for the whole pattern are not at its start'],
  ['\\p{L}', 'the escape \\p is unknown'],
  ['(?<n>a)', '(?< begins a look-behind only'],
  ['(?U)a', '(?U is unknown'],
  ['^*', 'nothing to repeat'],
  ['a**', 'multiple repeat'],
  ['(?<=a|bc)d', 'a look-behind has different lengths'],
  ['(a', 'unterminated group'],
  ['\\', 'it ends with a backslash'],
])('%s is refused: %s', (pattern, fault) => {
  expect(findPythonFault(pattern)).toBe(fault);
});
