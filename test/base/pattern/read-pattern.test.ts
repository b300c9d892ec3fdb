import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { inAnyCase } from '../../../src/base/pattern/characters.ts';
import { findPattern, readPattern, UNKNOWN } from '../../../src/base/pattern/read-pattern.ts';

interface ReferenceCase {
  readonly pattern: string;
  readonly invalid?: true;
  readonly found?: readonly string[];
  readonly absent?: readonly string[];
  /** The engine ended with an error after 10,000 steps back. */
  readonly gaveUp?: readonly string[];
}

/** Answers of fancy-regex 0.17.0 with a backtrack limit of 10,000, about patterns of people and random ones of a grammar. */
const CASES = readFileSync(new URL('reference.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as ReferenceCase);

describe("against the service's engine", () => {
  it('a pattern that is known or invalid here is the same there', () => {
    const claims = CASES.filter(({ pattern }) => readPattern(pattern).kind !== 'unknown');
    const wrong = claims.filter(
      ({ pattern, invalid = false }) => (readPattern(pattern).kind === 'invalid') !== invalid,
    );
    expect(wrong).toEqual([]);
  });

  it('an answer is the same there', () => {
    const wrong = CASES.flatMap(({ pattern, found = [], absent = [], gaveUp = [] }) => {
      const read = readPattern(pattern);
      if (read.kind !== 'known') return [];
      const differs = (expected: boolean) => (text: string) =>
        ![expected, UNKNOWN].includes(findPattern(read, text) ?? '');
      const given = gaveUp.filter((text) => findPattern(read, text) !== UNKNOWN);
      return [...found.filter(differs(true)), ...absent.filter(differs(false)), ...given].map((text) => ({
        pattern,
        text,
      }));
    });
    expect(wrong).toEqual([]);
  });

  it('most patterns and texts have an answer', () => {
    const valid = CASES.filter(({ invalid }) => invalid !== true);
    const known = valid.flatMap((one) => {
      const read = readPattern(one.pattern);
      return read.kind === 'known' ? [{ ...one, read }] : [];
    });
    const texts = known.flatMap(({ read, found = [], absent = [] }) =>
      [...found, ...absent].map((text) => findPattern(read, text)),
    );
    expect(known.length / valid.length).toBeGreaterThan(0.85);
    expect(texts.filter((answer) => answer !== UNKNOWN).length / texts.length).toBeGreaterThan(0.95);
  });
});

describe('a pattern in the dialect of the service', () => {
  it.each([
    ['(?i:acme)', ['ACME', 'x acme'], ['acne']],
    ['(?i:acme)-Pro', ['ACME-Pro'], ['ACME-PRO']],
    ['a(?i)B', ['ab', 'aB'], ['AB']],
    ['[[:alpha:]]', ['a'], ['é', '1', ':']],
    ['(?x) a b # note', ['ab'], ['a b']],
    ['(?>a|ab)c', ['ac'], ['abc']],
    ['a++a', [], ['aaa']],
    ['^[a-z&&[^b]]$', ['a'], ['b', '&']],
    ['^[\\w--\\d]$', ['a', '_', 'é'], ['1']],
    ['^\\d$', ['1', '٣'], ['a']],
    ['\\bé', ['é', '-é'], ['aé']],
    ['a.b', ['a\rb', 'a\u2028b'], ['a\nb']],
    ['a$', ['a'], ['a\n']],
    ['a\\Z', ['a\n'], ['a b']],
    ['^\\h+$', ['c0ffee'], ['tea']],
    ['(?i)^straße$', ['STRASSE'.replace('SS', 'ẞ')], ['STRASSE']],
    ['(?i)k', ['\u212a'], ['x']],
    ['^a{,2}$', ['', 'aa'], ['aaa']],
    ['a{|b', ['a{', 'b'], ['a']],
    ['(?<=a+)b', ['aab'], ['b']],
    ['(?P<n>a|b)(?P=n)', ['aa'], ['ab']],
    ['^.$', ['😀'], ['ab']],
    ['\\B$', ['é!'], ['k😀z']],
    ['(?:[^b]a)+', ['xa'], ['ba']],
    ['(?U)^a+$', ['aa'], ['ab']],
  ])('%s has the answers of the service', (pattern, found, absent) => {
    const read = readPattern(pattern);
    expect(read.kind).toBe('known');
    expect(found.map((text) => findPattern(read, text))).toEqual(found.map(() => true));
    expect(absent.map((text) => findPattern(read, text))).toEqual(absent.map(() => false));
  });

  it.each([
    ['\\Ka', '\\K is not translated'],
    ['(?(1)a|b)', '(?(1 is not translated'],
    ['(?:)*', 'the repetition of an empty part is not translated'],
    ['(a(?i)b)c', 'a flag that is set within a group is not translated'],
    ['(a)|b\\1', 'a reference to a group that may take no part is not translated'],
    ['(?i)(a)\\1', 'a reference that ignores case is not translated'],
    ['\\p{greek}', '\\p{greek} is not translated'],
    ['\\w{500}', 'it is so large that the service may refuse it'],
    ['a'.repeat(1001), 'it has more than 1000 characters'],
    ['(?<=(?=a)b*)c', 'such a look-behind of different lengths is not translated'],
  ])('%s is unknown: %s', (pattern, reason) => {
    expect(readPattern(pattern)).toEqual({ kind: 'unknown', reason });
    expect(findPattern(readPattern(pattern), 'a')).toBe(UNKNOWN);
  });

  it.each([
    ['(', 'unterminated group'],
    ['a)', "unmatched ')'"],
    ['[a', 'a class is not closed'],
    ['[z-a]', 'range out of order in character class'],
    ['*a', 'nothing to repeat'],
    ['a**', 'nothing to repeat'],
    ['a+++', 'nothing to repeat'],
    ['a{2,1}', 'numbers out of order in {} quantifier'],
    ['(?P<n>a', 'unterminated group'],
    ['(?P<n', 'the name of a group is not closed'],
    ['(?P<a>x)(?P=b)', 'no group before it has the name b'],
    ['\\2(a)', 'a reference names no group'],
    ['(?z)a', 'a flag is unknown'],
    ['(?a)a', 'a flag is unknown'],
    ['(?)a', 'flags are missing'],
    ['(?#note', 'a comment is not closed'],
    ['\\Qa\\E', 'the escape \\Q is unknown'],
    ['\\xzz', 'a hexadecimal escape is wrong'],
    ['\\x{D800}', 'a hexadecimal escape is no character'],
    ['\\p{L', 'a \\p{ is not closed'],
    ['a\\', 'it ends with a backslash'],
  ])('%s is invalid: %s', (pattern, reason) => {
    expect(readPattern(pattern)).toEqual({ kind: 'invalid', reason });
    expect(findPattern(readPattern(pattern), 'a')).toBeUndefined();
  });
});

describe('an answer is unknown', () => {
  it.each([
    ['where the service may give up', '(?!x)(a+)+$', `${'a'.repeat(40)}b`],
    ['where this process gives up', '(a+)+$', `${'a'.repeat(5000)}b`],
    ["about a character that the service's tables may lack", '^\\w$', '\u088f'],
    ['about half of a surrogate pair', 'a', 'a\ud800'],
  ])('%s', (_, pattern, text) => {
    expect(readPattern(pattern).kind).toBe('known');
    expect(findPattern(readPattern(pattern), text)).toBe(UNKNOWN);
  });

  it('where Unicode has changed since: the list of new characters is complete', () => {
    expect(Number(process.versions['unicode'])).toBeLessThanOrEqual(17);
  });
});

it('case is ignored as by the engine of JavaScript, whose tables are the same', () => {
  const letters = Array.from({ length: 0xff_5b }, (_, code) => String.fromCharCode(code)).filter((one) =>
    /\p{Cased}/u.test(one),
  );
  const wrong = letters.flatMap((one) => {
    const [own, other] = [new RegExp(`^${inAnyCase(`[${one}]`)}$`, 'u'), new RegExp(`^${one}$`, 'iu')];
    const alike = [
      one,
      one.toUpperCase(),
      one.toLowerCase(),
      one.toUpperCase().toLowerCase(),
      'k',
      's',
      '\u212a',
      'ſ',
      'ı',
      'İ',
    ];
    return alike.filter((text) => own.test(text) !== other.test(text)).map((text) => [one, text]);
  });
  expect(letters.length).toBeGreaterThan(2000);
  expect(wrong).toEqual([]);
});
