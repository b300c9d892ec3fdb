import { chmod, mkdir, mkdtemp, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { FlagwrightError } from '../../../src/base/errors.ts';
import { loadDesired } from '../../../src/posthog/manifests/load.ts';
import { readManifests } from '../../../src/posthog/manifests/manifests.ts';
import { PRODUCTION } from './check.ts';
import { asOrdinaryUser } from '../../helpers/ordinary-user.ts';

let root = '';
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'flagwright-'));
});
afterEach(async () => {
  await rm(root, { recursive: true, force: true });
});

async function write(files: Readonly<Record<string, string | Uint8Array>>): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, name)), { recursive: true });
    await writeFile(join(root, name), content);
  }
}

async function read(...patterns: string[]): Promise<{ files: string[]; problems: string[] }> {
  const { files, diagnostics } = await readManifests({
    root,
    patterns: patterns.length > 0 ? patterns : ['flags/**/*.yaml'],
  });
  return {
    files: files.map(({ file, complete }) => (complete ? file : `${file} (incomplete)`)),
    problems: diagnostics.map(({ code, place }) => `${code} ${place?.file ?? ''}`),
  };
}

describe('finding files', () => {
  it('finds exactly the files that the patterns match, sorted', async () => {
    await write({ 'flags/b.yaml': '', 'flags/a/c.yaml': '', 'flags/a.yml': 'x: [', 'other.yaml': 'x: [' });
    expect(await read()).toEqual({ files: ['flags/a/c.yaml', 'flags/b.yaml'], problems: [] });
    expect(await read('./flags/b.yaml', join(root, 'flags/a/*.yaml'))).toEqual({
      files: ['flags/a/c.yaml', 'flags/b.yaml'],
      problems: [],
    });
  });

  it('reports patterns without a match and named files that do not exist', async () => {
    await write({ 'flags/a.yaml': '' });
    expect(await read('nothing/**/*.yaml')).toEqual({ files: [], problems: ['manifests-none '] });
    expect(await read('flags/a.yaml', 'flags/b.yaml')).toEqual({
      files: ['flags/a.yaml'],
      problems: ['file-unreadable flags/b.yaml'],
    });
  });

  it('does not follow cyclic links', async () => {
    await write({ 'flags/a.yaml': '', 'flags/deep/b.yaml': '' });
    await symlink('.', join(root, 'flags/again'));
    await symlink('..', join(root, 'flags/deep/up'));
    expect((await read()).files).toContain('flags/a.yaml');
  });

  it('reports dangling links and what is not a file', async () => {
    await write({ 'flags/a.yaml': '' });
    await symlink(join(root, 'gone.yaml'), join(root, 'flags/gone.yaml'));
    await symlink(join(root, 'gone.txt'), join(root, 'flags/gone.txt'));
    await symlink('circle.yaml', join(root, 'flags/circle.yaml'));
    const socket = createServer().listen(join(root, 'flags/socket.yaml'));
    await once(socket, 'listening');
    onTestFinished(() => void socket.close());
    expect((await read()).problems).toEqual([
      'file-unreadable flags/circle.yaml',
      'file-unreadable flags/gone.yaml',
      'file-unreadable flags/socket.yaml',
    ]);
  });

  it('never leaves the folder, by a pattern or a symbolic link', async () => {
    await write({ 'outside.yaml': 'flags: {}', 'inner/flags/a.yaml': '' });
    await symlink(join(root, 'outside.yaml'), join(root, 'inner/flags/link.yaml'));
    root = join(root, 'inner');
    expect(await read('../*.yaml')).toEqual({ files: [], problems: ['file-outside '] });
    expect(await read()).toEqual({
      files: ['flags/a.yaml', 'flags/link.yaml (incomplete)'],
      problems: ['file-outside flags/link.yaml'],
    });
    root = dirname(root);
  });
});

describe('a folder that cannot be read', () => {
  it('is an error, not an empty folder', async () => {
    await write({ 'flags/a.yaml': '' });
    await symlink('loop', join(root, 'flags/loop'));
    await symlink('loop', join(root, 'loop'));
    expect((await read('loop/**/*.yaml')).problems).toEqual(['file-unreadable loop']);
  });

  it('is an error when permission is denied', async () => {
    await write({ 'flags/a.yaml': '', 'flags/secret/b.yaml': '' });
    await chmod(join(root, 'flags/secret'), 0o000);
    const found = await asOrdinaryUser(root, () => read());
    expect(found).toEqual({ files: ['flags/a.yaml'], problems: ['file-unreadable flags/secret'] });
    await chmod(join(root, 'flags/secret'), 0o700);
  });
});

describe('a file', () => {
  it('that is not UTF-8 is refused, one with a byte order mark is not', async () => {
    await write({
      'flags/a.yaml': Buffer.from('flags: { é: 1 }', 'latin1'),
      'flags/b.yaml': Buffer.from('\ufeffflags: {}'),
    });
    expect(await read()).toEqual({
      files: ['flags/a.yaml (incomplete)', 'flags/b.yaml'],
      problems: ['file-not-utf8 flags/a.yaml'],
    });
  });

  it('of 50 GB is not read', async () => {
    await write({ 'flags/a.yaml': 'flags: {}\n' });
    await truncate(join(root, 'flags/a.yaml'), 50_000_000_000);
    expect(await read()).toEqual({ files: ['flags/a.yaml (incomplete)'], problems: ['file-too-large flags/a.yaml'] });
  });

  it('that is a dangling link is an error', async () => {
    await write({ 'flags/a.yaml': '' });
    await symlink('missing', join(root, 'flags/b.yaml'));
    expect((await read('flags/b.yaml')).problems).toEqual(['file-unreadable flags/b.yaml']);
  });
});

describe('loading the desired state', () => {
  const load = () =>
    loadDesired({ root, patterns: ['flags/*.yaml'], project: PRODUCTION, allProjects: ['production'] });

  it('returns the state with the warnings', async () => {
    await write({ 'flags/a.yaml': 'flags: { a: {} }\nrole_access: { support: ["b*"] }\n' });
    const { desired, warnings } = await load();
    expect(desired.flags.map(({ key }) => key)).toEqual(['a']);
    expect(warnings.map(({ code }) => code)).toEqual(['role-glob-matches-nothing']);
  });

  it('throws one error with all diagnostics of all files', async () => {
    await write({
      'flags/a.yaml': 'flags: { a: { activ: 1 } }',
      'flags/b.yaml': 'flags: { b: { only_in: [x] } }',
      'flags/c.yaml': '[',
    });
    const error = await load().catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(FlagwrightError);
    expect(error).toMatchObject({ code: 'manifest_invalid', message: '3 errors in 3 files.' });
    expect((error as FlagwrightError).diagnostics.map(({ code }) => code)).toEqual([
      'property-unknown',
      'project-unknown',
      'yaml-syntax',
    ]);
  });

  it('reports a thousand mistakes in a hundred files, sorted, in one run', async () => {
    const lines = (name: string): string[] =>
      Array.from({ length: 10 }, (_, index) => `  f-${name}-${index}: { rollout_percentage: 101 }\n`);
    const names = Array.from({ length: 100 }, (_, index) => String(index).padStart(3, '0'));
    await write(Object.fromEntries(names.map((name) => [`flags/${name}.yaml`, `flags:\n${lines(name).join('')}`])));
    const error = (await load().catch((caught: unknown) => caught)) as FlagwrightError;
    const places = error.diagnostics.map(({ place }) => `${place?.file}:${String(place?.line).padStart(4, '0')}`);
    expect(error.diagnostics).toHaveLength(1000);
    expect(places).toEqual(places.toSorted());
    expect(new Set(error.diagnostics.map(({ code }) => code))).toEqual(new Set(['value-out-of-range']));
  });
});
