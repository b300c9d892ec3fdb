/** Why an edit is refused, and where the value that cannot be edited is written. */

import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import type { JsonValue } from '../../../../src/base/json.ts';
import { editYaml } from '../../../../src/base/yaml/editing/edit.ts';
import type { LayOut, YamlEdit } from '../../../../src/base/yaml/editing/edits.ts';

const layOut: LayOut = (members, _path, style) => stringify(members, { lineWidth: 0, ...style });

type Edit = readonly [path: string, value: JsonValue | undefined];

function toEdit([path, value]: Edit): YamlEdit {
  const names = path.split('/').map((name) => (/^-?[\d.]+$/.test(name) ? Number(name) : name));
  return { path: names as unknown as YamlEdit['path'], value };
}

/** `null` stands for an edit that is made. */
function refusals(text: string, edits: readonly Edit[]): { text: string; why: (string | null)[] } {
  const made = edits.map(toEdit);
  const { text: after, refused } = editYaml(text, made, { layOut });
  const why = made.map((edit) => {
    const found = refused.filter((one) => one.edit === edit);
    expect(found.length).toBeLessThan(2);
    return found[0] === undefined ? null : `${found[0].reason} ${found[0].line}:${found[0].column}`;
  });
  return { text: after, why };
}

test.each<[what: string, text: string, edits: Edit[], why: (string | null)[], after?: string]>([
  ['a text with a mistake', 'a: 1\nb: [\n', [['a', 2]], ['unreadable 3:1']],
  ['an alias', 'x: &x { y: 1 }\na: *x\n', [['a/y', 2]], ['alias 2:4']],
  ['an alias in a list', 'x: &x { y: 1 }\na:\n  - 1\n  - *x\n', [['a/1/y', 2]], ['alias 4:5']],
  ['what an alias stands for', 'x: &x { y: 1 }\na: *x\n', [['x/y', 2]], ['anchor 1:7']],
  ['a mapping around it', 'x:\n  y: &y 1\na: *y\n', [['x', 2]], ['anchor 2:3']],
  ['a member that has it', 'x:\n  y: &y 1\n  z: 2\na: *y\n', [['x', { z: 2 }]], ['anchor 2:3']],
  ['a mapping around both', 'x:\n  y: &y 1\n  z: *y\n', [['x', 2]], [null], 'x: 2\n'],
  ['an element that has it', 'x:\n  - &y 1\n  - 2\na: *y\n', [['x', [2]]], ['anchor 2:3']],
  [
    'an element that has it, by its index',
    'x:\n  - 2\n  - &y 1\na: *y\n',
    [
      ['x/0', undefined],
      ['x/1', undefined],
    ],
    [null, 'anchor 3:3'],
    'x:\n  - &y 1\na: *y\n',
  ],
  [
    'an element that moves with it',
    'x:\n  - &y 1\n  - 2\na: *y\n',
    [['x', [2, 1]]],
    [null],
    'x:\n  - 2\n  - &y 1\na: *y\n',
  ],
  ['an anchor that nobody uses', 'x: &x 1 # c\na: 2\n', [['x', 3]], [null], 'x: &x 3 # c\na: 2\n'],
  [
    'an anchor that is named again before its alias',
    'x: &x 1\ny: &x 2\na: *x\n',
    [
      ['x', 3],
      ['y', 3],
    ],
    [null, 'anchor 2:7'],
    'x: &x 3\ny: &x 2\na: *x\n',
  ],
  ['a member that a merge key gives', 'x: &x { y: 1 }\na:\n  z: 1\n  <<: *x\n', [['a/y', 2]], ['merge-key 4:3']],
  [
    'one that a list of them gives',
    'x: &x { y: 1 }\nv: &v { w: 1 }\na:\n  <<: [*v, *x]\n',
    [
      ['a/y', 2],
      ['a/w', undefined],
    ],
    ['merge-key 4:3', 'merge-key 4:3'],
  ],
  [
    'one that a merged mapping merges',
    'x: &x { y: 1 }\nv: &v\n  <<: *x\na:\n  <<: *v\n',
    [['a/y', 2]],
    ['merge-key 5:3'],
  ],
  [
    'one that is written beside it',
    'x: &x { y: 1 }\na:\n  <<: *x\n  y: 2\n',
    [['a/y', 3]],
    [null],
    'x: &x { y: 1 }\na:\n  <<: *x\n  y: 3\n',
  ],
  [
    'removing one that is written beside it',
    'x: &x { y: 1 }\na:\n  <<: *x\n  y: 2\n',
    [['a/y', undefined]],
    ['merge-key 3:3'],
  ],
  [
    'one that it does not give',
    'x: &x { y: 1 }\na:\n  <<: *x\n',
    [['a/z', 3]],
    [null],
    'x: &x { y: 1 }\na:\n  <<: *x\n  z: 3\n',
  ],
  ['a value with a tag of its type', 'a: !!str 5\n', [['a', { b: 1 }]], ['tag 1:10']],
  ['a member in a string', 'a: x\nb: 1\n', [['a/x', 1]], ['no-mapping 1:4']],
  ['a member in a list', 'a:\n  - 1\n', [['a/x', 1]], ['no-mapping 2:3']],
  ['a member in an element that is none', 'a: [1]\n', [['a/0/x', 1]], ['no-mapping 1:5']],
  ['an element of a mapping', 'a: { b: 1 }\n', [['a/0', 1]], ['no-mapping 1:4']],
  ['an element of nothing', 'a: { b: 1 }\n', [['a/c/0', 1]], ['no-mapping 1:4']],
  ['an element of a value that is null', 'a:\nb: 1\n', [['a/0', 1]], ['no-mapping 1:3']],
  ['an element before the first', 'a: [1]\n', [['a/-1', 1]], ['no-mapping 1:4']],
  ['a part of an element', 'a: [1, 2]\n', [['a/0.5', 1]], ['no-mapping 1:4']],
  [
    'a value of which another edit writes a part',
    'a: { b: 1 }\n',
    [
      ['a/b', 2],
      ['a', 3],
    ],
    [null, 'overlapping 1:1'],
    'a: { b: 2 }\n',
  ],
  [
    'a part of a value that another edit writes',
    'a: { b: 1 }\nc: 1\n',
    [
      ['a', 3],
      ['a/b', 2],
    ],
    [null, 'overlapping 1:6'],
    'a: 3\nc: 1\n',
  ],
  [
    'another value for the same path',
    'a: 1\n',
    [
      ['a', 3],
      ['a', undefined],
    ],
    [null, 'overlapping 1:1'],
    'a: 3\n',
  ],
  [
    'the same value again',
    'a: 1\n',
    [
      ['a', [3]],
      ['a', [3]],
    ],
    [null, null],
    'a:\n  - 3\n',
  ],
  [
    'what overlaps an edit that is refused',
    'x: &x 1\na: { b: *x, c: 1 }\n',
    [
      ['a/b/y', 2],
      ['a/b/z', 3],
      ['a', 3],
    ],
    ['alias 2:9', 'alias 2:9', null],
    'x: &x 1\na: 3\n',
  ],
  [
    'an edit that is refused twice',
    'x: &x 1\ny: &y 2\na: [*x, *y]\n',
    [
      ['x', 3],
      ['y', 3],
      ['z', 1],
    ],
    ['anchor 1:7', 'anchor 2:7', null],
    'x: &x 1\ny: &y 2\na: [*x, *y]\nz: 1\n',
  ],
  [
    'what YAML cannot hold',
    'a:\n  b: 1\n',
    [
      ['a/b', 'x\u{d800}'],
      ['a/c', ['x\u{d800}']],
    ],
    ['unwritable 2:3', 'unwritable 1:1'],
  ],
  [
    'a name that YAML cannot hold, and what is beside it',
    'a:\n  b: 1\n',
    [
      ['a/\0', {}],
      ['a/c', 2],
    ],
    ['unwritable 1:1', null],
    'a:\n  b: 1\n  c: 2\n',
  ],
  ['what YAML cannot hold, in a document that is not there', '', [['a/b', 'x\u{d800}']], ['unwritable 1:1']],
  [
    'what is there already, also as a whole',
    'x: &x { y: [1] }\na: *x\n',
    [
      ['a', { y: [1] }],
      ['a/y', [1]],
      ['a/y/0', 1],
      ['a/y/1', undefined],
    ],
    [null, null, null, null],
  ],
  [
    'what is there already',
    'x: &x { y: 1 }\na: *x\n',
    [
      ['a/y', 1],
      ['b', undefined],
      ['a/z/0', undefined],
    ],
    [null, null, null],
  ],
])('%s', (_what, text, edits, why, after = text) => {
  expect(refusals(text, edits)).toEqual({ text: after, why });
});

test('edits without which the text reads as wished are found among many', () => {
  // A layout that loses a value: the proof has to find the edits.
  const losing: LayOut = (members, path, style) =>
    'lost' in members || 'gone' in members ? 'other: 1\n' : layOut(members, path, style);
  const edits = ['a', 'lost', 'b', 'gone', 'c'].map((name): YamlEdit => ({ path: [name], value: [1] }));
  const { text, refused } = editYaml('z: 1\n', edits, { layOut: losing });
  expect(refused.map(({ edit, reason }) => [edit.path[0], reason])).toEqual([
    ['lost', 'reads-differently'],
    ['gone', 'reads-differently'],
  ]);
  expect(text).toBe('z: 1\na:\n  - 1\nb:\n  - 1\nc:\n  - 1\n');
});
