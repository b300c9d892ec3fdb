/** The workflows of this repository itself: which code of others they run, and what they keep between runs. */

import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const FOLDER = path.join(import.meta.dirname, '../../.github/workflows');
const FILES = readdirSync(FOLDER);
const read = (file: string): string => readFileSync(path.join(FOLDER, file), 'utf8');

test.each(FILES)('%s names each action by its hash, with its version beside it', (file) => {
  const used = read(file).match(/uses: .*/g) ?? [];
  expect(used.length).toBeGreaterThan(0);
  expect(used.filter((line) => !/@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line))).toEqual([]);
});

test.each(FILES)('%s leaves no token in its checkouts', (file) => {
  const text = read(file);
  expect(text.match(/persist-credentials: false/g)?.length).toBe(text.match(/uses: actions\/checkout@/g)?.length);
});

test('the workflow that publishes takes nothing from a cache', () => {
  expect(read('publish.yml')).not.toMatch(/^\s*(?:with:.*)?\bcache\b/m);
});
