/** The flag manifest of the OpenFeature CLI: what it says of each flag, and what it cannot say. */

import { expect, test } from 'vitest';
import { writeFlagManifest, type ManifestNote } from '../../../src/code/generate/openfeature.ts';
import type { TypedFlag } from '../../../src/code/generate/typed-flag.ts';

const flag = (key: string, more: Partial<TypedFlag> = {}): TypedFlag => ({ key, tags: [], answers: [true], ...more });
const { answers: _, ...UNDECIDED } = flag('a');

test('each flag has one type, and its description', () => {
  const flags = [
    flag('plain'),
    flag('variants', { answers: ['x', 'y'], description: 'What it is for' }),
    flag('__proto__', { answers: ['x', true] }),
  ];
  expect(JSON.stringify(writeFlagManifest(flags).manifest)).toBe(
    JSON.stringify({
      $schema: 'https://raw.githubusercontent.com/open-feature/cli/main/schema/v0/flag-manifest.json',
      flags: {
        plain: { flagType: 'boolean', defaultValue: false },
        variants: { flagType: 'string', defaultValue: '', description: 'What it is for' },
        ['__proto__']: { flagType: 'boolean', defaultValue: false },
      },
    }),
  );
});

test.each<[string, TypedFlag, string, readonly ManifestNote['code'][]]>([
  ['is on or off', flag('a'), 'boolean', []],
  ['has one variant', flag('a', { answers: ['x'] }), 'string', ['variants_unsaid']],
  ['has variants and none in one project', flag('a', { answers: ['x', true] }), 'boolean', ['answers_as_boolean']],
  ['has answers that manifests do not decide', UNDECIDED, 'boolean', ['answers_as_boolean']],
  ['has no answer but false', flag('a', { answers: [] }), 'boolean', []],
  ['has payloads', flag('a', { payload: { kind: 'number' } }), 'boolean', ['payloads_unsaid']],
  ['begins with a digit', flag('3d'), 'boolean', ['names_with_digit']],
  ['has a digit inside', flag('v3'), 'boolean', []],
])('a flag that %s', (_what, one, type, codes) => {
  const { manifest, notes } = writeFlagManifest([one, flag('other')]);
  expect(manifest['flags']).toMatchObject({ [one.key]: { flagType: type } });
  expect(notes).toEqual(codes.map((code) => ({ code, keys: [one.key] })));
});

test.each([
  ['a comment of C', '*/ run() /*', '* / run() /*'],
  ['a comment of Java, whose escapes are read', String.raw`*\u002f run() *\ `, '* /u002f run() * /'],
  ['a comment of one line', 'one\r\nrun()\u2028run()\u0085', 'one run() run()'],
  ['a docstring', '""" run() "', "''' run() '"],
  ['a template', '`${run()}', "'${run()}"],
])('a description cannot end %s', (_what, description, expected) => {
  const { manifest } = writeFlagManifest([flag('a', { description })]);
  expect(manifest['flags']).toMatchObject({ a: { description: expected } });
});

test('keys of which one name is made are named together', () => {
  const { notes } = writeFlagManifest([flag('a-b'), flag('a_b'), flag('c')]);
  expect(notes).toEqual([{ code: 'names_alike', keys: ['a-b', 'a_b'] }]);
});
