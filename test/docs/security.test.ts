/** docs/security.md: every test that it names exists, in test/ or in the folder that it names. */

import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const root = path.join(import.meta.dirname, '../..');
const text = readFileSync(path.join(root, 'docs/security.md'), 'utf8');
const names = new Set(
  [...text.matchAll(/`([a-z]+(?:\/[a-z-]+)*\/(?:[a-z-]+(?:\.test)?\.ts)?)`/g)].map((found) => found[1] ?? ''),
);

test.each([...names])('%s exists', (name) => {
  expect([path.join('test', name), name].some((file) => existsSync(path.join(root, file)))).toBe(true);
});

test('docs/security.md names the test of each promise', () => expect(names.size).toBeGreaterThan(20));
