/** schemas/catalog.json, for editors and SchemaStore: the default names of files, and the addresses of published schemas. */

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import picomatch from 'picomatch';
import { expect, test } from 'vitest';
import { findConfig } from '../../src/config/find.ts';
import { DEFAULT_MANIFESTS } from '../../src/config/config.ts';
import { readSchema } from '../helpers/published-schema.ts';
import { createWorkspace } from '../helpers/workspace.ts';

interface Entry {
  readonly name: string;
  readonly description: string;
  readonly fileMatch: readonly string[];
  readonly url: string;
}

const FILE = fileURLToPath(new URL('../../schemas/catalog.json', import.meta.url));
const { schemas } = JSON.parse(readFileSync(FILE, 'utf8')) as { readonly schemas: readonly Entry[] };
const nameOf = ({ url }: Entry): string => /([a-z]+)\.schema\.json$/.exec(url)?.[1] ?? url;

/** The entries for a path, as editors match it: a name alone is in any folder. */
function entriesFor(file: string): string[] {
  const matches = (glob: string): boolean => picomatch(glob.startsWith('**/') ? glob : `**/${glob}`)(file);
  return schemas.filter(({ fileMatch }) => fileMatch.some(matches)).map(nameOf);
}

test.each([
  ['flagwright.yaml', 'config'],
  ['infra/flagwright.yml', 'config'],
  ['flags/shop.yaml', 'manifest'],
  ['infra/flags/shop/checkout.yml', 'manifest'],
  ['tests/flags.yaml', 'expectations'],
  ['exceptions.yaml', 'exceptions'],
])('%s has the schema of %s', (file, name) => {
  expect(entriesFor(file)).toEqual([name]);
});

test.each(['package.json', 'flags.yaml', 'flags/shop.json', 'flagwright.yaml.bak', 'src/exceptions.ts'])(
  '%s has none',
  (file) => expect(entriesFor(file)).toEqual([]),
);

test.each(schemas)('$name has the address and the title of a published schema', (entry) => {
  expect(readSchema(nameOf(entry))).toMatchObject({ $id: entry.url, title: entry.name });
});

test('the globs are the defaults of the configuration', async () => {
  const globs = (name: string): readonly string[] => schemas.find((entry) => nameOf(entry) === name)?.fileMatch ?? [];
  expect(globs('manifest')).toEqual(DEFAULT_MANIFESTS.flatMap(bothEndings));
  expect(globs('expectations')).toEqual(
    DEFAULT_MANIFESTS.flatMap(bothEndings).map((glob) => glob.replace('flags', 'tests')),
  );
  for (const name of globs('config')) {
    const { root } = createWorkspace({ [name]: '' });
    expect(findConfig(root, undefined)).toMatchObject({ file: name });
  }
});

/** SchemaStore has no braces. */
function bothEndings(glob: string): string[] {
  return ['yaml', 'yml'].map((ending) => `**/${glob.replace('{yaml,yml}', ending)}`);
}
