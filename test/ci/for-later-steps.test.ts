/** Whether a job leaves a message for a chat and the catalog. */

import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { chdir, cwd } from 'node:process';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { askForMessage, dropQuietMessage, placeOfCatalog } from '../../ci/for-later-steps.mjs';
import { createWorkspace } from '../helpers/workspace.ts';

const before = cwd();
beforeEach(() => chdir(createWorkspace({}).root));
afterEach(() => chdir(before));

test('the message is off by default, and no other form is asked for', () => {
  writeFileSync('flag-message', 'of an earlier job\nmore\n');
  expect(askForMessage({})).toEqual([]);
  expect(existsSync('flag-message')).toBe(false);
  expect(askForMessage({ FLAG_MESSAGE: 'slack' })).toEqual(['--report', 'slack=flag-message']);
  expect(() => askForMessage({ FLAG_MESSAGE: 'html' })).toThrow(
    'FLAG_MESSAGE is "html". Use one of: message, slack, teams.',
  );
});

test('a message of one line is not left', () => {
  for (const [text, isLeft] of [
    ['In sync.\n', false],
    ['', false],
    ['Applied 1 change.\n• Wider: a\n', true],
  ] as const) {
    writeFileSync('flag-message', text);
    dropQuietMessage();
    expect(existsSync('flag-message') && text !== '').toBe(isLeft);
  }
  expect(() => dropQuietMessage()).not.toThrow();
});

test('the catalog is off by default, forgets the page of an earlier job, and knows two places', () => {
  mkdirSync('flag-catalog');
  writeFileSync('flag-catalog/index.html', 'of an earlier job');
  expect(placeOfCatalog({})).toBe('');
  expect(existsSync('flag-catalog')).toBe(false);
  expect(['', 'artifact', 'pages'].map((place) => placeOfCatalog({ FLAG_CATALOG: place }))).toEqual([
    '',
    'artifact',
    'pages',
  ]);
  expect(() => placeOfCatalog({ FLAG_CATALOG: 'Pages' })).toThrow(
    'FLAG_CATALOG is "Pages". Use one of: artifact, pages.',
  );
});
