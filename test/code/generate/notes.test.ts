/** What a generated file cannot say, told once for each reason and only where there is one. */

import { expect, test } from 'vitest';
import { findNotes } from '../../../src/code/generate/typescript.ts';
import type { TypedFlag } from '../../../src/code/generate/typed-flag.ts';

const flag = (key: string, more: Partial<TypedFlag> = {}): TypedFlag => ({ key, tags: [], answers: [true], ...more });

test('flags of which everything is known give no note', () => {
  expect(findNotes([flag('a'), flag('b')], [], new Map())).toEqual([]);
});

test('the flags of each reason are in one note, in the order of the reasons', () => {
  const { answers: _, ...undecided } = flag('d');
  const flags = [
    flag('a', { untyped: 'large' }),
    flag('b', { untyped: 'encrypted' }),
    flag('c', { untyped: 'large', wider: ['pattern', 'format'] }),
    undecided,
    flag('e', { wider: ['format'] }),
  ];
  expect(findNotes(flags, [], new Map())).toEqual([
    { code: 'answers_undecided', keys: ['d'] },
    { code: 'payloads_untyped', reason: 'encrypted', keys: ['b'] },
    { code: 'payloads_untyped', reason: 'large', keys: ['a', 'c'] },
    { code: 'payloads_wider', keywords: ['format', 'pattern'], keys: ['c', 'e'] },
  ]);
  expect(findNotes([flag('a', { untyped: 'of-others' })], [], new Map())).toEqual([
    { code: 'payloads_untyped', reason: 'of-others', keys: ['a'] },
  ]);
});

test('keys that would have one name are told with the names that they have', () => {
  const names = new Map([
    ['a-b', 'aB'],
    ['a_b', 'aB2'],
  ]);
  const collision = { identifier: 'aB', keys: ['a-b', 'a_b'] };
  expect(findNotes([flag('a-b'), flag('a_b')], [collision], names)).toEqual([
    { code: 'names_collide', ...collision, names: ['aB', 'aB2'] },
  ]);
});
