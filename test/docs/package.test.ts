/**
 * The package that npm would publish: it is small, and it has no source maps without sources, and no links to files that it lacks, except
 * pictures, which the site has.
 */

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
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

  test('has at most 4.9 MB in 440 files, beside the list of changes, which grows with each release', () => {
    expect(FILES.length).toBeLessThanOrEqual(440);
    expect(unpackedSize - Buffer.byteLength(read('CHANGELOG.md'))).toBeLessThanOrEqual(4_900_000);
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
