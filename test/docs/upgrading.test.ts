/** UPGRADING.md has a section for each release, and the versions of formats that the code has. */

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { PLAN_FORMAT_VERSION } from '../../src/core/engine/plan-document.ts';
import { JOURNAL_FORMAT_VERSION } from '../../src/loop/journal/record.ts';
import { SNAPSHOT_FORMAT_VERSION } from '../../src/posthog/snapshot-file/snapshot-file.ts';

const text = readFileSync('UPGRADING.md', 'utf8');

test('each release but the first has a section', () => {
  const changelog = readFileSync('CHANGELOG.md', 'utf8');
  const releases = [...changelog.matchAll(/^## (\d\S*)/gm)].map(([, version = '']) => version);
  const [unreleased = ''] = /^## Unreleased\n[^]*?(?=^## )/m.exec(changelog) ?? [];
  const versions = [...(unreleased.trim() === '## Unreleased' ? [] : ['the next release']), ...releases];
  const expected = versions.slice(0, -1).map((version, index) => `From ${versions[index + 1]} to ${version}`);
  expect([...text.matchAll(/^## (From .*)$/gm)].map(([, heading]) => heading)).toEqual(expected);
});

test('the table has the formats that a later run reads', () => {
  expect([...text.matchAll(/^\| (.+?) +\| (\d+\.\d+) +\|/gm)].map(([, name, version]) => [name, version])).toEqual([
    ['saved plan', PLAN_FORMAT_VERSION],
    ['journal of a run', JOURNAL_FORMAT_VERSION],
    ['snapshot of the live state', SNAPSHOT_FORMAT_VERSION],
  ]);
});
