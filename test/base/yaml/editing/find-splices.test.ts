import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import type { JsonValue } from '../../../../src/base/json.ts';
import { editYaml } from '../../../../src/base/yaml/editing/edit.ts';
import type { LayOut, YamlEdit } from '../../../../src/base/yaml/editing/edits.ts';

const layOut: LayOut = (members, _path, style) => stringify(members, { compat: 'yaml-1.1', lineWidth: 0, ...style });

type Row = readonly [
  what: string,
  before: string,
  path: readonly (string | number)[],
  value: JsonValue | undefined,
  after: string,
];

function edited(before: string, edits: readonly { path: Row[2]; value: Row[3] }[], as = layOut): string {
  const { text, refused } = editYaml(before, edits as readonly YamlEdit[], { layOut: as });
  expect(refused).toEqual([]);
  return text;
}

function check([_what, before, path, value, after]: Row): void {
  expect(edited(before, [{ path, value }])).toBe(after);
  const onWindows = (text: string): string => text.replaceAll('\n', '\r\n');
  expect(edited(onWindows(before), [{ path, value }])).toBe(onWindows(after));
}

describe('what goes with a member or element that is removed', () => {
  test.each<Row>([
    [
      'the comments on its lines and directly above it',
      'a: 1\n# on b\nb: 2 # two\nc: 3\n',
      ['b'],
      undefined,
      'a: 1\nc: 3\n',
    ],
    ['one of the empty lines around it', 'a: 1\n\n# on b\nb: 2\n\nc: 3\n', ['b'], undefined, 'a: 1\n\nc: 3\n'],
    ['the empty line above it at the end', 'm:\n  a: 1\n\n  b: 2\nc: 3\n', ['m', 'b'], undefined, 'm:\n  a: 1\nc: 3\n'],
    ['the empty line below it at the top', 'm:\n  a: 1\n\n  b: 2\n', ['m', 'a'], undefined, 'm:\n  b: 2\n'],
    ['not an empty line that groups the others', 'a: 1\n\nb: 2\nc: 3\n', ['b'], undefined, 'a: 1\n\nc: 3\n'],
    ['not the comment of the file', '# file\na: 1\nb: 2\n', ['a'], undefined, '# file\nb: 2\n'],
    ['not a comment after an empty line', 'a: 1\n# group\n\nb: 2\nc: 3\n', ['b'], undefined, 'a: 1\n# group\n\nc: 3\n'],
    [
      'comments below it that are indented more',
      'm:\n  a:\n    b: 1\n    # in a\n  c: 2\n',
      ['m', 'a'],
      undefined,
      'm:\n  c: 2\n',
    ],
    ['not a comment below it', 'a: 1\nb: 2\n# end\n', ['b'], undefined, 'a: 1\n# end\n'],
    ['its place after the indicator', 'l:\n- a: 1 # one\n  b: 2\n', ['l', 0, 'a'], undefined, 'l:\n- b: 2\n'],
    [
      'not the comment of the one that takes its place',
      'l:\n- a: 1\n  # on b\n  b: 2\n',
      ['l', 0, 'a'],
      undefined,
      'l:\n-\n  # on b\n  b: 2\n',
    ],
    [
      'empty lines that a block scalar would keep',
      'a: |+\n  x\n\nb: 1\n\nc: 2\n',
      ['b'],
      undefined,
      'a: |+\n  x\n\nc: 2\n',
    ],
    ['its comma', 'a: { b: 1, c: 2 }\n', ['a', 'b'], undefined, 'a: { c: 2 }\n'],
    ['the comma before it', 'a: { b: 1, c: 2 }\n', ['a', 'c'], undefined, 'a: { b: 1 }\n'],
    ['its line in brackets', 'a: [\n  1, # one\n  2, # two\n]\n', ['a', 0], undefined, 'a: [\n  2, # two\n]\n'],
    ['the comma of what is last now', 'a: [\n  1, # one\n  2 # two\n]\n', ['a', 1], undefined, 'a: [\n  1 # one\n]\n'],
    ['not the comment of the one before', 'a: [ 1, # one\n  2 ]\n', ['a', 1], undefined, 'a: [ 1 # one\n  ]\n'],
  ])('%s', (...row) => check(row));
});

describe('what is empty afterwards has brackets', () => {
  test.each<Row>([
    [
      'a mapping',
      'a: # on a\n  b: 1 # x\n\n  # stays\nc: 2\n',
      ['a', 'b'],
      undefined,
      'a: {} # on a\n\n  # stays\nc: 2\n',
    ],
    ['a list', 'a:\n- 1\nb: 2\n', ['a', 0], undefined, 'a: []\nb: 2\n'],
    ['a mapping in a list', 'a:\n- b: 1 # x\n- c: 1\n', ['a', 0, 'b'], undefined, 'a:\n- {}\n- c: 1\n'],
    ['a list in a list', 'a:\n  - - 1\n  - - 2\n', ['a', 1, 0], undefined, 'a:\n  - - 1\n  - []\n'],
    ['the document', '# file\n\na: 1\n# end\n', ['a'], undefined, '# file\n\n{}\n# end\n'],
    ['a mapping with an anchor', 'a: &x\n  b: 1\n', ['a', 'b'], undefined, 'a: &x {}\n'],
    ['what has them', 'a: { b: 1 }\n', ['a', 'b'], undefined, 'a: {}\n'],
  ])('%s', (...row) => check(row));
});

describe('what is added is written as what is there', () => {
  test.each<Row>([
    [
      'with the indentation of the file',
      'a:\n    b:\n        c: 1\n',
      ['a', 'd'],
      { e: { f: 1 } },
      'a:\n    b:\n        c: 1\n    d:\n        e:\n            f: 1\n',
    ],
    ['with lists at the column of their mappings', 'a:\n- 1\n', ['b'], [1], 'a:\n- 1\nb:\n- 1\n'],
    [
      'after an empty line where all are apart',
      'm:\n  a: 1\n\n  b: 1\n',
      ['m', 'c'],
      1,
      'm:\n  a: 1\n\n  b: 1\n\n  c: 1\n',
    ],
    [
      'as an element after the last one',
      'a:\n  - 1 # one\n\nb: 2\n',
      ['a', 1],
      { c: 1, d: 2 },
      'a:\n  - 1 # one\n  - c: 1\n    d: 2\n\nb: 2\n',
    ],
    [
      'in brackets in a list of mappings in brackets',
      'a:\n  - {b: 1}\n',
      ['a', 1],
      { b: 2 },
      'a:\n  - {b: 1}\n  - { b: 2 }\n',
    ],
    ['as JSON in JSON', 'a: {"b":1}\n', ['a', 'c'], ['x'], 'a: {"b":1, "c": ["x"]}\n'],
    ['on a line of its own in brackets', 'a: {\n  b: 1 # x\n}\n', ['a', 'c'], 2, 'a: {\n  b: 1, # x\n  c: 2\n}\n'],
    ['in block style in place of empty brackets', 'a: {} # x\n', ['a', 'b'], 1, 'a: # x\n  b: 1\n'],
    ['in a list without elements', 'a: []\n', ['a', 0], 1, 'a:\n  - 1\n'],
    ['in a document with empty brackets', '--- {}\n', ['a'], 1, '---\na: 1\n'],
    ['before the end of a document with comments', '---\n# x\n...\n', ['a'], 1, '---\n# x\na: 1\n...\n'],
    ['to a key without a colon', '? a\n', ['a'], { b: 1 }, '? a\n:\n  b: 1\n'],
    ['to a key without a colon in brackets', 'x: {a}\n', ['x', 'a'], 1, 'x: {a: 1}\n'],
    ['to a member in a list in brackets', 'x: [a: 1, b]\n', ['x', 0, 'c'], 2, 'x: [{ a: 1, c: 2 }, b]\n'],
  ])('%s', (...row) => check(row));

  test('in the usual order of members', () => {
    const ordered: LayOut = Object.assign((...parameters: Parameters<LayOut>) => layOut(...parameters), {
      order: () => ['name', 'active', 'filters', 'tags'],
    });
    const add = (before: string, ...names: string[]): string =>
      edited(
        before,
        names.map((name) => ({ path: ['f', name], value: 1 })),
        ordered,
      );
    expect(add('f:\n  active: 1\n  tags: 1\n', 'filters')).toBe('f:\n  active: 1\n  filters: 1\n  tags: 1\n');
    expect(add('f:\n  # on active\n  active: 1\n', 'filters', 'name')).toBe(
      'f:\n  name: 1\n  # on active\n  active: 1\n  filters: 1\n',
    );
    expect(add('f:\n  tags: 1\n  z: 1\n', 'other', 'active')).toBe('f:\n  active: 1\n  tags: 1\n  z: 1\n  other: 1\n');
    expect(add('l:\n', 'name')).toBe('l:\nf:\n  name: 1\n');
    expect(edited('l:\n- active: 1\n', [{ path: ['l', 0, 'name'], value: 1 }], ordered)).toBe(
      'l:\n- name: 1\n  active: 1\n',
    );
    expect(edited('f: {active: 1}\n', [{ path: ['f', 'name'], value: 1 }], ordered)).toBe('f: {name: 1, active: 1}\n');
  });
});

describe('a single value keeps its style where that says the new one', () => {
  test.each<Row>([
    ['plain', 'a: x # c\n', ['a'], 'y z', 'a: y z # c\n'],
    ['plain, but for what other readers take for a boolean', 'a: x\n', ['a'], 'no', 'a: "no"\n'],
    ['double quotes', 'a: "x"\n', ['a'], 'some text', 'a: "some text"\n'],
    ['single quotes', "a: 'x'\n", ['a'], "it's", "a: 'it''s'\n"],
    ['single quotes, but for what they cannot say', "a: 'x'\n", ['a'], 'y\nz', 'a: "y\\nz"\n'],
    ['literal, with its indentation', 'a: |\n      x\nb: 1\n', ['a'], 'y\n\nz\n', 'a: |\n      y\n\n      z\nb: 1\n'],
    ['literal, with its indentation below an empty line', 'a: |\n\n    x\n', ['a'], '\ny\n', 'a: |\n\n    y\n'],
    ['literal, with another end', 'a: | # c\n  x\nb: 1\n', ['a'], 'y', 'a: |- # c\n  y\nb: 1\n'],
    ['literal, with its own indentation indicator', 'a: |2-\n   x\n', ['a'], ' y\nz', 'a: |2-\n   y\n  z\n'],
    ['literal, but for spaces at the beginning', 'a: |-\n  x\n', ['a'], ' y', 'a: " y"\n'],
    [
      'literal, but not before empty lines that it would take',
      'a: |\n  x\n\nb: 1\n',
      ['a'],
      'y\n\n',
      'a: "y\\n\\n"\n\nb: 1\n',
    ],
    ['folded', 'a: >-\n  x\n  y\n', ['a'], 'x y z', 'a: >-\n  x y z\n'],
    ['folded, with its paragraphs', 'a: >\n  x\n', ['a'], 'y\nz\n', 'a: >\n  y\n\n  z\n'],
    ['an escape for what is invisible', 'a: x\n', ['a'], 'y\u{202e}', 'a: "y\\u202e"\n'],
    ['a number in place of a string', 'a: "5"\n', ['a'], 5, 'a: 5\n'],
    ['a string in place of a number', 'a: 5\n', ['a'], '5', 'a: "5"\n'],
    ['a number in another notation', 'a: 0x10\n', ['a'], 17, 'a: 17\n'],
    ['a tag', 'a: !!str 5\n', ['a'], '6', 'a: !!str "6"\n'],
    ['on its own line', 'a:\n  # c\n  x # d\n', ['a'], 'z', 'a:\n  # c\n  z # d\n'],
    ['after a key of its own', '? a\n: 1\n', ['a'], 2, '? a\n: 2\n'],
    ['a long number', 'a: 1\n', ['a'], 9007199254740993n, 'a: 9007199254740993\n'],
  ])('%s', (...row) => check(row));

  test('lines of a folded string are broken where they were, or at 80 columns', () => {
    const words = 'words '.repeat(30).trim();
    const after = edited('a: >-\n  x\n', [{ path: ['a'], value: words }]);
    expect(after.split('\n').map((line) => line.length)).toEqual([5, 79, 79, 25, 0]);
    expect(edited(`a: >-\n  ${'x'.repeat(120)}\n`, [{ path: ['a'], value: words }]).split('\n')).toHaveLength(4);
  });
});

describe('a value of another kind', () => {
  test.each<Row>([
    ['a mapping for a literal', 'a: | # c\n  x\nb: 1\n', ['a'], { c: 1 }, 'a:  # c\n  c: 1\nb: 1\n'],
    ['a number for a mapping', 'a: # on a\n  b: 1\n  # in a\nc: 2\n', ['a'], 5, 'a: 5 # on a\nc: 2\n'],
    ['a number for a mapping in a list', 'a:\n- b: 1 # x\n  c: 2\n- 3\n', ['a', 0], 5, 'a:\n- 5\n- 3\n'],
    ['a mapping for a number in a list', 'a:\n- 5 # x\n', ['a', 0], { b: 1, c: 2 }, 'a:\n- b: 1 # x\n  c: 2\n'],
    ['a mapping for a number with an anchor in a list', 'a:\n- &x 5\n', ['a', 0], { b: 1 }, 'a:\n- &x\n  b: 1\n'],
    ['a list for brackets', 'a: { b: 1 } # x\n', ['a'], [1], 'a: [1] # x\n'],
    ['a mapping for a value on its own line', 'a:\n  # c\n  x # d\n', ['a'], { b: 1 }, 'a:\n  # c\n  b: 1 # d\n'],
    ['nothing for something', 'a: 1\n', ['a'], null, 'a: null\n'],
    ['something for nothing', 'a: # c\nb: 1\n', ['a'], 'x', 'a: x # c\nb: 1\n'],
  ])('%s', (...row) => check(row));
});

describe('a list that is set', () => {
  test.each<Row>([
    [
      'moves elements with their comments',
      'l:\n  # one\n  - 1\n  - 2 # two\n  - 3\n',
      ['l'],
      [3, 1, 2],
      'l:\n  - 3\n  # one\n  - 1\n  - 2 # two\n',
    ],
    [
      'knows elements by their key',
      'l:\n- key: x # ex\n  v: 1\n- key: y\n  v: 2\n',
      ['l'],
      [
        { key: 'y', v: 3 },
        { key: 'x', v: 1 },
      ],
      'l:\n- key: y\n  v: 3\n- key: x # ex\n  v: 1\n',
    ],
    [
      'knows elements that are similar',
      'l:\n- a: 1 # one\n  b: 2\n- c: 3\n',
      ['l'],
      [{ c: 3 }, { a: 1, b: 4 }],
      'l:\n- c: 3\n- a: 1 # one\n  b: 4\n',
    ],
    ['changes single values where they are', 'l: [a, b, c]\n', ['l'], ['a', 'x', 'c', 'd'], 'l: [a, x, c, d]\n'],
    [
      'moves lines in brackets, with commas',
      'l: [\n  1, # one\n  2 # two\n]\n',
      ['l'],
      [2, 1, 3],
      'l: [\n  2, # two\n  1, # one\n  3\n]\n',
    ],
    [
      'moves a line to the end of brackets, where it loses its comma',
      'l: [\n  1, # one\n  2,\n  3 # three\n]\n',
      ['l'],
      [2, 3, 1],
      'l: [\n  2,\n  3, # three\n  1 # one\n]\n',
    ],
    [
      'moves a line to the end of brackets that end with a comma',
      'l: [\n  1, # one\n  2,\n  3, # three\n]\n',
      ['l'],
      [2, 3, 1],
      'l: [\n  2,\n  3, # three\n  1, # one\n]\n',
    ],
    [
      'moves the first element of a list in a list',
      'l:\n- - 1 # one\n  - 2\n',
      ['l', 0],
      [2, 1],
      'l:\n- - 2\n  - 1 # one\n',
    ],
    [
      'has another element in place of one, and one less',
      'l:\n  # x\n  - 1\n  - a: 1\n',
      ['l'],
      ['x'],
      'l:\n  # x\n  - x\n',
    ],
  ])('%s', (...row) => check(row));
});

describe('brackets whose entries share lines', () => {
  test.each<Row>([
    ['an element at the beginning', 'a: [2, 3] # c\n', ['a'], [1, 2, 3], 'a: [1, 2, 3] # c\n'],
    ['several in the middle', 'a: [1, 4]\n', ['a'], [1, 2, 3, 4], 'a: [1, 2, 3, 4]\n'],
    ['others in place of the first', 'a: [1, 2, {b: 1}]\n', ['a'], [[3], [4], { b: 1 }], 'a: [[3], [4], {b: 1}]\n'],
    ['others in place of the last', 'a: [{b: 1}, 1, 2]\n', ['a'], [{ b: 1 }, [3]], 'a: [{b: 1}, [3]]\n'],
    ['others in place of all', 'a: [ 1, 2 ]\n', ['a'], [[3]], 'a: [ [3] ]\n'],
    ['members in place of all', 'a: {b: 1, c: 2}\n', ['a'], { d: 3, e: 4 }, 'a: {d: 3, e: 4}\n'],
    ['a member where there is none', 'x: [{}]\n', ['x', 0, 'b'], 1, 'x: [{ b: 1 }]\n'],
    ['an element where there is none', 'x: {a: []}\n', ['x', 'a', 0], 1, 'x: {a: [1]}\n'],
    ['members after the last comma', 'a: {b: 1,}\n', ['a', 'c'], 2, 'a: {b: 1, c: 2,}\n'],
    ['nothing in place of what is before the last comma', 'a: [1, 2,]\n', ['a'], [1], 'a: [1,]\n'],
    ['elements that move', 'a: [{b: 1, c: 2}, x]\n', ['a'], ['x', { b: 1, c: 3 }], 'a: [x, {b: 1, c: 3}]\n'],
    ['quotes as in JSON', 'a: ["x"]\n', ['a', 1], { b: 'y' }, 'a: ["x", { "b": "y" }]\n'],
    ['no quotes beside numbers', 'a: [1]\n', ['a', 1], 'z', 'a: [1, z]\n'],
    [
      'not the comment of the one before, with its comma',
      'a: [ 1, # one, and more\n  2, # two\n  3 ]\n',
      ['a'],
      [1],
      'a: [ 1 # one, and more\n  ]\n',
    ],
    ['a comment before a comma', 'a: [ 1 # one, and more\n  , 2 ]\n', ['a'], [1], 'a: [ 1 # one, and more\n   ]\n'],
  ])('%s', (...row) => check(row));
});

describe('what is between entries', () => {
  test.each<Row>([
    [
      'lists of which one is in brackets get block style',
      'a:\n  - {b: 1}\n  - c: 1\n',
      ['a', 2],
      { b: 2 },
      'a:\n  - {b: 1}\n  - c: 1\n  - b: 2\n',
    ],
    ['a single value beside brackets', 'a:\n  - [1]\n', ['a', 1], 2, 'a:\n  - [1]\n  - 2\n'],
    ['empty lines of several new entries', 'a: 1\n\nb: 2\n', ['c'], { d: 1 }, 'a: 1\n\nb: 2\n\nc:\n  d: 1\n'],
    [
      'entries that go with a comment of their own between them',
      'm:\n  a: 1\n  b: 2\n\n  # group\n\n  c: 3\n  d: 4\n',
      ['m'],
      { a: 1, d: 4 },
      'm:\n  a: 1\n\n  # group\n\n  d: 4\n',
    ],
    [
      'the lines of the first entry after an indicator, with the others',
      'l:\n- a: 1\n  b: 2\n  c: 3\n',
      ['l', 0],
      { c: 3 },
      'l:\n- c: 3\n',
    ],
    [
      'what comes before the first entry after an indicator',
      'l:\n- - 1 # one\n  - 2\n',
      ['l', 0],
      [0, 1, 2],
      'l:\n- - 0\n  - 1 # one\n  - 2\n',
    ],
    [
      'what comes in place of the first entry after an indicator',
      'l:\n- - {a: 1}\n  - 2\n',
      ['l', 0],
      [[3], 2],
      'l:\n- - [3]\n  - 2\n',
    ],
    ['a member below a key of its own', '? a\n: b: 1\n', ['a', 'c'], 2, '? a\n: b: 1\n  c: 2\n'],
    ['a value below a key in quotes with a tag', '!!str "a": &x\n  b: 1\n', ['a', 'b'], 2, '!!str "a": &x\n  b: 2\n'],
    ['a member after an alias as its key', 'x: &x k\na:\n  *x : 1\n', ['a', 'k'], 2, 'x: &x k\na:\n  *x : 2\n'],
    [
      'lines below a nested scalar that keeps them',
      'a:\n  b:\n    - |+\n      x\n\nc: 1\n',
      ['c'],
      undefined,
      'a:\n  b:\n    - |+\n      x\n\n',
    ],
    [
      'an indentation indicator beside the one that keeps lines',
      'a: |2+\n   x\n\nb: 1\n\nc: 2\n',
      ['b'],
      undefined,
      'a: |2+\n   x\n\nc: 2\n',
    ],
  ])('%s', (...row) => check(row));
});
