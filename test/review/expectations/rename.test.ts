import { describe, expect, test } from 'vitest';
import { parseTests } from '../../../src/review/expectations/read.ts';
import { findFormerKeys, renameInTests } from '../../../src/review/expectations/rename.ts';

/** The text after the renames of `a` to `bee`, and of `c` to `no`, in all projects. */
function renamed(text: string): string | undefined {
  const renames = new Map([
    ['a', 'bee'],
    ['c', 'no'],
  ]);
  const keys = findFormerKeys(parseTests('tests/a.yaml', text).documents, {
    renames,
    projectsWith: () => new Set(),
    allProjects: ['main'],
  });
  return renameInTests(text, keys);
}

const PERSON = 'people: { p: { id: p } }\n';

describe('the text of a test file', () => {
  test.each([
    ['expect: [{ person: p, flags: { a: true, c: x } }]', 'expect: [{ person: p, flags: { bee: true, "no": x } }]'],
    [
      "expect: [{ person: p, flags: { 'a': { value: a } } }]",
      "expect: [{ person: p, flags: { 'bee': { value: a } } }]",
    ],
    ['expect: [{ person: p, flags: { d: true } }]', 'expect: [{ person: p, flags: { d: true } }]'],
    [
      'expect:\r\n  - person: p\r\n    flags:\r\n      # a\r\n      a: true # a\r\n',
      'expect:\r\n  - person: p\r\n    flags:\r\n      # a\r\n      bee: true # a\r\n',
    ],
    [
      'expect: [{ person: p, flags: &f { a: true } }, { person: p, projects: [main], flags: *f }]',
      'expect: [{ person: p, flags: &f { bee: true } }, { person: p, projects: [main], flags: *f }]',
    ],
    [
      'expect: [{ person: p, flags: { a: true } }]\n---\nexpect: [{ person: p, flags: { a: false } }]',
      'expect: [{ person: p, flags: { bee: true } }]\n---\nexpect: [{ person: p, flags: { bee: false } }]',
    ],
  ])('%j', (before, after) => {
    expect(renamed(PERSON + before)).toBe(PERSON + after);
  });

  test.each([
    ['has both keys', 'expect: [{ person: p, flags: { a: true, bee: true } }]'],
    ['has a key with escapes', 'expect: [{ person: p, flags: { "\\x61": true } }]'],
    ['has mistakes', 'expect: [{ person: p, flags: { a: true } }]\nexpect: []'],
    ['shares the mapping', `x: &f { a: true }\nexpect: [{ person: p, flags: *f }]`],
  ])('stays if it %s', (_why, text) => {
    expect(renamed(PERSON + text)).toBeUndefined();
  });
});
