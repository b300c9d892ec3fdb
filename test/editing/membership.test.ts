/** For which projects a declaration is limited, and to which it is extended. */

import { expect, test } from 'vitest';
import { type EditingContext, extendEdit, extendEdits, limitEdit } from '../../src/editing/context.ts';
import { readTexts, type DeclaredIn } from '../../src/editing/texts.ts';

const ALL = ['production', 'staging', 'test'];
const TEXTS = [
  {
    file: 'a.yaml',
    text: 'flags:\n  everywhere: {}\n  two: { only_in: [production, test] }\n  one: { only_in: [staging] }\n',
  },
  { file: 'b.yaml', text: 'cohorts:\n  crew: { only_in: [test] }\n' },
];
const read = readTexts(TEXTS, ALL);
const declared = (name: string): DeclaredIn => read.declarations.get(name) as DeclaredIn;

test.each<[name: string, project: string, left: readonly string[] | undefined]>([
  ['everywhere', 'staging', ['production', 'test']],
  ['two', 'production', ['test']],
  ['two', 'staging', ['production', 'test']],
  ['one', 'staging', undefined],
  ['one', 'test', ['staging']],
])('%s, which %s lacks, is limited to %j', (name, project, left) => {
  expect(limitEdit(declared(name), project, ALL)).toEqual(left && { path: ['flags', name, 'only_in'], value: left });
});

test('the project comes after those that have it', () => {
  expect(extendEdit(declared('two'), 'staging')).toEqual({
    path: ['flags', 'two', 'only_in'],
    value: ['production', 'test', 'staging'],
  });
  const odd = { section: 'flags', key: 'x', value: { only_in: ['production', 7] } } as unknown as DeclaredIn;
  expect(extendEdit(odd, 'test').value).toEqual(['production', 'test']);
});

test('each declaration is extended in its file, and names without one are left out', () => {
  const context = { read, project: { name: 'staging', roles: {}, cohorts: {} } } satisfies Pick<
    EditingContext,
    'read' | 'project'
  >;
  expect(extendEdits(['two', 'none', 'cohort:crew'], context)).toEqual([
    { file: 'a.yaml', edit: { path: ['flags', 'two', 'only_in'], value: ['production', 'test', 'staging'] } },
    { file: 'b.yaml', edit: { path: ['cohorts', 'crew', 'only_in'], value: ['test', 'staging'] } },
  ]);
});
