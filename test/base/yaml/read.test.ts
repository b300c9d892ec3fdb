import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { placeAt } from '../../../src/base/place.ts';
import { MAX_NESTING } from '../../../src/base/yaml/build.ts';
import { readYaml } from '../../../src/base/yaml/read.ts';
import { ANY_CHARACTER } from '../../helpers/any-character.ts';

const values = (text: string): unknown[] => readYaml('a.yaml', text).documents.map(({ value }) => value);
const codes = (text: string): string[] =>
  readYaml('a.yaml', text).diagnostics.map(({ code, place }) => `${code} ${place?.line}:${place?.column}`);

describe('values', () => {
  it.each([
    ['', []],
    ['# only a comment\n', []],
    ['---\n---\na: 1\n', [null, { a: 1 }]],
    [
      'a: yes\nb: true\nc: ~\nd: 0x1F\ne: 010\nf: 1e3\ng: 2024-01-31',
      [{ a: 'yes', b: true, c: null, d: 31, e: 10, f: 1000, g: '2024-01-31' }],
    ],
    ['%YAML 1.1\n---\na: yes\n', [{ a: 'yes' }]],
    ['true: 1\n2: 3\n"x": 4\n', [{ true: 1, '2': 3, x: 4 }]],
    ['a: &x { b: 1 }\nc: *x\n', [{ a: { b: 1 }, c: { b: 1 } }]],
    ['a: &x { b: 1, c: 2 }\nd: { c: 3, <<: *x }\n', [{ a: { b: 1, c: 2 }, d: { c: 3, b: 1 } }]],
    [
      'a: &x { b: 1 }\nb: &y { b: 2, c: 3 }\nd: { <<: [*x, *y] }\n',
      [{ a: { b: 1 }, b: { b: 2, c: 3 }, d: { b: 1, c: 3 } }],
    ],
    ['"<<": 1\n', [{ '<<': 1 }]],
    ['a: |\n  two\n  lines\n', [{ a: 'two\nlines\n' }]],
    ['a: -0\n', [{ a: 0 }]],
    ['a: 9007199254740993\nb: -9007199254740993\n', [{ a: 9_007_199_254_740_993n, b: -9_007_199_254_740_993n }]],
    ['a: +9007199254740993\nb: 0x20000000000001\n', [{ a: 9_007_199_254_740_993n, b: 9_007_199_254_740_993n }]],
    ['a: 0o400000000000000001\nb: 9007199254740993.\n', [{ a: 9_007_199_254_740_993n, b: 9_007_199_254_740_993n }]],
    ['a: 1e20\nb: 100000000000000000000\nc: 1e400\n', [{ a: 1e20, b: 1e20, c: 10n ** 400n }]],
    ['a: .5\nb: 5.\nc: +0.5e1\n', [{ a: 0.5, b: 5, c: 5 }]],
    ['a: 1\r\nb: 2\r\n', [{ a: 1, b: 2 }]],
  ])('%j', (text, expected) => {
    expect(values(text)).toEqual(expected);
    expect(codes(text)).toEqual([]);
  });

  it('treats __proto__ and constructor as ordinary names', () => {
    const [value] = values('__proto__: { polluted: 1 }\nconstructor: 2\n') as [object];
    expect(Object.keys(value)).toEqual(['__proto__', 'constructor']);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});

describe('problems', () => {
  it.each([
    ['a: 1\nb: 2\na: 3\n', ['yaml-duplicate-key 3:1']],
    ['a: { b: 1, "b": 2 }\n', ['yaml-duplicate-key 1:12']],
    ['1: a\n"1": b\n', ['yaml-duplicate-key 2:1']],
    ['a: *b\n', ['yaml-alias-unknown 1:4']],
    ['a: &b [*b]\n', ['yaml-alias-unknown 1:8']],
    ['a: &b 1\n---\nc: *b\n', ['yaml-alias-unknown 3:4']],
    ['a: &b 1\nc: &b [*b]\n', ['yaml-alias-unknown 2:8']],
    ['a:\n\tb: 1\n', ['yaml-tab 2:1']],
    // One for each conflict, whatever the parser makes of its lines; other mistakes stay.
    ['a: 1\n<<<<<<< HEAD\nb: 1\n=======\nb: 2\n>>>>>>> other (b)\n', ['yaml-merge-conflict 2:1']],
    [
      'a:\r\n<<<<<<< HEAD\r\n\tb: 1\r\n=======\r\n>>>>>>> x\r\nc: [\r\n<<<<<<< HEAD\r\n>>>>>>> x\r\n',
      ['yaml-merge-conflict 2:1', 'yaml-merge-conflict 7:1'],
    ],
    ['a: |\n  <<<<<<< HEAD\n  >>>>>>> x\nb: [\n', ['yaml-syntax 5:1']],
    ['<<<<<<< HEAD\na: 1\n', ['yaml-syntax 1:1']],
    ['a: x <<<<<<< y\n]\nb: z >>>>>>> w\n', ['yaml-syntax 2:1', 'yaml-syntax 3:1']],
    ['? [a]\n: b\n', ['yaml-key-not-text 1:3']],
    [': b\n', ['yaml-key-not-text 1:1']],
    ['<<: 3\n', ['yaml-merge-not-mapping 1:1']],
    ['a: .inf\nb: .nan\n', ['type-wrong 1:4', 'type-wrong 2:4']],
    // Neither can be stored: one in the service's database, the other in UTF-8.
    ['a: "\\0"\n', ['character-forbidden 1:4']],
    ['a: ["x\\ud800y"]\n', ['character-forbidden 1:5']],
    ['"\\udc00": { "\\x00": 1 }\n', ['character-forbidden 1:1', 'character-forbidden 1:13']],
    ['a: "\\ud83d\\ude00 \\U0001F600 \\a"\n', []],
    ['a: 1.00000000000000000001\n', ['number-imprecise 1:4']],
    ['a: 1e-400\n', ['number-imprecise 1:4']],
    ['a: [1\nb: 2\n', ['yaml-syntax 2:1']],
    ['a: "x\n', ['yaml-syntax 2:1']],
    ['a: !secret b\n', ['yaml-syntax 1:4']],
    ['a: !!float 5\n', []],
    ['a: !!float x\n', ['yaml-syntax 1:4']],
    ['ok: 1\n---\na: {\n---\nfine: 2\n', ['yaml-syntax 4:1']],
  ])('%j', (text, expected) => {
    expect(codes(text)).toEqual(expected);
  });

  it('do not affect the documents around one with a mistake', () => {
    expect(values('ok: 1\n---\na: "\\q"\n---\nfine: 2\n')).toEqual([{ ok: 1 }, { fine: 2 }]);
  });
});

describe('places', () => {
  it('are the keys of members and the first characters of elements', () => {
    const text = 'flags:\n  a:\n    groups:\n      - properties: []\n        b: 1\n      - 2\n';
    const places = readYaml('a.yaml', text).documents[0]?.places;
    if (places === undefined) throw new Error('no document');
    const at = (pointer: string): string => `${placeAt(places, pointer).line}:${placeAt(places, pointer).column}`;
    expect([
      at(''),
      at('/flags/a'),
      at('/flags/a/groups'),
      at('/flags/a/groups/0'),
      at('/flags/a/groups/0/b'),
      at('/flags/a/groups/1'),
    ]).toEqual(['1:1', '2:3', '3:5', '4:9', '5:9', '6:9']);
  });

  it('of aliased values are in the anchor', () => {
    const places = readYaml('a.yaml', 'x: &x\n  b: 1\ny:\n  <<: *x\nz: *x\n').documents[0]?.places;
    expect(places?.children?.['y']?.children?.['b']?.place).toEqual({ file: 'a.yaml', line: 2, column: 3 });
    expect(places?.children?.['z']?.place).toEqual({ file: 'a.yaml', line: 5, column: 1 });
    expect(places?.children?.['z']?.children?.['b']?.place.line).toBe(2);
  });
});

describe('attacks', () => {
  it('with aliases cost one diagnostic and little memory', () => {
    let text = 'a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n';
    for (let level = 1; level < 12; level++) {
      text += `a${level}: &a${level} [${Array.from({ length: 10 }, () => `*a${level - 1}`).join(',')}]\n`;
    }
    const before = process.memoryUsage().heapUsed;
    expect(codes(text)).toEqual(['yaml-alias-bomb 6:38']);
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(50_000_000);
  });

  it.each([
    ['[', '['.repeat(1_000_000)],
    ['{', '{a: '.repeat(300_000)],
    ['-', '- '.repeat(500_000)],
    ['?', '? '.repeat(500_000)],
    ['- with anchors', Array.from({ length: 100_000 }, (_, index) => `- &a${index} `).join('')],
    ['indentation', Array.from({ length: 3000 }, (_, depth) => `${' '.repeat(depth)}a:`).join('\n')],
  ])('with a million levels of %s are refused', (_, text) => {
    expect(readYaml('a.yaml', text).diagnostics.map(({ code }) => code)).toEqual(['yaml-too-deep']);
  });

  it('are not brackets within strings', () => {
    const text = `a: "${'['.repeat(MAX_NESTING * 2)}"\nb: 'x'\nc: |\n  ${'- '.repeat(MAX_NESTING * 2)}\n`;
    expect(codes(text)).toEqual([]);
  });

  it('are found behind brackets that only close strings', () => {
    const text = `a: "${']'.repeat(MAX_NESTING * 2)}"\nb: ${'['.repeat(MAX_NESTING + 1)}`;
    expect(readYaml('a.yaml', text).diagnostics.map(({ code }) => code)).toEqual(['yaml-too-deep']);
  });

  it('are not values side by side', () => {
    const members = Array.from({ length: 1000 }, (_, index) => `"k${index}": [{}, -1, "-"]`).join(', ');
    expect(codes(`{ ${members} }\n`)).toEqual([]);
    expect(codes(`a: { ${members.replaceAll(/"(k\d+)"/g, '$1')} }\n`)).toEqual([]);
  });

  it('of any text result in documents or diagnostics', () => {
    const piece = fc.constantFrom(
      'a',
      ':',
      ' ',
      '\n',
      '  ',
      '- ',
      '[',
      ']',
      '{',
      '}',
      '&x',
      '*x',
      '<<',
      '"',
      "'",
      '|',
      '>',
      '!',
      '%',
      '#',
      ',',
      '?',
      '---',
      '\t',
      '1',
      '.inf',
      '\u0000',
      '\ud800',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.array(piece, { maxLength: 60 }).map((parts) => parts.join('')),
          fc.string({ unit: ANY_CHARACTER }),
        ),
        (text) => {
          const { documents } = readYaml('a.yaml', text);
          JSON.stringify(documents);
        },
      ),
      { numRuns: 3000 },
    );
  });
});

it.each([
  ['a: b\n   c: d\n', 'line 2 is indented deeper than line 1'],
  ['a: b\n\n# note\n   # note\n   c: d\n', 'line 5 is indented deeper than line 1'],
  ['x:\n  a: b\n  # note\n    c: d\n', 'line 4 is indented deeper than line 2'],
])('a line that is deeper than a value allows is named with the filled line above it: %j', (text, detail) => {
  const [problem] = readYaml('a.yaml', text).diagnostics;
  expect(problem).toMatchObject({ code: 'yaml-syntax', args: { detail } });
});
