/** Files that declarations name are read with the manifests: from where they are named, once, and never from outside. */

import { expect, test } from 'vitest';
import { compileSchema as compile } from '../../../src/base/shape/compile.ts';
import { parseManifest, readManifests } from '../../../src/posthog/manifests/manifests.ts';
import { createWorkspace } from '../../helpers/workspace.ts';

const naming = (key: string, file: string): string => `flags:\n  ${key}: { payload_schema: ${file} }\n`;

async function readNamed(files: Readonly<Record<string, string>>) {
  const { root } = createWorkspace(files);
  const read = async () => (await readManifests({ root, patterns: ['flags/**/*.yaml'] })).files;
  return { first: await read(), again: await read() };
}

const namedOf = ({ declarations }: Awaited<ReturnType<typeof readNamed>>['first'][number]): unknown[] =>
  declarations.map(({ named }) => named);

test('a name is relative to its manifest, and two manifests that name one file have the same', async () => {
  const { first } = await readNamed({
    'flags/a.yaml': naming('a', '../schemas/s.json'),
    'flags/team/b.yaml': naming('b', '../../schemas/s.json'),
    'flags/team/c.yaml': naming('c', './s.json'),
    'schemas/s.json': '{ "type": "object" }',
    'flags/team/s.json': '{ "type": "array" }',
  });
  const [a, b, c] = first.flatMap(namedOf);
  expect(a).toEqual({ file: 'schemas/s.json', value: { type: 'object' }, compile });
  expect(b).toBe(a);
  expect(c).toEqual({ file: 'flags/team/s.json', value: { type: 'array' }, compile });
});

test.each<[string, string, Readonly<Record<string, string>>, object]>([
  ['outside the folder of the configuration', '../../s.json', {}, { file: '../s.json', unreadable: 'file-outside' }],
  ['by an absolute path', '/etc/s.json', {}, { file: '/etc/s.json', unreadable: 'file-outside' }],
  ['that does not exist', 's.json', {}, { file: 'flags/s.json', unreadable: 'ENOENT' }],
  [
    'that is not JSON',
    's.json',
    { 'flags/s.json': '{\n "a": 1,\n nonsense }' },
    { file: 'flags/s.json', notJson: { line: 3 } },
  ],
  [
    'that ends early',
    's.json',
    { 'flags/s.json': '{' },
    { file: 'flags/s.json', notJson: expect.anything() as unknown as object },
  ],
])('a file %s has the reason in place of a value', async (_what, name, files, expected) => {
  const { first } = await readNamed({ 'flags/a.yaml': naming('a', name), ...files });
  expect(first.flatMap(namedOf)).toEqual([expected]);
});

test('equal files are the same manifest, and a changed one is another', async () => {
  const files = { 'flags/a.yaml': naming('a', 's.json') };
  const { first, again } = await readNamed({ ...files, 'flags/s.json': '{ "type": "object" }' });
  expect(again[0]).toBe(first[0]);
  const other = await readNamed({ ...files, 'flags/s.json': '{ "type": "array" }' });
  expect(other.first.flatMap(namedOf)).toEqual([{ file: 'flags/s.json', value: { type: 'array' }, compile }]);
  expect(first.flatMap(namedOf)).toEqual([{ file: 'flags/s.json', value: { type: 'object' }, compile }]);
});

test('a declaration that names no file has none', async () => {
  const { first } = await readNamed({ 'flags/a.yaml': 'flags:\n  a: {}\n' });
  expect(first.flatMap(({ declarations }) => declarations)).toEqual(
    parseManifest('flags/a.yaml', 'flags:\n  a: {}\n').file.declarations,
  );
});
