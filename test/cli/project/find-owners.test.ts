/** Where the owners of files are read. */

import { symlinkSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { readOwners } from '../../../src/cli/project/find-owners.ts';
import { createWorkspace } from '../../helpers/workspace.ts';

const ownersIn = async (files: Readonly<Record<string, string>>): Promise<readonly string[] | undefined> =>
  (await readOwners(createWorkspace(files).root))?.('flags/a.yaml');

test.each<[what: string, files: Readonly<Record<string, string>>, owners: readonly string[] | undefined]>([
  ['nowhere', {}, []],
  ['in the folder of GitHub first', { '.github/CODEOWNERS': '* @a\n', CODEOWNERS: '* @b\n' }, ['@a']],
  ['at the top before the documents', { CODEOWNERS: '* @b\n', 'docs/CODEOWNERS': '* @c\n' }, ['@b']],
  ['in the folder of GitLab', { '.gitlab/CODEOWNERS': '* @d\n' }, ['@d']],
  ['in the first of them, also where that is empty', { '.github/CODEOWNERS': '', CODEOWNERS: '* @b\n' }, []],
  [
    'in the first of them, also where that is a folder',
    { '.github/CODEOWNERS/x': '', CODEOWNERS: '* @b\n' },
    undefined,
  ],
  ['in a list of 3 MB', { CODEOWNERS: `* @a\n${'#'.repeat(2_999_994)}\n` }, ['@a']],
  ['in no larger one', { CODEOWNERS: `* @a\n${'#'.repeat(2_999_995)}\n` }, undefined],
])('%s', async (_what, files, owners) => {
  expect(await ownersIn(files)).toEqual(owners);
});

test('not behind a link, which may lead out of the repository', async () => {
  const { root } = createWorkspace({ others: '* @a\n' });
  symlinkSync(path.join(root, 'others'), path.join(root, 'CODEOWNERS'));
  expect(await readOwners(root)).toBeUndefined();
});
