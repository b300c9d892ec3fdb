import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { appliedRef } from '../../../src/cli/applied/applied-record.ts';

const refOf = (name: string, file = 'flagwright.yaml', prefix = ''): string =>
  appliedRef({ file }, { name }, { prefix }) ?? '';

test.each([
  ['production', 'production'],
  ['eu.staging_2', 'eu.staging_2'],
  ['a..b', 'a%2E.b'],
  ['a.', 'a%2E'],
  ['a.lock', 'a%2Elock'],
])('project %s has the ref %s', (name, ref) => {
  expect(refOf(name)).toBe(`refs/flagwright/applied/${ref}`);
});

test('the folder and the name of the configuration keep projects of the same name apart', () => {
  const refs = [
    refOf('main'),
    refOf('main', 'sub/flagwright.yml'),
    refOf('main', '../other.yaml'),
    refOf('main', 'flagwright.yaml', 'teams/a'),
    refOf('a/main', 'flagwright.yaml', 'teams'),
    refOf('main', 'flagwright.yaml', 'teams%2Fa'),
  ];
  expect(refs.slice(0, 4)).toEqual([
    'refs/flagwright/applied/main',
    'refs/flagwright/applied/main',
    'refs/flagwright/applied/other.yaml%2Fmain',
    'refs/flagwright/applied/teams%2Fa%2Fmain',
  ]);
  expect(refs[5]).toBe('refs/flagwright/applied/teams%252Fa%2Fmain');
});

test('every name is one that git takes', () => {
  const odd = [
    '-x',
    '.x',
    'a b',
    'a~b',
    'a^b',
    'a:b',
    'a?b',
    'a*b',
    'a[b',
    'a\\b',
    'a@{b',
    '@',
    'ä',
    '💥',
    'a\nb',
    'a..lock.',
  ];
  for (const name of odd) {
    for (const ref of [refOf(name), refOf('main', 'flagwright.yaml', `${name}/${name}`)]) {
      expect(() => execFileSync('git', ['check-ref-format', ref])).not.toThrow();
    }
  }
});

test('without a configuration file there is no ref', () => {
  expect(appliedRef({}, { name: 'environment' }, { prefix: '' })).toBeUndefined();
});
