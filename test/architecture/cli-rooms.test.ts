/** The folders of `src/cli` are layers: each imports only the ones after it. */

import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const LAYERS: readonly string[] = [
  'bin.ts',
  'run.ts',
  'commands',
  'actions',
  'catalog',
  'editing',
  'resources',
  'doctor',
  'manifests',
  'plan',
  'code',
  'impact',
  'applied',
  'project',
  'runs',
  'session',
  'line',
];
const cli = path.join(import.meta.dirname, '../../src/cli');
const files = readdirSync(cli, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));

test('every file of cli is in a layer', () => {
  expect([...new Set(files.map(layerOf))].filter((layer) => !LAYERS.includes(layer))).toEqual([]);
});

test('no layer of cli imports one above it', () => {
  const upward = files.flatMap((file) =>
    importsOf(file)
      .filter((imported) => LAYERS.indexOf(layerOf(imported)) < LAYERS.indexOf(layerOf(file)))
      .map((imported) => `${file} imports ${imported}`),
  );
  expect(upward).toEqual([]);
});

function layerOf(file: string): string {
  return file.split('/')[0] ?? file;
}

/** The files of `cli` that a file imports, also later by `import()`. */
function importsOf(file: string): string[] {
  const text = readFileSync(path.join(cli, file), 'utf8');
  return [...text.matchAll(/(?:from |import\()'(\.[^']+)'/g)]
    .map(([, imported = '']) => path.relative(cli, path.resolve(cli, path.dirname(file), imported)))
    .filter((imported) => !imported.startsWith('..'));
}
