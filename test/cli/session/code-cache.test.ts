/** Compiled code is kept and used again, but only from a folder that nobody else can write to. */

import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { openCodeCache, type CacheSurroundings } from '../../../src/cli/session/code-cache.ts';
import { createWorkspace } from '../../helpers/workspace.ts';

/** Of one length: V8 takes the compiled code of either for the other, which shows whether an entry was used. */
const ONE = 'module.exports = "one";';
const TWO = 'module.exports = "two";';

interface World {
  readonly root: string;
  /** The folder of the cache, and the one entry in it. */
  readonly folder: string;
  readonly entry: () => string;
  /** Runs a program of one file in the surroundings. */
  readonly run: (text: string, changed?: Partial<CacheSurroundings>) => unknown;
}

function world(): World {
  const { root, write } = createWorkspace({ 'home/.keep': '', 'work/.keep': '' });
  const folder = path.join(root, 'home/.cache/flagwright');
  return {
    root,
    folder,
    entry: () => path.join(folder, readdirSync(folder)[0] ?? 'none'),
    run: (text, changed = {}) => {
      write('program/program.js', text);
      const program = { folder: path.join(root, 'program'), digest: 'd', part: 'plan' };
      const cache = openCodeCache(
        { ...program, requireBuiltin: createRequire(import.meta.url) },
        {
          env: { HOME: path.join(root, 'home') },
          userId: process.geteuid?.(),
          cwd: path.join(root, 'work'),
          engine: 'node-x64',
          process: '1-1',
          ...changed,
        },
      );
      const { exports } = { exports: cache.load('./program.js') };
      cache.keep();
      return exports;
    },
  };
}

describe.skipIf(process.platform === 'win32')('the code cache', () => {
  test('is private, and what it holds is executed', () => {
    const { root, folder, entry, run } = world();
    expect(run(ONE)).toBe('one');
    expect([folder, path.join(root, 'home/.cache'), entry()].map((name) => statSync(name).mode & 0o777)).toEqual([
      0o700, 0o700, 0o600,
    ]);
    expect(run(TWO)).toBe('one');
  });

  test.each<[string, (world: World) => void]>([
    ['the folder can be written by others', ({ folder }) => chmodSync(folder, 0o770)],
    ['a parent can be written by others', ({ root }) => chmodSync(path.join(root, 'home'), 0o777)],
    ['the entry can be written by others', ({ entry }) => chmodSync(entry(), 0o666)],
    [
      'the entry is a link',
      ({ root, entry }) => {
        const name = entry();
        renameSync(name, path.join(root, 'moved'));
        symlinkSync(path.join(root, 'moved'), name);
      },
    ],
    ['the entry is no entry', ({ entry }) => writeFileSync(entry(), 'nothing')],
    ['the code is no code', ({ entry }) => writeFileSync(entry(), '[["./program.js",4,0]]\nnone')],
    [
      'a byte of the code is damaged',
      ({ entry }) => {
        const content = readFileSync(entry());
        const at = content.length - 40;
        content[at] = (content[at] ?? 0) ^ 1;
        writeFileSync(entry(), content);
      },
    ],
    [
      'the folder is a link to another private one',
      ({ root, folder }) => {
        renameSync(folder, path.join(root, 'elsewhere'));
        symlinkSync(path.join(root, 'elsewhere'), folder);
      },
    ],
    ['a folder above is a clone', ({ root }) => mkdirSync(path.join(root, 'home/.cache/.git'))],
    ['a folder above has manifests', ({ root }) => writeFileSync(path.join(root, 'home/.cache/flagwright.yaml'), '')],
  ])('is not used if %s', (_, change) => {
    const it = world();
    it.run(ONE);
    change(it);
    expect(it.run(TWO)).toBe('two');
  });

  test.each<[string, (root: string) => Partial<CacheSurroundings>]>([
    ['the folder is of another user', () => ({ userId: 4711 })],
    ['the system has no users', () => ({ userId: undefined })],
    [
      'Node.js is told to keep none',
      (root) => ({ env: { HOME: path.join(root, 'home'), NODE_DISABLE_COMPILE_CACHE: '1' } }),
    ],
    ['a runner of CI runs it', (root) => ({ env: { HOME: path.join(root, 'home'), CI: 'true' } })],
    ['the working directory is gone', () => ({ cwd: undefined })],
    ['the cache is below the working directory', (root) => ({ cwd: root })],
    ['the home is the working directory', (root) => ({ cwd: path.join(root, 'home') })],
    ['the home is not known', () => ({ env: {} })],
    ['another engine runs', () => ({ engine: 'other-x64' })],
  ])('is not used if %s', (_, change) => {
    const { root, run } = world();
    run(ONE);
    expect(run(TWO, change(root))).toBe('two');
  });

  test('is made neither in a home that does not exist nor in a work tree', () => {
    const { root, run } = world();
    expect(run(ONE, { env: { HOME: path.join(root, 'nowhere') } })).toBe('one');
    mkdirSync(path.join(root, 'home/.git'));
    expect(run(ONE)).toBe('one');
    expect([readdirSync(root).includes('nowhere'), readdirSync(path.join(root, 'home'))]).toEqual([
      false,
      ['.git', '.keep'],
    ]);
  });

  test('is not used if its entry has a second name, with which somebody else might keep it', () => {
    const { root, entry, run } = world();
    run(ONE);
    linkSync(entry(), path.join(root, 'second'));
    expect(run(TWO)).toBe('two');
  });

  test('writes nothing into a folder of another user', () => {
    const { folder, run } = world();
    run(ONE);
    run(TWO, { userId: 4711, engine: 'other-x64' });
    expect(readdirSync(folder)).toEqual([expect.stringContaining('node-x64')]);
  });

  test('waits for nobody where its entry is a pipe', () => {
    const { entry, run } = world();
    run(ONE);
    const name = entry();
    renameSync(name, `${name}.away`);
    execFileSync('mkfifo', [name]);
    expect(run(TWO)).toBe('two');
  });

  test.each(['.hg', '.jj', '.svn'])('is not in a checkout with %s', (name) => {
    const { root, folder, run } = world();
    mkdirSync(path.join(root, 'home', name));
    run(ONE);
    expect(existsSync(folder)).toBe(false);
  });

  test.each([
    ['NODE_V8_COVERAGE', '/x', 'two'],
    ['CI', '', 'one'],
  ])('with %s=%j is used or not: %s', (name, value, result) => {
    const { root, run } = world();
    run(ONE);
    expect(run(TWO, { env: { HOME: path.join(root, 'home'), [name]: value } })).toBe(result);
  });

  test('follows no relative XDG_CACHE_HOME, and is not written anew while it holds everything', () => {
    const { root, entry, run } = world();
    run(ONE, { env: { HOME: path.join(root, 'home'), XDG_CACHE_HOME: 'cache' } });
    const { ino } = statSync(entry());
    expect(run(TWO)).toBe('one');
    expect(statSync(entry()).ino).toBe(ino);
  });

  test('has an entry for each content, engine and part of the program, and no draft is left', () => {
    const { folder, run } = world();
    run(ONE);
    const [name = ''] = readdirSync(folder);
    expect(name).toMatch(/^d-node-x64-[\da-f]+-plan$/);
    run(TWO, { engine: 'other-x64', process: '2-2' });
    expect(readdirSync(folder).map((one) => one.split('-')[1])).toEqual(['node', 'other']);
  });

  test.each<[string, (name: string) => unknown]>([
    ['of this Node', createRequire(import.meta.url)],
    ['of one without checksums', (name) => (name === 'node:zlib' ? {} : createRequire(import.meta.url)(name))],
  ])('%s has every module once, adds those of later runs, and knows damage', (_, requireBuiltin) => {
    const { root, write } = createWorkspace({ 'home/.keep': '', 'work/.keep': '' });
    write(
      'program/a.js',
      'exports.self = require("./a.js"); exports.b = require("./b.js"); exports.sep = require("node:path").sep;',
    );
    write('program/b.js', 'module.exports = { name: __filename, n: 1 };');
    write('program/c.js', 'module.exports = require("./b.js");');
    const program = { folder: path.join(root, 'program'), digest: 'd', part: 'plan', requireBuiltin };
    const surroundings = {
      engine: 'node-x64',
      process: '1-1',
      userId: process.geteuid?.(),
      cwd: path.join(root, 'work'),
    };
    const open = () => openCodeCache(program, { ...surroundings, env: { HOME: path.join(root, 'home') } });
    const first = open();
    const a = first.load('./a.js') as { readonly self: unknown; readonly b: unknown; readonly sep: string };
    expect(a).toEqual({ self: a, b: { name: path.join(root, 'program/b.js'), n: 1 }, sep: path.sep });
    expect(a.self).toBe(a);
    expect(first.load('./b.js')).toBe(a.b);
    first.keep();
    const folder = path.join(root, 'home/.cache/flagwright');
    const filesIn = (): unknown => {
      const entry = readFileSync(path.join(folder, readdirSync(folder)[0] ?? ''), 'latin1');
      return (JSON.parse(entry.slice(0, entry.indexOf('\n'))) as [string][]).map(([file]) => file);
    };
    expect(filesIn()).toEqual(['./a.js', './b.js']);
    const second = open();
    expect(second.load('./c.js')).toMatchObject({ n: 1 });
    second.keep();
    expect(filesIn()).toEqual(['./a.js', './b.js', './c.js']);
    write('program/b.js', 'module.exports = { name: __filename, n: 2 };');
    expect(open().load('./b.js')).toMatchObject({ n: 1 });
    const entry = path.join(folder, readdirSync(folder)[0] ?? '');
    const content = readFileSync(entry);
    content[content.length - 40] = (content[content.length - 40] ?? 0) ^ 1;
    writeFileSync(entry, content);
    expect(open().load('./b.js')).toMatchObject({ n: 2 });
  });

  test('loses old drafts too, and no folder of such a name', () => {
    const { folder, entry, run } = world();
    run(ONE);
    const name = entry();
    const once = new Date(Date.now() - 31 * 24 * 3600 * 1000);
    writeFileSync(`${name}.12-34`, '');
    writeFileSync(`${name}.draft`, '');
    // It comes before those that go.
    const other = path.join(folder, 'a-node-x64-0-plan');
    mkdirSync(other);
    for (const one of [`${name}.12-34`, `${name}.draft`, other]) utimesSync(one, once, once);
    run(TWO, { engine: 'other-x64' });
    const rest = readdirSync(folder).map((one) => path.join(folder, one));
    expect(rest).toHaveLength(4);
    expect(rest).not.toContain(`${name}.12-34`);
  });

  test('stands in XDG_CACHE_HOME if there is one', () => {
    const { root, run } = world();
    run(ONE, { env: { XDG_CACHE_HOME: root } });
    expect(readdirSync(path.join(root, 'flagwright'))).toHaveLength(1);
  });

  test.each<[string, (root: string) => CacheSurroundings['env']]>([
    ['a file', (root) => ({ HOME: path.join(root, 'work/.keep') })],
    ['too long', () => ({ HOME: `/${'x'.repeat(5000)}` })],
    ['a loop', (root) => ({ XDG_CACHE_HOME: path.join(root, 'loop') })],
    ['not there', () => ({ XDG_CACHE_HOME: '/proc/nowhere' })],
  ])('changes nothing about the run if its folder is %s', (_, env) => {
    const { root, run } = world();
    symlinkSync('loop', path.join(root, 'loop'));
    expect(run(ONE, { env: env(root) })).toBe('one');
    expect(run(TWO, { env: env(root) })).toBe('two');
  });

  test('keeps files that are not its own, however old they are', () => {
    const { folder, run } = world();
    run(ONE);
    const names = ['NOTES.md', 'flagwright.txt', 'a-b-c-d-e.md'].map((name) => path.join(folder, name));
    mkdirSync(path.join(folder, 'old'));
    for (const name of names) writeFileSync(name, '');
    const once = new Date(Date.now() - 60 * 24 * 3600 * 1000);
    for (const name of [...names, path.join(folder, 'old')]) utimesSync(name, once, once);
    run(TWO, { engine: 'other-x64' });
    expect(readdirSync(folder)).toHaveLength(6);
  });

  test('loses entries that are older than 30 days when one is added', () => {
    const { folder, entry, run } = world();
    run(ONE);
    const old = entry();
    utimesSync(old, new Date(), new Date(Date.now() - 31 * 24 * 3600 * 1000));
    run(TWO, { engine: 'other-x64' });
    expect(readdirSync(folder)).toEqual([expect.stringContaining('other-x64')]);
  });
});
