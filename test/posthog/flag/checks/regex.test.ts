/** A regular expression of the service is checked with JavaScript's engine. */

import { describe, expect, it } from 'vitest';
import { regexProblem } from '../../../../src/posthog/flag/checks/operators.ts';

describe('regular expressions of the service', () => {
  // Each is valid in Rust or in Python; JavaScript alone refuses most.
  it.each([
    '',
    '^a.*$',
    '(?:a)',
    '(?<name>a)\\k<name>',
    '(?i)a',
    '(?ms)a',
    '(?aiLmsux)a',
    '(?RU)a',
    '(?i-m)a',
    '(?i-msx)a',
    '(?-u)a',
    '(?-imsRUx)a',
    '(?i)a|(?m)b',
    '(?i:a)',
    '(?is:a)',
    '(?i-s:a)',
    '(?i-sx:a)',
    '(?-i:a)',
    '(?i:a)(?m:b)',
    '(?P<name>a)',
    '(?P<a>x)(?P<b>y)',
    '(?P<name>a)(?P=name)',
    '(?P<a>x)(?P<bc>y)(?P=a)(?P=bc)',
    '(?>ab)c',
    '(?>a)(?>b)',
    '(?#note)a',
    '(?#)a',
    '(?#x)a(?#y)b',
    'a++',
    'a*+b',
    'a?+',
    'a{2,3}+',
    'a++b*+c?+',
    '[a-z]++',
    '\\(?i\\)',
  ])('%s is valid', (pattern) => {
    expect(regexProblem(pattern)).toBeUndefined();
  });

  it.each([
    ['(', 'unterminated group'],
    ['a)', "unmatched ')'"],
    ['[z-a]', 'range out of order in character class'],
    ['*a', 'nothing to repeat'],
    ['a**', 'nothing to repeat'],
    ['a+++', 'nothing to repeat'],
    ['a{2,1}', 'numbers out of order in {} quantifier'],
    ['(?P<name>a', 'unterminated group'],
    ['(?P<a>x)(?P<a>y)', 'duplicate capture group name'],
    ['(?P<a>x)(?P=b)', 'invalid named capture referenced'],
    ['(?P<a>x)(?P=a', 'invalid group'],
    ['(?z)a', 'invalid group'],
    ['(?z:a)', 'invalid group'],
    ['(?)a', 'invalid group'],
    ['(?-)a', 'invalid group'],
    ['(?i-)a', 'invalid group'],
    ['(?i', 'invalid group'],
    ['(?P>a)', 'invalid group'],
    ['(?#note', 'invalid group'],
    ['(?~a)', 'invalid group'],
    // The message has the reason, not the pattern.
    ['a: (b: c', 'unterminated group'],
  ])('%s is invalid: %s', (pattern, problem) => {
    expect(regexProblem(pattern)).toBe(problem);
  });
});
