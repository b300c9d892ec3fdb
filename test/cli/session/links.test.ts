/** No write leaves the folder of its path through a symbolic link. */

import { realpathSync, symlinkSync } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { isBelow, refuseLinkOut, resolveReal } from '../../../src/cli/session/files.ts';
import { createWorkspace } from '../../helpers/workspace.ts';

test.each([
  ['/w', '/w/a', true],
  ['/w', '/w', true],
  ['/w', '/w/..a', true],
  ['/w', '/w/..a/b', true],
  ['/w', '/', false],
  ['/w/x', '/w', false],
  ['/w', '/x', false],
  ['/w', '/wx', false],
])('below %s is %s: %s', (root, target, below) => {
  expect(isBelow(root, target)).toBe(below);
});

test('a path that does not exist yet is where its folder is, and a link to nothing is nowhere', async () => {
  const { root } = createWorkspace({ 'real/a': '' });
  const real = realpathSync(root);
  const inside = (...names: string[]): string => path.join(root, ...names);
  symlinkSync('real', inside('link'));
  symlinkSync('nothing', inside('broken'));
  expect(await resolveReal(inside('link', 'a'))).toBe(path.join(real, 'real', 'a'));
  expect(await resolveReal(inside('link', 'new', 'b'))).toBe(path.join(real, 'real', 'new', 'b'));
  expect(await resolveReal(inside('broken'))).toBeUndefined();
  expect(await resolveReal(inside('broken', 'b'))).toBeUndefined();
});

test('a path below the folder that leads out of it is refused, and one that the user chose outside is not', async () => {
  const outside = createWorkspace({ a: '' });
  const { root } = createWorkspace({ 'real/a': '' });
  const inside = (...names: string[]): string => path.join(root, ...names);
  symlinkSync(outside.root, inside('away'));
  symlinkSync('real', inside('link'));
  symlinkSync('nothing', inside('broken'));
  for (const target of [inside('real/a'), inside('link/new'), inside('new'), path.join(outside.root, 'a')])
    await refuseLinkOut(root, target);
  for (const target of ['away/a', 'away/new', 'broken'])
    await expect(refuseLinkOut(root, inside(target))).rejects.toMatchObject({
      code: 'file',
      message: `Cannot write ${target}: a symbolic link points outside its folder.`,
      remedy: `Check where it points, and remove it. flagwright follows no link out of ${root}.`,
    });
  // The folder itself may be a link.
  const link = path.join(outside.root, 'project');
  symlinkSync(root, link);
  await refuseLinkOut(link, path.join(link, 'new'));
});

test('a folder that another project of the run makes meanwhile is no link', async () => {
  const { root } = createWorkspace({});
  const makeLater = async (folder: string, waits: number): Promise<void> => {
    for (let wait = 0; wait < waits; wait += 1) await stat(root);
    await mkdir(folder);
  };
  const found = Array.from({ length: 500 }, async (_, at) => {
    const folder = path.join(root, String(at));
    const [real] = await Promise.all([resolveReal(path.join(folder, 'a.db')), makeLater(folder, at % 5)]);
    return real;
  });
  expect((await Promise.all(found)).filter((real) => real === undefined)).toEqual([]);
});
