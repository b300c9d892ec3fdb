/** docs/security.md: every test that it names exists. */

import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const root = path.join(import.meta.dirname, '../..');
const text = readFileSync(path.join(root, 'docs/security.md'), 'utf8');
const names = new Set(
  [...text.matchAll(/`([a-z]+(?:\/[a-z-]+)*\/(?:[a-z-]+(?:\.test)?\.ts)?)`/g)].map((found) => found[1] ?? ''),
);

test.each([...names])('%s is in test/', (name) => {
  expect(existsSync(path.join(root, 'test', name))).toBe(true);
});

test('docs/security.md names the test of each promise', () => expect(names.size).toBeGreaterThan(20));
