/** The laws of editing YAML, in every style in which a value is written. */

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { fromPointer, toPointer, valueAt } from '../../../../src/base/json-pointer.ts';
import { isJsonArray, isJsonObject, jsonEquals, type JsonObject, type JsonValue } from '../../../../src/base/json.ts';
import { editYaml } from '../../../../src/base/yaml/editing/edit.ts';
import type { LayOut, YamlEdit } from '../../../../src/base/yaml/editing/edits.ts';
import { readYaml } from '../../../../src/base/yaml/read.ts';
import { type Block, layOutMembers } from '../../../../src/core/manifest/write/layout.ts';
import { holds } from '../../../helpers/runs.ts';
import { expectKept } from '../../../helpers/kept-lines.ts';
import { styles } from '../../../helpers/styled-yaml.ts';

/** Everything in block style. */
const each: { each?: Block } = {};
each.each = each;
const layOut: LayOut = (members, path, style) =>
  layOutMembers(members, ['all', ...path.map(String)], { blocks: { all: each }, style });

const name = fc.constantFrom(
  'a',
  'b',
  'c',
  'flags',
  'key',
  'on',
  '1',
  'x y',
  '__proto__',
  'ü',
  'a/b',
  '<',
  'long name: #',
);
const single = fc.constantFrom<JsonValue>(
  ...[
    null,
    true,
    false,
    0,
    1,
    25,
    16,
    -3,
    33.3,
    1000,
    9007199254740993n,
    '',
    'x',
    'abc',
    'two words',
    'yes',
    'on',
    '010',
  ],
  ...[
    '1_000',
    '12:30',
    '2026-01-01',
    'null',
    '# x',
    'x # y',
    ' y',
    'y ',
    '- z',
    'a: b',
    'http://x/y',
    "it's",
    '"q"',
    'ü ✓',
    '\\d+',
  ],
  ...[
    'one\ntwo\n',
    'one\n\ntwo',
    'one\n  two\n',
    'x\n\n',
    '\n',
    ' x\ny\n',
    'a\tb',
    'two  spaces',
    'x\u{202e}y',
    'w '.repeat(60).trim(),
  ],
);
const valuesOf = (
  names: fc.Arbitrary<string>,
  singles: fc.Arbitrary<JsonValue>,
): fc.LetrecValue<{ value: JsonValue; object: JsonObject }> =>
  fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 3, depthIdentifier: 'depth' },
      { weight: 3, arbitrary: singles },
      { weight: 1, arbitrary: fc.array(tie('value'), { maxLength: 4, depthIdentifier: 'depth' }) },
      { weight: 2, arbitrary: tie('object') },
    ),
    object: fc.dictionary(names, tie('value'), { maxKeys: 4, depthIdentifier: 'depth' }),
  }));
const value = valuesOf(name, single);
const object = fc.dictionary(name, value.value, { minKeys: 1, maxKeys: 5 });

/** The value of the only document. */
function read(text: string): JsonValue | undefined {
  const { documents, diagnostics } = readYaml('', text);
  expect(diagnostics).toEqual([]);
  return documents[0]?.value;
}

/** Edits of the members at the top, or of what is in them. */
function editsBetween(before: JsonObject, after: JsonObject, isDeep: boolean): YamlEdit[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names.flatMap((one): YamlEdit[] => {
    const [old, wished] = [memberOf(before, one), memberOf(after, one)];
    if (!isDeep || !isJsonObject(old) || !isJsonObject(wished)) return [{ path: [one], value: wished }];
    const below = [...new Set([...Object.keys(old), ...Object.keys(wished)])];
    return below.map((inner) => ({ path: [one, inner], value: memberOf(wished, inner) }));
  });
}

function memberOf(held: JsonObject, one: string): JsonValue | undefined {
  return Object.hasOwn(held, one) ? held[one] : undefined;
}

/** A wish that keeps most of a value: members and elements come, go, move and change. */
const step = fc.record({ at: fc.nat(), kind: fc.nat(), value: value.value, name });
const steps = fc.array(step, { minLength: 1, maxLength: 5 });

function wish(
  before: JsonObject,
  changes: readonly { at: number; kind: number; value: JsonValue; name: string }[],
): JsonObject {
  return changes.reduce<JsonValue>((current, change) => mutate(current, change, 0), before) as JsonObject;
}

function mutate(
  current: JsonValue,
  change: { at: number; kind: number; value: JsonValue; name: string },
  depth: number,
): JsonValue {
  const { at, kind } = change;
  const below = { ...change, at: Math.floor(at / 3), kind: Math.floor(kind / 5) };
  if (isJsonArray(current)) {
    const index = current.length === 0 ? 0 : at % current.length;
    const rest = current.toSpliced(index, 1);
    if (kind % 5 === 0 || current.length === 0) return current.toSpliced(index, 0, change.value);
    if (kind % 5 === 1) return rest;
    if (kind % 5 === 2) return rest.toSpliced(Math.floor(at / 7) % (rest.length + 1), 0, current[index] as JsonValue);
    return current.with(index, mutate(current[index] as JsonValue, below, depth + 1));
  }
  if (!isJsonObject(current)) return change.value;
  const names = Object.keys(current);
  const one = names[at % Math.max(names.length, 1)];
  const entries = new Map(Object.entries(current) as [string, JsonValue][]);
  if (kind % 5 === 0 || one === undefined) entries.set(change.name, change.value);
  else if (kind % 5 === 1) entries.delete(one);
  else entries.set(one, mutate(entries.get(one) ?? null, below, depth + 1));
  return Object.fromEntries(entries);
}

/** A tag that says `string` rules out other values. All else can be said. */
function edited(text: string, edits: readonly YamlEdit[]): string | undefined {
  const { text: after, refused } = editYaml(text, edits, { layOut });
  expect(refused.filter(({ reason }) => reason !== 'tag' || !text.includes('!!str'))).toEqual([]);
  return refused.length === 0 ? after : undefined;
}

test('a text reads as the value that it was made from', () => {
  holds(600, [object, styles()], (before, style) => {
    expect(jsonEquals(read(style(before).text), before)).toBe(true);
  });
});

test('an edited text reads as wished, editing it again changes nothing, and the way back leads to the values before', () => {
  holds(1200, [object, steps, styles(), fc.boolean()], (before, changes, style, isDeep) => {
    const after = wish(before, changes);
    const { text } = style(before);
    const edits = editsBetween(before, after, isDeep);
    const result = edited(text, edits);
    if (result === undefined) return;
    expect(jsonEquals(read(result), after)).toBe(true);
    expect(result.startsWith('\u{feff}')).toBe(text.startsWith('\u{feff}'));
    expect(/(?<!\r)\n/.test(result)).toBe(!text.includes('\r\n') && result.includes('\n'));
    expect(edited(result, edits)).toBe(result);
    const back = edited(result, editsBetween(after, before, isDeep));
    if (back !== undefined) expect(jsonEquals(read(back), before)).toBe(true);
  });
});

const plainName = fc.constantFrom('a', 'b', 'flags', 'key', '1', 'x y', 'ü');
const plainSingle = fc.constantFrom<JsonValue>(null, true, 25, '', 'x', 'two words', "it's", 'one\ntwo\n');
const plain = valuesOf(plainName, plainSingle);
const plainObject = fc.dictionary(plainName, plain.value, { minKeys: 1, maxKeys: 4 });
const inner = fc.dictionary(plainName, fc.oneof({ weight: 4, arbitrary: plainObject }, plain.value), { maxKeys: 6 });
const plainRoot = fc.dictionary(plainName, fc.oneof({ weight: 4, arbitrary: inner }, plain.value), { maxKeys: 3 });
/** Read without the parser of all YAML, mostly. */
const plainStyles = fc
  .record({
    indentSeq: fc.boolean(),
    indent: fc.constantFrom(2, 4),
    above: fc.constantFrom('', '\n', '$1# c\n', '\n# c\n'),
  })
  .map(({ above, ...options }) => (written: JsonObject) => ({
    text: stringify(written, { ...options, lineWidth: 0 }).replaceAll(/^( *)\S+:$/gm, `${above}$&`),
  }));

test('edits of some members come out alike, whether the others are read with their syntax or not', () => {
  const change = fc.record({
    at: fc.nat(),
    steps: fc.array(fc.record({ at: fc.nat(), kind: fc.nat(), value: plain.value, name: plainName }), { minLength: 1 }),
  });
  const changes = fc.array(change, { minLength: 1, maxLength: 3 });
  holds(1200, [plainRoot, changes, fc.oneof(plainStyles, styles())], (before, changed, style) => {
    const parts = Object.entries(before).flatMap(([section, members]) =>
      Object.entries(isJsonObject(members) ? members : {}).flatMap(([key, part]) =>
        isJsonObject(part) ? { path: [section, key], part } : [],
      ),
    );
    const chosen = new Map(changed.map((one) => [parts[one.at % Math.max(parts.length, 1)], one.steps]));
    const edits = [...chosen].flatMap(([found, own]) =>
      found === undefined
        ? []
        : editsBetween(found.part, wish(found.part, own), true).map(
            (edit) => ({ ...edit, path: [...found.path, ...edit.path] }) as unknown as YamlEdit,
          ),
    );
    expectAlike(style(before).text, edits);
  });
});

test('edits of scalars come out alike, whether the members beside them are read with their syntax or not', () => {
  const part = fc.dictionary(plainName, plain.value, { minKeys: 2, maxKeys: 4 });
  const root = fc.dictionary(plainName, fc.dictionary(plainName, part, { minKeys: 1, maxKeys: 3 }), { minKeys: 1 });
  const editOf = fc.record({ at: fc.nat(), kind: fc.nat(9), value: plainSingle });
  const editing = fc.array(editOf, { minLength: 1, maxLength: 3 });
  holds(1200, [root, editing, fc.oneof(plainStyles, styles())], (before, chosen, style) => {
    const paths = scalarsIn(before).filter((path) => path.length > 2);
    const edits = chosen.flatMap(({ at, kind, value: wished }): YamlEdit[] => {
      const path = paths[at % Math.max(paths.length, 1)];
      if (path === undefined) return [];
      // Some go, and some come beside another.
      if (kind === 0) return [{ path, value: undefined }];
      const beside = [...path.slice(0, -1), 'new'] as unknown as YamlEdit['path'];
      return [{ path: kind === 1 && typeof path.at(-1) === 'string' ? beside : path, value: wished }];
    });
    expectAlike(style(before).text, edits);
  });
});

/** Whether only parts of a simple text are read with their syntax, or all of it. */
function expectAlike(text: string, edits: readonly YamlEdit[]): void {
  // A text with a tab is not simple: everything in it is read with its syntax.
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const withComment = (written: string): string => written.replace(/^\u{feff}?/u, `$&#\t${eol}`);
  const { text: expected, refused: left } = editYaml(withComment(text), edits, { layOut });
  const { text: made, refused } = editYaml(text, edits, { layOut });
  expect(withComment(made)).toBe(expected);
  expect(refused.map((one) => ({ ...one, line: one.line + 1 }))).toEqual(left);
}

/** The paths of all scalars in a value. */
function scalarsIn(held: JsonValue | undefined, path: readonly (string | number)[] = []): YamlEdit['path'][] {
  if (isJsonArray(held)) return held.flatMap((element, index) => scalarsIn(element, [...path, index]));
  if (isJsonObject(held)) return Object.entries(held).flatMap(([one, inside]) => scalarsIn(inside, [...path, one]));
  return [path as unknown as YamlEdit['path']];
}

test('the text outside a changed value stays, byte for byte', () => {
  holds(1200, [object, fc.nat(), single, styles()], (before, at, wished, style) => {
    const { text, spans } = style(before);
    const leaves = [...spans].filter(([pointer]) => isSingle(valueAt(before, pointer)));
    const [
      pointer,
      {
        value: [start, end],
      },
    ] = leaves[at % Math.max(leaves.length, 1)] ?? ['', { value: [0, 0] }];
    if (pointer === '') return;
    const result = edited(text, [{ path: pathOf(before, pointer), value: wished }]);
    if (result === undefined) return;
    // What takes the place of nothing may have lines of its own, below the comment on the line of the key.
    const suffix = start === end ? '' : text.slice(end);
    expect(result.startsWith(text.slice(0, start))).toBe(true);
    expect(result.endsWith(suffix)).toBe(true);
    expect(result.length).toBeGreaterThanOrEqual(start + suffix.length);
  });
});

test('lines in which nothing changes stay, in their order', () => {
  holds(1200, [object, steps, styles()], (before, changes, style) => {
    const after = wish(before, changes);
    const styled = style(before);
    const result = edited(styled.text, editsBetween(before, after, false));
    if (result === undefined) return;
    expectKept(styled, { before, after, text: result });
  });
});

const SHARED = `base: &base # the base
  a: 1
  b: { c: &c 2 }
one:
  <<: *base
  a: 5
  d: 3
two: *base # two
list:
  - *base
  - x
  - *c
free: &free
  e: [1, 2] # free
`;

const pathInShared = fc.constantFrom<YamlEdit['path']>(
  ...(['base', 'one', 'two', 'list', 'free', 'new'] as const).map((one) => [one] as const),
  ...(['base', 'one', 'two', 'free'] as const).flatMap(
    (one) =>
      [
        [one, 'a'],
        [one, 'b'],
        [one, 'd'],
        [one, 'b', 'c'],
      ] as const,
  ),
  ...[0, 1, 2, 3].map((index) => ['list', index] as const),
  ['list', 0, 'a'],
  ['free', 'e'],
  ['free', 'e', 1],
  ['free', 'e', 'x'],
);
const REASONS = new Set(['alias', 'merge-key', 'anchor', 'no-mapping', 'overlapping']);

test('what aliases and merge keys share is refused, and everything else is edited', () => {
  const editing = fc.record({ path: pathInShared, value: fc.oneof(value.value, fc.constant(undefined)) });
  holds(
    1200,
    [fc.uniqueArray(editing, { minLength: 1, maxLength: 4, selector: ({ path }) => toPointer(path) })],
    (edits) => {
      const { text, refused } = editYaml(SHARED, edits, { layOut });
      const before = read(SHARED) as JsonObject;
      // An edit to the value that is there changes nothing, also beside one of the value around it.
      const isSaid = ({ path, value: wished }: YamlEdit): boolean => {
        const known = valueAt(before, toPointer(path));
        return wished === undefined || known === undefined ? wished === known : jsonEquals(wished, known);
      };
      const made = edits.filter((one) => !isSaid(one) && refused.every(({ edit }) => edit !== one));
      expect(refused.filter(({ reason }) => !REASONS.has(reason))).toEqual([]);
      expect(jsonEquals(read(text), madeIn(before, made))).toBe(true);
      expect(editYaml(text, made.filter(isStable), { layOut })).toEqual({ text, refused: [] });
    },
  );
});

/** An index leads elsewhere once an element is removed or added. */
function isStable({ path: [first] }: YamlEdit): boolean {
  return first !== 'list' && first !== 'free';
}

function madeIn(before: JsonObject, edits: readonly YamlEdit[]): JsonValue {
  // From the last index, so that the others stay right.
  const lastIndex = ({ path }: YamlEdit): number => Number.parseInt(String(path.at(-1)), 10) || 0;
  const sorted = edits.toSorted((a, b) => lastIndex(b) - lastIndex(a));
  return sorted.reduce<JsonValue>((current, { path, value: wished }) => setIn(current, path, wished) ?? null, before);
}

function setIn(
  current: JsonValue | undefined,
  [first, ...rest]: readonly (string | number)[],
  wished: JsonValue | undefined,
): JsonValue | undefined {
  if (first === undefined) return wished;
  if (isJsonArray(current)) {
    const index = Math.min(Number(first), current.length);
    const element = setIn(current[index], rest, wished);
    return element === undefined ? current.toSpliced(index, 1) : current.toSpliced(index, 1, element);
  }
  const members = new Map(Object.entries(isJsonObject(current) ? current : {}) as [string, JsonValue][]);
  const member = setIn(members.get(String(first)), rest, wished);
  if (member === undefined) members.delete(String(first));
  else members.set(String(first), member);
  return isJsonObject(current) || members.size > 0 ? Object.fromEntries(members) : current;
}

function isSingle(held: JsonValue | undefined): boolean {
  return !isJsonArray(held) && !isJsonObject(held);
}

function pathOf(before: JsonObject, pointer: string): YamlEdit['path'] {
  let current: JsonValue | undefined = before;
  return fromPointer(pointer).map((segment) => {
    const key = isJsonArray(current) ? Number(segment) : segment;
    current = isJsonArray(current) ? current[Number(segment)] : memberOf(current as JsonObject, segment);
    return key;
  }) as unknown as YamlEdit['path'];
}
