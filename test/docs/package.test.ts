/**
 * The package that npm would publish: it is small, and it has no source maps without sources, and no links to files that it lacks, except
 * pictures, which the site has.
 */

import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { BUNDLED } from '../../scripts/bundled-packages.mjs';

const ROOT = path.join(import.meta.dirname, '../..');
const packed = spawnSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: ROOT, encoding: 'utf8' });
const [{ files, unpackedSize }] = JSON.parse(packed.stdout) as [{ files: { path: string }[]; unpackedSize: number }];
const FILES = files.map((file) => file.path);
const read = (file: string): string => readFileSync(path.join(ROOT, file), 'utf8');

describe('the package', () => {
  test('has the command, the library with its types, and the files that its documentation describes', () => {
    expect(FILES).toEqual(
      expect.arrayContaining([
        'dist/cli/bin.js',
        'dist/index.js',
        'dist/index.d.ts',
        'docs/library.md',
        'examples/quickstart/flagwright.yaml',
        'schemas/manifest.schema.json',
        'README.md',
        'LICENSE',
      ]),
    );
  });

  test('has at most 5 MB in 452 files, beside the list of changes, which grows with each release', () => {
    expect(FILES.length).toBeLessThanOrEqual(452);
    expect(unpackedSize - Buffer.byteLength(read('CHANGELOG.md'))).toBeLessThanOrEqual(5_000_000);
  });

  test('needs one small package, and libsql for the embedded service', () => {
    const { dependencies, optionalDependencies } = JSON.parse(read('package.json'));
    expect([Object.keys(dependencies), Object.keys(optionalDependencies)]).toEqual([['yauzl'], ['libsql']]);
  });

  test('has the licence of each package whose code it has', () => {
    const licences = read('dist/cli/LICENSES.txt');
    const { packages } = JSON.parse(read('package-lock.json')) as {
      packages: Readonly<Record<string, { version: string; license: string }>>;
    };
    for (const name of BUNDLED) {
      const { version, license } = packages[`node_modules/${name}`] ?? { version: '', license: '' };
      expect(licences).toContain(`${name} ${version} (${license})\n\n`);
    }
  });

  test('has no file that only the repository needs', () => {
    expect(FILES.filter((file) => /^(src|service|test|bench|scripts|\.)/.test(file))).toEqual([]);
  });

  test('has no source maps, since it has no sources', () => {
    const scripts = FILES.filter((file) => /\.(js|d\.ts)$/.test(file));
    expect(FILES.filter((file) => file.endsWith('.map'))).toEqual([]);
    expect(scripts.filter((file) => read(file).includes('//# sourceMappingURL='))).toEqual([]);
  });

  test.each(FILES.filter((file) => /\.d\.c?ts$/.test(file)))(
    '%s documents what follows, and no source file',
    (file) => {
      const strays = [...read(file).matchAll(/\/\*\*(?:(?!\*\/)[^])*\*\/\n+(?=\n|\/\*\*)/g)].map(
        ([comment]) => comment,
      );
      expect(strays).toEqual([]);
    },
  );

  test.each(FILES.filter((file) => file.endsWith('.md')))('%s links to files of the package only', (file) => {
    const links = [...read(file).matchAll(/(?<!!\[[^\]]*)\]\((?!https?:|#)([^)#\s]+)/g)].map(([, link = '']) => link);
    const missing = links.filter((link) => {
      const target = path.posix.join(path.posix.dirname(file), link).replace(/\/$/, '');
      return !FILES.some((shipped) => shipped === target || shipped.startsWith(`${target}/`));
    });
    expect(missing).toEqual([]);
  });

  test.each(FILES.filter((file) => file.endsWith('.md')))('%s links to headings that exist', (file) => {
    const links = [...read(file).matchAll(/\]\((?!https?:)([^)#\s]*)#([^)\s]+)\)/g)];
    const missing = links.filter(([, target = '', anchor = '']) => {
      const page = target === '' ? file : path.posix.join(path.posix.dirname(file), target);
      return !anchorsOf(page).includes(anchor);
    });
    expect(missing.map(([link]) => link)).toEqual([]);
  });
});

describe('npm pack', () => {
  const HOOKS = ['scripts/pack.mjs', 'package.json'];
  const manifestIn = (text: string): { readonly scripts: Readonly<Record<string, string>> } => JSON.parse(text);
  /** A checkout of nothing but what packing runs, with `build` in place of the real one. */
  const checkout = (build: string) => {
    const folder = mkdtempSync(path.join(tmpdir(), 'flagwright-packed-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    mkdirSync(path.join(folder, 'scripts'));
    for (const file of HOOKS) copyFileSync(path.join(ROOT, file), path.join(folder, file));
    const run = (program: string, ...args: string[]) => spawnSync(program, args, { cwd: folder, encoding: 'utf8' });
    const setBuild = (text: string): void => writeFileSync(path.join(folder, 'scripts/prepare.mjs'), text);
    setBuild(build);
    return { run, setBuild, manifest: () => readFileSync(path.join(folder, 'package.json'), 'utf8') };
  };
  const BUILDS = "import { writeFileSync } from 'node:fs'; writeFileSync('README.md', 'built');";

  test('builds, and packs no script for npm to warn of; the checkout stays as it is', () => {
    const { run, manifest } = checkout(BUILDS);
    expect(run('npm', 'pack').status).toBe(0);
    const unpacked = (file: string): string =>
      run('tar', '--extract', '--to-stdout', '--file', `flagwright-${JSON.parse(manifest()).version}.tgz`, file).stdout;
    expect(unpacked('package/README.md')).toBe('built');
    const { scripts } = manifestIn(unpacked('package/package.json'));
    expect(['prepare', 'preinstall', 'install', 'postinstall'].filter((name) => name in scripts)).toEqual([]);
    expect(manifest()).toBe(read('package.json'));
    expect(manifestIn(manifest()).scripts['prepare']).toBe('node scripts/prepare.mjs');
  });

  test('changes nothing where the build fails', () => {
    const { run, manifest } = checkout('process.exit(3);');
    expect(run('npm', 'pack').status).not.toBe(0);
    expect(manifest()).toBe(read('package.json'));
  });

  test('puts back what one that was interrupted took out', () => {
    const { run, manifest } = checkout(BUILDS);
    expect(run('npm', 'run', 'prepack').status).toBe(0);
    expect(manifestIn(manifest()).scripts).not.toHaveProperty('prepare');
    expect(run('npm', 'pack').status).toBe(0);
    expect(manifest()).toBe(read('package.json'));
  });
});

/** The anchors that GitHub gives to headings. */
function anchorsOf(file: string): string[] {
  const headings = [...read(file).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => heading);
  return headings.map((heading) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(/\s/g, '-'),
  );
}
