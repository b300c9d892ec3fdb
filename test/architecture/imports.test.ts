/** The import table of ARCHITECTURE.md, read from there and held against the imports that the code has; and the border of the embedded service. */

import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');

interface Import {
  readonly from: string;
  readonly to: string;
  readonly typeOnly: boolean;
}

const files = ['src', 'service/src'].flatMap(listFiles);
const imports = files.flatMap(importsOf);
const table = readTable();

function listFiles(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.includes('generated'))
    .map((file) => join(folder, file));
}

/** The first folder of a path under `src`, or the file itself for `index.ts`; `service` for the embedded service. */
function moduleOf(path: string): string {
  return path.replace(/^src\//, '').split('/')[0] ?? path;
}

function importsOf(file: string): Import[] {
  const text = readFileSync(join(root, file), 'utf8');
  const statements = text.matchAll(/^(?:import|export)\s+(type\s)?[^;]*?from\s+'(\.[^']+)'|import\('(\.[^']+)'\)/gm);
  return [...statements].map((match) => ({
    from: file,
    to: relative(root, resolve(join(root, dirname(file)), match[2] ?? match[3] ?? '')),
    typeOnly: match[1] !== undefined,
  }));
}

interface Row {
  readonly modules: ReadonlySet<string> | 'everything';
  readonly typeOnly: ReadonlySet<string>;
}

function readTable(): ReadonlyMap<string, Row> {
  const text = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8');
  const rows = [...text.matchAll(/^\| `([a-z.]+)`\s+\| (.+?)\s*\|$/gm)];
  return new Map(
    rows.map(([, name = '', cell = '']) => {
      const names = [...cell.matchAll(/`([a-z.]+)`( \(types only\))?/g)];
      return [
        name,
        {
          modules: cell.startsWith('everything') ? 'everything' : new Set(names.map((match) => match[1] ?? '')),
          typeOnly: new Set(names.filter((match) => match[2] !== undefined).map((match) => match[1] ?? '')),
        },
      ];
    }),
  );
}

function isAllowed({ from, to, typeOnly }: Import): boolean {
  const [importer, imported] = [moduleOf(from), moduleOf(to)];
  const row = table.get(importer);
  if (importer === imported || imported === 'base') return true;
  if (row === undefined) return false;
  if (row.modules === 'everything') return !(importer === 'index.ts' && imported === 'cli');
  return row.modules.has(imported) && (typeOnly || !row.typeOnly.has(imported));
}

describe('the import table', () => {
  it('has a row for every module', () => {
    expect([...new Set(files.map(moduleOf))].filter((name) => !table.has(name))).toEqual([]);
  });

  it('allows every import of src', () => {
    expect(imports.length).toBeGreaterThan(100);
    expect(imports.filter((entry) => !isAllowed(entry)).map(({ from, to }) => `${from} imports ${to}`)).toEqual([]);
  });
});

/** Tests that compare a table or a function of ours with that of the service. */
const COMPARISONS: readonly string[] = [
  'test/core/manifest/service-rules.test.ts',
  'test/posthog/flag/instant.test.ts',
  'test/posthog/flag/model/fields.test.ts',
];

describe('the embedded service', () => {
  const all = [...imports, ...['test', 'service/test'].flatMap(listFiles).flatMap(importsOf)];

  it('is imported through its entry only, except by the tests that compare both sides', () => {
    const inside = all.filter(({ from, to }) => to.startsWith('service/') && !from.startsWith('service/'));
    const around = inside.filter(({ to }) => to !== 'service/src/index.ts').map(({ from }) => from);
    expect(inside.length).toBeGreaterThan(around.length);
    expect(around.toSorted()).toEqual(COMPARISONS);
  });

  it('has tests that import of the rest no more than it does', () => {
    const tests = all.filter(({ from, to }) => from.startsWith('service/test/') && to.startsWith('src/'));
    expect(tests.length).toBeGreaterThan(0);
    expect(tests.filter((entry) => !isAllowed(entry)).map(({ from, to }) => `${from} imports ${to}`)).toEqual([]);
  });
});

describe('every file', () => {
  it.each(files)('%s says in its first line what it is for', (file) => {
    expect(readFileSync(join(root, file), 'utf8').replace(/^#!.*\n/, '')).toMatch(/^\/\*\*/);
  });

  it.each(files)('%s is at most 500 lines long', (file) => {
    expect(readFileSync(join(root, file), 'utf8').split('\n').length).toBeLessThanOrEqual(501);
  });
});
