/** Compiled code is kept, but only in a folder that nobody else can write to. */

import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import module from 'node:module';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeCacheFolder, type CacheSurroundings } from '../../../src/cli/session/compile-cache.ts';
import { cli } from '../../helpers/cli.ts';
import { createWorkspace } from '../../helpers/workspace.ts';

interface World {
  readonly root: string;
  readonly folder: string;
  /** Finds the folder in the surroundings. */
  readonly find: (changed?: Partial<CacheSurroundings>) => string | undefined;
}

function world(): World {
  const { root } = createWorkspace({ 'home/.keep': '', 'work/.keep': '' });
  return {
    root,
    folder: path.join(root, 'home/.cache/flagwright'),
    find: (changed = {}) =>
      makeCacheFolder({
        env: { HOME: path.join(root, 'home') },
        userId: process.geteuid?.(),
        cwd: () => path.join(root, 'work'),
        ...changed,
      }),
  };
}

describe.skipIf(process.platform === 'win32')('the folder of compiled code', () => {
  test('is private', () => {
    const { root, folder, find } = world();
    expect([find(), find()]).toEqual([folder, folder]);
    expect([folder, path.join(root, 'home/.cache')].map((name) => statSync(name).mode & 0o777)).toEqual([0o700, 0o700]);
  });

  test.each<[string, (world: World) => void]>([
    ['it can be written by others', ({ folder }) => chmodSync(folder, 0o770)],
    ['a parent can be written by others', ({ root }) => chmodSync(path.join(root, 'home'), 0o777)],
    [
      'it is a link to another private one',
      ({ root, folder }) => {
        renameSync(folder, path.join(root, 'elsewhere'));
        symlinkSync(path.join(root, 'elsewhere'), folder);
      },
    ],
    ['a folder above is a clone', ({ root }) => mkdirSync(path.join(root, 'home/.cache/.git'))],
    ['a folder above has manifests', ({ root }) => writeFileSync(path.join(root, 'home/.cache/flagwright.yaml'), '')],
  ])('is not used if %s', (_, change) => {
    const it = world();
    expect(it.find()).toBe(it.folder);
    change(it);
    expect(it.find()).toBeUndefined();
  });

  test.each<[string, (root: string) => Partial<CacheSurroundings>]>([
    ['it is of another user', () => ({ userId: 4711 })],
    ['the system has no users', () => ({ userId: undefined })],
    [
      'Node.js is told to keep none',
      (root) => ({ env: { HOME: path.join(root, 'home'), NODE_DISABLE_COMPILE_CACHE: '1' } }),
    ],
    ['coverage is measured', (root) => ({ env: { HOME: path.join(root, 'home'), NODE_V8_COVERAGE: '/x' } })],
    ['a runner of CI runs it', (root) => ({ env: { HOME: path.join(root, 'home'), CI: 'true' } })],
    [
      'the working directory is gone',
      () => ({
        cwd: () => {
          throw new Error('ENOENT');
        },
      }),
    ],
    ['it is below the working directory', (root) => ({ cwd: () => root })],
    ['the home is the working directory', (root) => ({ cwd: () => path.join(root, 'home') })],
    ['the home is not known', () => ({ env: {} })],
    ['the cache of the user has no absolute name', () => ({ env: { XDG_CACHE_HOME: 'cache' } })],
    ['its place is a file', (root) => ({ env: { HOME: path.join(root, 'work/.keep') } })],
    ['its place is too long', () => ({ env: { HOME: `/${'x'.repeat(5000)}` } })],
    ['its place is a loop', (root) => ({ env: { XDG_CACHE_HOME: path.join(root, 'loop') } })],
    ['its place is not there', () => ({ env: { XDG_CACHE_HOME: '/proc/nowhere' } })],
  ])('is neither used nor made if %s', (_, change) => {
    const { root, folder, find } = world();
    symlinkSync('loop', path.join(root, 'loop'));
    expect(find(change(root))).toBeUndefined();
    expect(existsSync(folder)).toBe(false);
    find();
    expect(find(change(root))).toBeUndefined();
  });

  test('follows no relative XDG_CACHE_HOME, takes an absolute one, and is made where CI is empty', () => {
    const { root, folder, find } = world();
    const env = { HOME: path.join(root, 'home') };
    expect(find({ env: { ...env, XDG_CACHE_HOME: 'cache', CI: '' } })).toBe(folder);
    expect(find({ env: { ...env, XDG_CACHE_HOME: root } })).toBe(path.join(root, 'flagwright'));
  });

  test.each(['.git', '.hg', '.jj', '.svn'])(
    'is made neither in a home that does not exist nor in a checkout with %s',
    (name) => {
      const { root, find } = world();
      expect(find({ env: { HOME: path.join(root, 'nowhere') } })).toBeUndefined();
      mkdirSync(path.join(root, 'home', name));
      expect(find()).toBeUndefined();
      expect([existsSync(path.join(root, 'nowhere')), readdirSync(path.join(root, 'home'))]).toEqual([
        false,
        [name, '.keep'].toSorted(),
      ]);
    },
  );

  test('has the code of a run where Node.js keeps any, and is not made where it keeps none', async () => {
    const { root: cwd } = createWorkspace({ 'flags/a.yaml': 'flags:\n  a: { active: true }\n' });
    const { root: home } = createWorkspace({});
    for (let run = 0; run < 2; run += 1)
      expect(await cli(['validate'], { cwd, env: { HOME: home } })).toMatchObject({ code: 0 });
    const folder = path.join(home, '.cache/flagwright');
    expect(existsSync(folder) && readdirSync(folder).length > 0).toBe('enableCompileCache' in module);
  });
});
