import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { LongDecimal } from '../../../../src/base/exact-number.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../../src/base/json.ts';
import { editYaml } from '../../../../src/base/yaml/editing/edit.ts';
import type { MemberEdit } from '../../../../src/base/yaml/editing/edits.ts';
import { readYaml } from '../../../../src/base/yaml/read.ts';
import { holds } from '../../../helpers/runs.ts';

const layOut = (members: JsonObject): string => stringify(members);

function edited(text: string, ...edits: readonly (readonly [path: string, value: JsonValue])[]): string {
  const { text: after, refused } = editYaml(text, edits.map(toEdit), { layOut });
  expect(refused).toEqual([]);
  return after;
}

function toEdit([path, value]: readonly [string, JsonValue]): MemberEdit {
  return { path: path.split('/') as [string, ...string[]], value };
}

/** What was refused, without the reasons. */
function result(text: string, ...edits: readonly MemberEdit[]): { text: string; refused: MemberEdit[] } {
  const { text: after, refused } = editYaml(text, edits, { layOut });
  return { text: after, refused: refused.map(({ edit }) => edit) };
}

describe('a member is set, and all other text stays', () => {
  test.each<[what: string, before: string, edits: [string, JsonValue][], after: string]>([
    ['a number', 'a: 1 # one\nb: 2\n', [['a', 5]], 'a: 5 # one\nb: 2\n'],
    ['a new member at the end', 'a: 1 # one\n# tail\n', [['b', 2]], 'a: 1 # one\nb: 2\n# tail\n'],
    ['without a line break at the end', 'a: 1', [['b', 2]], 'a: 1\nb: 2'],
    ['in a mapping below', 'a:\n    b: 1 # x\n\nc: 2\n', [['a/d', 3]], 'a:\n    b: 1 # x\n    d: 3\n\nc: 2\n'],
    ['mappings that are missing', 'a: 1\n', [['b/c/d', 3]], 'a: 1\nb:\n  c:\n    d: 3\n'],
    [
      'two in one new mapping',
      'a: 1\n',
      [
        ['b/c', 3],
        ['b/d', 4],
      ],
      'a: 1\nb:\n  c: 3\n  d: 4\n',
    ],
    [
      'in mappings that end together',
      'a:\n  b: 1\n',
      [
        ['a/c', 2],
        ['d', 3],
        ['a/b', 0],
      ],
      'a:\n  b: 0\n  c: 2\nd: 3\n',
    ],
    ['in place of no value', 'a: # nothing\nb: 2\n', [['a/c', 1]], 'a: # nothing\n  c: 1\nb: 2\n'],
    ['on one line', 'a: { b: 1 } # x\n', [['a/c', [1, 2]]], 'a: { b: 1, c: [1, 2] } # x\n'],
    ['in an empty mapping', 'a: {}\n', [['a/c', 1]], 'a:\n  c: 1\n'],
    ['over several lines in brackets', 'a: {\n  b: 1, # x\n}\n', [['a/c', 1]], 'a: {\n  b: 1, # x\n  c: 1,\n}\n'],
    ['a mapping in place of a number', 'a: 1 # one\n', [['a', { b: [1] }]], 'a: # one\n  b:\n    - 1\n'],
    ['a number in place of a mapping', 'a:\n  b: 1\n  c: 2 # two\nd: 1\n', [['a', 5]], 'a: 5\nd: 1\n'],
    [
      'after a literal',
      'a:\n  b: |\n    x\n\n    y\n\nc: 1\n',
      [['a/d', 1]],
      'a:\n  b: |\n    x\n\n    y\n  d: 1\n\nc: 1\n',
    ],
    ['in place of a literal', 'a: |\n  x\nb: 1\n', [['a', 'y']], 'a: |-\n  y\nb: 1\n'],
    [
      'after a list that is not indented',
      'a:\n  b:\n  - 1\n  - 2 # two\n',
      [['a/c', 1]],
      'a:\n  b:\n  - 1\n  - 2 # two\n  c: 1\n',
    ],
    [
      'with the line breaks of the file',
      'a:\r\n  b: 1\r\n',
      [['a/c', { d: 1, e: 2 }]],
      'a:\r\n  b: 1\r\n  c:\r\n    d: 1\r\n    e: 2\r\n',
    ],
    [
      'with the line break of the line before, where a file has both',
      'a: 1\nb:\r\n  c: 1\r\n',
      [['b/d', 2]],
      'a: 1\nb:\r\n  c: 1\r\n  d: 2\r\n',
    ],
    ['after a byte order mark', '\u{feff}a: 1\n', [['b', 1]], '\u{feff}a: 1\nb: 1\n'],
    ['in an empty text', '', [['a/b', 1]], 'a:\n  b: 1\n'],
    ['in a text with nothing but comments', '# a\n', [['a/b', 1]], '# a\na:\n  b: 1\n'],
    ['under a quoted key', '"a": 1\n\'b\' : 2\n', [['b', 3]], '"a": 1\n\'b\' : 3\n'],
    ['in the second document', 'a: 1\n---\nb:\n  c: 1\n', [['b/d', 2]], 'a: 1\n---\nb:\n  c: 1\n  d: 2\n'],
    [
      'before the end of a document',
      'b:\n  c: 1\n...\n---\na: 1\n',
      [['b/d', 2]],
      'b:\n  c: 1\n  d: 2\n...\n---\na: 1\n',
    ],
    [
      'nothing, where the value is the same',
      'a: 0x10\nb: { c: [1] }\n',
      [
        ['a', 16],
        ['b', { c: [1] }],
      ],
      'a: 0x10\nb: { c: [1] }\n',
    ],
  ])('%s', (_what, before, edits, after) => {
    expect(edited(before, ...edits)).toBe(after);
    expect(edited(after, ...edits)).toBe(after);
  });
});

describe('an edit that would change something else is refused, and the others are made', () => {
  test.each<[what: string, before: string, path: string]>([
    ['in an alias', 'a: &a { x: 1 }\nb: *a\n', 'b/x'],
    ['in an anchor that is used elsewhere', 'a: &a { x: 1 }\nb: *a\n', 'a/x'],
    ['in place of an anchor that is used elsewhere', 'a: &a 1\nb: *a\n', 'a'],
    ['in a mapping that comes from a merge', 'x: &x { p: { s: 1 } }\nb:\n  <<: *x\n', 'b/p/t'],
    ['in place of a member that a merge key gives', 'x: &x { a: 1 }\nb:\n  <<: *x\n  c: 1\n', 'b/a'],
    ['in a list', 'a: [1]\nb: *a\n'.replace('*a', '1'), 'a/x'],
    ['in a string', 'a: x\n', 'a/x'],
  ])('%s', (_what, before, path) => {
    const good = { path: ['z'] as [string], value: 1 };
    const bad = toEdit([path, 7]);
    expect(result(before, bad, good)).toEqual({ text: `${before}z: 1\n`, refused: [bad] });
  });

  test.each<[what: string, value: JsonValue]>([
    ['a number that a double would round', new LongDecimal('0.1234567890123456789')],
    ['such a number in a mapping', { b: [new LongDecimal('1e400')] }],
    ['half of a pair of characters', 'x\u{d800}'],
    ['a name with one', { 'x\u{d800}': 1 }],
  ])('to %s, which YAML cannot hold', (_what, value) => {
    const edits: MemberEdit[] = [
      { path: ['a'], value },
      { path: ['b'], value: 2 },
    ];
    const { text, refused } = editYaml('a: 1\nb: 1\n', edits, { layOut });
    expect(text).toBe('a: 1\nb: 2\n');
    expect(refused).toEqual([{ edit: edits[0], reason: 'unwritable', line: 1, column: 1 }]);
  });

  test('in a text that cannot be read', () => {
    const edit = toEdit(['a', 1]);
    expect(result('a: [', edit)).toEqual({ text: 'a: [', refused: [edit] });
  });
});

const name = fc.constantFrom('a', 'b', 'on', '1', 'x y', '__proto__', 'ü');
const json = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<JsonValue>(null, true, 1, '', 'x', 'a\nb\n', 'null', '# x', ' y', '- z', '2026-01-01'),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(name, tie('value'), { maxKeys: 3 }),
  ),
})).value;

test('any member of any mapping can be set, whatever the style', () => {
  const style = fc.record({
    collectionStyle: fc.constantFrom('any', 'block', 'flow'),
    indent: fc.constantFrom(2, 4),
  } as const);
  const path = fc.array(name, { minLength: 1, maxLength: 3 });
  holds(500, [fc.dictionary(name, json, { minKeys: 1 }), style, path, json], (object, as, names, value) => {
    const text = stringify(object, { ...as, lineWidth: 40 });
    const edit = { path: names as [string, ...string[]], value };
    const { text: after, refused } = result(text, edit);
    const blocked = isBlocked(object, names);
    expect(refused).toEqual(blocked ? [edit] : []);
    expect(readYaml('', after).documents[0]?.value).toEqual(blocked ? object : set(object, names, value));
  });
});

test('a text with Windows line ends gets the same edits, and keeps its line ends', () => {
  const path = fc.array(name, { minLength: 1, maxLength: 3 });
  const style = fc.constantFrom<'block' | 'flow'>('block', 'flow');
  holds(
    300,
    [fc.dictionary(name, json, { minKeys: 1 }), style, path, json],
    (object, collectionStyle, names, value) => {
      const text = stringify(object, { collectionStyle, lineWidth: 40 });
      const edit = { path: names as [string, ...string[]], value };
      const { text: after, refused } = result(text, edit);
      expect(result(onWindows(text), edit)).toEqual({ text: onWindows(after), refused });
    },
  );
});

function onWindows(text: string): string {
  return text.replaceAll('\n', '\r\n');
}

function isBlocked(value: JsonValue | undefined, [first = '', ...rest]: readonly string[]): boolean {
  if (value === null || value === undefined) return false;
  if (!isJsonObject(value)) return true;
  return rest.length > 0 && Object.hasOwn(value, first) && isBlocked(value[first], rest);
}

function set(value: JsonValue | undefined, [first = '', ...rest]: readonly string[], member: JsonValue): JsonValue {
  const object = isJsonObject(value) ? value : {};
  const below = Object.hasOwn(object, first) ? object[first] : undefined;
  const entries = new Map(Object.entries(object));
  entries.set(first, rest.length === 0 ? member : set(below, rest, member));
  return Object.fromEntries(entries) as JsonObject;
}

test.each([
  ['keeps all line breaks', 'a: |+\n  x\nb: 1\n', 'y\n', 'a: |+\n  y\nb: 1\n'],
  ['keeps two of them', 'a: |+\n  x\nb: 1\n', 'y\n\n', 'a: |+\n  y\n\nb: 1\n'],
  ['keeps none', 'a: |+\n  x\nb: 1\n', 'y', 'a: |-\n  y\nb: 1\n'],
  ['keeps one', 'a: |-\n  x\nb: 1\n', 'y\n', 'a: |\n  y\nb: 1\n'],
  ['was empty', 'm:\n  a: |\n  b: 1\n', 'y\n', 'm:\n  a: |\n    y\n  b: 1\n'],
  ['says its indentation', 'a: |4-\n      x\nb: 1\n', '  y', 'a: |4-\n      y\nb: 1\n'],
  ['is folded, with a comment', 'a: >- # why\n  x\n  z\nb: 1\n', 'y', 'a: >- # why\n  y\nb: 1\n'],
])('a block scalar that %s stays one', (_, before, value, after) => {
  const path = before.startsWith('m') ? 'm/a' : 'a';
  expect(edited(before, [path, value])).toBe(after);
});

test('a block scalar does not begin to keep empty lines, since those below it may be those of an entry that goes', () => {
  const text = 'a: |-\n  x\nb:\n\n# c\n';
  const edits = [
    { path: ['a'], value: 'x\n\n' },
    { path: ['b'], value: undefined },
  ] as const;
  expect(editYaml(text, edits, { layOut })).toEqual({ text: 'a: "x\\n\\n"\n\n# c\n', refused: [] });
});

test.each<[what: string, before: string, after: string]>([
  ['above, which stay between its neighbours', 'a: 1\n\nb: 2\nc: 3\n', 'a: 1\n\nc: 3\n'],
  ['below, which stay between its neighbours', 'a: 1\nb: 2\n\nc: 3\n', 'a: 1\n\nc: 3\n'],
  ['on both sides, of which one goes', 'a: 1\n\nb: 2\n\nc: 3\n', 'a: 1\n\nc: 3\n'],
  ['above, at the end', 'a: 1\n\nb: 2\n', 'a: 1\n'],
])('a member goes, with empty lines %s', (_what, before, after) => {
  expect(editYaml(before, [{ path: ['b'], value: undefined }], { layOut })).toEqual({ text: after, refused: [] });
});
