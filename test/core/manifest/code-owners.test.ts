/** Who owns a file, by the rules of GitHub and GitLab. */

import { expect, test } from 'vitest';
import { parseOwners } from '../../../src/core/manifest/code-owners.ts';

const CASES: readonly (readonly [name: string, text: string, owners: Readonly<Record<string, string>>])[] = [
  [
    'the last match wins',
    '* @all\n*.yaml @yaml\n/flags/ @flags',
    { 'flags/a.yaml': '@flags', 'b/a.yaml': '@yaml', 'b/c.ts': '@all' },
  ],
  [
    'a name without a slash is anywhere',
    'main.yaml @a',
    { 'main.yaml': '@a', 'x/y/main.yaml': '@a', 'x/amain.yaml': '' },
  ],
  ['a path is from the top', 'flags/web @a', { 'flags/web/a.yaml': '@a', 'x/flags/web/a.yaml': '', 'flags/webby': '' }],
  ['a folder is anywhere', 'flags/ @a', { 'flags/a.yaml': '@a', 'x/flags/b/a.yaml': '@a', 'xflags/a': '' }],
  ['a star is one name', 'flags/* @a', { 'flags/a.yaml': '@a', 'flags/b/a.yaml': '' }],
  [
    'two stars are any folders',
    '/a/**/c @x\n**/logs @y',
    { 'a/c/f': '@x', 'a/b/b/c/f': '@x', 'q/logs/f': '@y', 'a/d/f': '' },
  ],
  ['a pattern without owners takes them away', '* @all\n/flags/', { 'flags/a.yaml': '', 'b.ts': '@all' }],
  ['spaces and hashes are escaped', 'my\\ flags/ @a\n\\#x @b # the team', { 'my flags/a': '@a', '#x': '@b', my: '' }],
  [
    'teams, roles and addresses',
    '* @org/team.a @@owners a@b.example nonsense',
    { x: '@org/team.a @@owners a@b.example' },
  ],
  [
    'sections of GitLab count each for itself',
    '* @all\n[Flags] @growth\n/flags/\n/flags/legal.yaml @legal\n^[Docs][2] @docs\n*.md\n[flags]\n!/flags/free.yaml',
    {
      'flags/a.yaml': '@all @growth',
      'flags/legal.yaml': '@all @legal',
      'flags/free.yaml': '@all',
      'flags/README.md': '@all @growth @docs',
    },
  ],
  ['a broken file names nobody', '[\n]]]\n\\\n\u0000\ufffd@\n!\n[]( @a\n/ \n', { 'flags/a.yaml': '' }],
];

test.each(CASES)('%s', (_name, text, owners) => {
  const ownersOf = parseOwners(text);
  expect(Object.fromEntries(Object.keys(owners).map((file) => [file, ownersOf(file).join(' ')]))).toEqual(owners);
});

test('a pattern of many stars ends', () => {
  const ownersOf = parseOwners(`${'*a'.repeat(5000)}b @a\n${'**/a/'.repeat(5000)}b @b`);
  expect(ownersOf('a'.repeat(5000))).toEqual([]);
  expect(ownersOf('a/'.repeat(5000))).toEqual([]);
});
