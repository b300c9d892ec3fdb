/** docs/security/promises.md: each promise names its test, which exists in test/ or in the folder that it names. */

import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const root = path.join(import.meta.dirname, '../..');
const text = readFileSync(path.join(root, 'docs/security/promises.md'), 'utf8');
const NAME = /`([a-z]+(?:\/[a-z-]+)*\/(?:[a-z-]+(?:\.test)?\.ts)?)`/g;
const names = new Set([...text.matchAll(NAME)].map((found) => found[1] ?? ''));

test.each([...names])('%s exists', (name) => {
  expect([path.join('test', name), name].some((file) => existsSync(path.join(root, file)))).toBe(true);
});

test('each promise and each bound names a test', () => {
  const promises = text.split(/\n(?=- |\| |\n)/).filter((part) => /^(?:- |\| (?!what |-))/.test(part));
  expect(promises.length).toBeGreaterThan(60);
  expect(promises.filter((promise) => promise.match(NAME) === null)).toEqual([]);
});
