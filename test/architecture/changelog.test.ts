/** Changes that are not in CHANGELOG.md yet, and the script that moves them there. */

import { execFileSync } from 'node:child_process';
import { cpSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { createWorkspace, type Workspace } from '../helpers/workspace.ts';

const ROOT = path.join(import.meta.dirname, '../..');

function move({ root }: Workspace, version = ''): string {
  const args = [path.join(ROOT, 'scripts/changelog.mjs'), ...(version === '' ? [] : [version])];
  return execFileSync(process.execPath, args, { cwd: root, encoding: 'utf8', stdio: 'pipe' });
}

const CHANGELOG =
  '# Changelog\n\n## Unreleased\n\nIn short.\n\n### Additions\n\nIn CI:\n\n- `plan` comments.\n\n## 0.1.0\n\n- First.\n';

test('each change goes under its heading, a new heading comes last in its group, and the files are gone', () => {
  const workspace = createWorkspace({
    'CHANGELOG.md': CHANGELOG,
    '.changelog/README.md': '# Changes\n',
    '.changelog/a.md': '# Faster\n\n- `plan`.\n',
    '.changelog/b.md': '# In CI\n\n- `drift` comments\n  too.\n',
    '.changelog/c.md': '# On call\n\n- `off`.\n',
    '.changelog/d.md': '# For programs\n\n- `permit`.\n',
    '.changelog/e.md': '# Plain words\n\n- Help.\n',
    '.changelog/f.md': '# Mistakes no longer look like success\n\n- Keys.\n',
  });
  expect(move(workspace)).toBe('6 changes moved to CHANGELOG.md\n');
  expect(workspace.read('CHANGELOG.md').split('\n\n')).toEqual([
    '# Changelog',
    ...['## Unreleased', 'In short.'],
    ...['### Breaking changes', 'For programs:', '- `permit`.', 'Mistakes no longer look like success:', '- Keys.'],
    ...['### Additions', 'In CI:', '- `plan` comments.\n- `drift` comments\n  too.', 'On call:', '- `off`.'],
    ...['### Fixed, faster and plainer', 'Faster:', '- `plan`.', 'Plain words:', '- Help.'],
    ...['## 0.1.0', '- First.\n'],
  ]);
  expect(readdirSync(path.join(workspace.root, '.changelog'))).toEqual(['README.md']);
});

test('a release gets its version and its day, and leaves an empty section', () => {
  const workspace = createWorkspace({
    'CHANGELOG.md': CHANGELOG,
    'UPGRADING.md': '# Upgrading\n\n## From 0.1.0 to the next release\n',
    '.changelog/README.md': '# Changes\n',
  });
  move(workspace, '0.2.0');
  expect(workspace.read('UPGRADING.md')).toBe('# Upgrading\n\n## From 0.1.0 to 0.2.0\n');
  expect(workspace.read('CHANGELOG.md')).toMatch(/## Unreleased\n\n## 0\.2\.0 \(\d{4}-\d\d-\d\d\)\n\nIn short\./);
});

test('a file of another form is refused by name, and nothing is moved', () => {
  const workspace = createWorkspace({ 'CHANGELOG.md': CHANGELOG, '.changelog/x.md': 'New: something\n' });
  expect(() => move(workspace)).toThrow(/\.changelog\/x\.md: expected "# HEADING"/);
  expect(workspace.read('CHANGELOG.md')).toBe(CHANGELOG);
  expect(workspace.read('.changelog/x.md')).toBe('New: something\n');
});

test('a heading without a group is refused by name, and nothing is moved', () => {
  const workspace = createWorkspace({ 'CHANGELOG.md': CHANGELOG, '.changelog/x.md': '# News\n\n- x.\n' });
  expect(() => move(workspace)).toThrow(/\.changelog\/x\.md: no group .* has the heading "News"/);
  expect(workspace.read('CHANGELOG.md')).toBe(CHANGELOG);
});

test('the files of this repository have the form', () => {
  const workspace = createWorkspace({});
  for (const name of ['CHANGELOG.md', '.changelog'])
    cpSync(path.join(ROOT, name), path.join(workspace.root, name), { recursive: true });
  expect(move(workspace)).toMatch(/ moved to CHANGELOG\.md\n$/);
});

test('what is no version moves nothing', () => {
  const files = { 'CHANGELOG.md': CHANGELOG, '.changelog/a.md': '# Faster\n\n- `plan`.\n' };
  const workspace = createWorkspace(files);
  expect(() => move(workspace, '--help')).toThrow('--help is no version');
  expect([workspace.read('CHANGELOG.md'), workspace.read('.changelog/a.md')]).toEqual(Object.values(files));
});
