import { describe, expect, test } from 'vitest';
import { createSearch, testInTime } from '../../src/base/search-regex.ts';
import { matchesProperty } from '../../src/evaluation/match-property.ts';

const SLOW = `${'a'.repeat(5000)}!`;

describe('a malicious pattern', () => {
  test.each([
    '(a|a)*b',
    '(?:a|aa)+$',
    'a*a*a*a*a*b',
    '(a|a)*(?=c)b',
    '^(([a-z])+.)+[A-Z]([a-z])+$',
    '(a{1,50}){1,50}b',
  ])('is given up, and is not tried again: %s', (pattern) => {
    let tries = 0;
    const search = createSearch((regex, text) => {
      tries += 1;
      return testInTime(regex, text);
    });
    for (let times = 0; times < 3; times += 1) expect(search(new RegExp(pattern, 'u'), SLOW)).toBeUndefined();
    expect(tries).toBe(1);
  });

  test.each(['regex', 'not_regex'])('has no known answer: %s', (operator) => {
    const context = { generation: 'rust-2026', now: new Date(), timeZone: 'UTC' } as const;
    const property = { key: 'name', type: 'person', operator, value: '(a|a)*b' } as const;
    expect(matchesProperty(property, { name: SLOW }, context)).toBe('unknown');
  });
});

test.each([
  ['a', 'a', true],
  ['^.+@(acme|example)\\.com$', 'ada@acme.com', true],
  ['(\\.[a-z]+)+$', 'a.b.c', true],
  ['(\\.[a-z]+)+$', 'a.b.1', false],
  ['a+b+c+d+', 'aabbccdd'.repeat(50), true],
])('%s in %s: %s', (pattern, text, found) => {
  const search = createSearch((regex, searched) => testInTime(regex, searched, 100_000));
  expect(search(new RegExp(pattern, 'u'), text)).toBe(found);
});
