/** What the simple reader reads, the parser reads alike: the parser decides what YAML means. */

import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { globSync } from 'tinyglobby';
import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../../src/base/json.ts';
import { readSyntax, readYaml } from '../../../src/base/yaml/read.ts';
import { readSimple } from '../../../src/base/yaml/simple.ts';
import { writeManifests } from '../../../src/loop/export/write-manifests.ts';
import { holds, runs } from '../../helpers/runs.ts';
import { styles } from '../../helpers/styled-yaml.ts';

/** Whether the text is simple. If so, the parser finds the same value at the same places and nothing to report. */
function expectAlike(text: string): boolean {
  const simple = readSimple('a.yaml', text);
  if (simple === undefined) return false;
  const { documents, diagnostics } = readSyntax('a.yaml', text, {});
  const parsed = documents.map(({ value, places }) => ({ value, places }));
  const found = { text, documents: [simple], diagnostics: [] };
  // Cheap for the texts that pass, of which there are very many.
  if (!isDeepStrictEqual(found, { text, documents: parsed, diagnostics }))
    expect(found).toStrictEqual({ text, documents: parsed, diagnostics });
  return true;
}

const isSimple = (text: string): boolean => readSimple('a.yaml', text) !== undefined;

const FIXTURES = globSync('{examples,templates,test/fixtures,.github}/**/*.{yaml,yml}').map((file) =>
  readFileSync(file, 'utf8'),
);
const SUITE: Readonly<Record<string, string>> = JSON.parse(
  readFileSync('test/fixtures/yaml-test-suite/cases.json', 'utf8'),
);

const MANIFEST = `# yaml-language-server: $schema=manifest.schema.json
flags:
  checkout-new:
    description: The new checkout, behind a flag: no
    active: true # for all

    tags: [checkout, 'q3', "a \\"b\\" \\u00e9"]
    filters:
      groups:
        - properties:
            - { key: email, type: person, operator: icontains, value: "@acme.example" }
            - key: plan
              value:
              - pro
              - it's
          rollout_percentage: 33.3
        -
          properties: []
          rollout_percentage: -5
        - - nested
          - 'it''s'
      payloads: {"control":{"a":[1, null]}, test: { }}
    note: |
      Two lines,

        one of them indented.

    folded: >-
      One paragraph
      in two lines.
    wide: [
      one,
      two: 2,
    ]
    below:
      [
        1, ~, No, FALSE
      ]
    empty: ~
  # the last one
  2026-01-01: { only_in: [10.0.0.1, 1.2.3, 0, -0, 0.5], time: 12:30, "<<": x }
`
  .replace('a flag: no', 'a flag')
  .replace('two: 2', 'two');

describe('the parser agrees', () => {
  it('on the YAML test suite', () => {
    const simple = Object.values(SUITE).filter((text) => expectAlike(text));
    expect(Object.keys(SUITE)).toHaveLength(402);
    expect(simple.length).toBeGreaterThan(50);
  });

  it('on every YAML file and every YAML example of the repository', () => {
    const pages = globSync('{docs,examples}/**/*.md').map((file) => readFileSync(file, 'utf8'));
    const examples = pages.flatMap((page) => [...page.matchAll(/```ya?ml\n(.*?)```/gs)].map(([, text = '']) => text));
    expect(examples.length).toBeGreaterThan(40);
    for (const text of [...FIXTURES, ...examples]) expectAlike(text);
  });

  it('on any value in any style', () => {
    const value = fc.dictionary(fc.string({ maxLength: 5 }), fc.jsonValue({ maxDepth: 3 })) as fc.Arbitrary<JsonObject>;
    holds(2000, [value, styles(), styles({ aliases: true })], (object, write, writeAliases) => {
      expectAlike(write(object).text);
      expectAlike(writeAliases(object).text);
    });
  });

  it('on manifests with any mistake', () => {
    const originals = [MANIFEST, ...FIXTURES.filter((text) => text.length < 1500), ...Object.values(SUITE)];
    let simple = 0;
    holds(
      10_000,
      [fc.constantFrom(MANIFEST, ...originals), fc.array(mistake(), { minLength: 1, maxLength: 3 })],
      (text, mistakes) => {
        if (expectAlike(mistakes.reduce((mistaken, make) => make(mistaken), text))) simple += 1;
      },
    );
    expect(simple).toBeGreaterThan(runs(10_000) / 20);
  });

  // A few lines of each kind in any order: what is above and below a line decides what it means.
  it.each([
    ['blocks', ['', '# c', 'a:', 'b: c', '- a', '- b: c', '  x', '  e: f', '  - h', '  -']],
    ['scalars', ['', '  #', 'a: |', 'b: >-', 'd:', '  x', '   y ', ' w', "f: 'r'", '  "s"']],
    ['brackets', ['', 'a: [', 'b: {', 'c:', '- [', '  [d, e]', '  f,', ']', '  }', '  "j":k,']],
    ['whole files', ['# c', '---', '...', 'a', 'a: b', '"c"', '[', ']', '|', '- g']],
  ])('on any four lines: %s', (_, lines) => {
    const two = lines.flatMap((first) => lines.map((second) => `${first}\n${second}`));
    for (const first of two) for (const second of two) expectAlike(`${first}\n${second}\n`);
  });
});

describe('simple', () => {
  it('are the files that people and programs write', () => {
    const flags = ['today', '2023'].map((year): unknown => {
      return JSON.parse(readFileSync(`test/fixtures/flags-${year}.json`, 'utf8')).results;
    });
    const exported = flags.flatMap((listed) =>
      [{}, { full: true }].flatMap((options) => {
        const input = { flags: listed as never[], roleAccess: undefined, names: { roles: {}, cohorts: {} } };
        return writeManifests(input, options).files.map(({ text }) => text);
      }),
    );
    const written = globSync('{examples,templates}/**/*.yaml').map((file) => readFileSync(file, 'utf8'));
    const others = [...written, ...exported].filter((text) => !isSimple(text));
    expect(others.filter((text) => !/[&*]\w/.test(text))).toEqual([]);
    expect(others).toHaveLength(1);
    expect(isSimple(MANIFEST)).toBe(true);
    expect(isSimple(JSON.stringify(flags[0]))).toBe(true);
    expect(isSimple(JSON.stringify(flags[1], undefined, 2))).toBe(true);
  });

  it.each<[string, JsonValue]>([
    ['---\na: b\n', { a: 'b' }],
    ['a:\n- b\n- c: d\n  e: ~\n', { a: ['b', { c: 'd', e: null }] }],
    ['a: # comment\n  # comment\n  b: c#d\n', { a: { b: 'c#d' } }],
    ['a: "ü \\ud83d\\ude00"\n', { a: 'ü 😀' }],
    ['a: -0\nb: 010x\nc: .x\nd: 1_0\ne: 1-2\n', { a: 0, b: '010x', c: '.x', d: '1_0', e: '1-2' }],
    ['a: >\n  b\n  c\n\n\nd: |\n  e\n', { a: 'b c\n', d: 'e\n' }],
  ])('is %j', (text, value) => {
    expect(readSimple('a.yaml', text)?.value).toEqual(value);
    expectAlike(text);
  });

  it.each([
    ...['', '# only a comment\n', 'a: 1\na: 2\n', '"a": 1\na: 2\n', 'a: &x b\n', 'a: *x\n', 'a: !!str b\n', '<<: {}\n'],
    ...[
      '%YAML 1.2\n---\na: b\n',
      'a: b\n---\nc: d\n',
      'a: b\n...\n',
      '? a\n: b\n',
      'a: b\r\n',
      'a:\tb\n',
      '__proto__: 1\n',
    ],
    ...[
      'a: 0x1F\n',
      'a: 010\n',
      'a: 1e3\n',
      'a: .5\n',
      'a: .inf\n',
      'a: 9007199254740993\n',
      'a: 1.00000000000000000001\n',
    ],
    ...[
      'a: b\n  c\n',
      'a: "b\n  c"\n',
      'a: |2\n   b\n',
      'a: >\n  b\n\n  c\n',
      'a: "\\x41"\n',
      'a: "\\ud800"\n',
      'a: "\\u0000"\n',
    ],
    ...[
      'a: [b # c\n  ]\n',
      'a: [b: c]\n',
      'a: {b}\n',
      'a: {b: }\n',
      '-\n- a\n',
      '\u{feff}a: b\n',
      'a: \u00a0\n',
      'a: \u2028\n',
    ],
    ...['- '.repeat(95) + 'a\n', `a: ${'['.repeat(95)}${']'.repeat(95)}\n`, `${'a'.repeat(1001)}: b\n`],
    // The parser joins such a value with the lines below.
    'a:\n\n# c\n  b\nd: e\n',
  ])('is not %j', (text) => {
    expect(isSimple(text)).toBe(false);
  });
});

it('any other text is read by the parser', () => {
  expect(readYaml('a.yaml', 'a: &x [1]\nb: *x\n').documents[0]?.value).toEqual({ a: [1], b: [1] });
  expect(readYaml('a.yaml', 'a: 1\na: 2\n').diagnostics.map(({ code }) => code)).toEqual(['yaml-duplicate-key']);
});

/** A change of a text, as a slip or a merge makes it. */
function mistake(): fc.Arbitrary<(text: string) => string> {
  const place = fc.double({ min: 0, max: 1, noNaN: true });
  const piece = fc.constantFrom(...PIECES);
  const atLine = (change: (lines: string[], at: number) => unknown, at: number) => (text: string) => {
    const lines = text.split('\n');
    change(lines, Math.floor(at * lines.length));
    return lines.join('\n');
  };
  return fc.oneof(
    fc.tuple(place, piece, fc.nat(2)).map(([at, inserted, removed]) => (text: string) => {
      const from = Math.floor(at * text.length);
      return text.slice(0, from) + inserted + text.slice(from + removed);
    }),
    fc
      .tuple(place, piece)
      .map(([at, added]) => atLine((lines, line) => lines.splice(line, 1, lines[line] + added), at)),
    fc
      .tuple(place, fc.nat(8), piece)
      .map(([at, indent, added]) => atLine((lines, line) => lines.splice(line, 0, ' '.repeat(indent) + added), at)),
    fc
      .tuple(place, fc.nat(8))
      .map(([at, indent]) =>
        atLine((lines, line) => lines.splice(line, 1, ' '.repeat(indent) + (lines[line] ?? '').trimStart()), at),
      ),
    fc
      .tuple(place, place)
      .map(([at, other]) =>
        atLine((lines, line) => lines.splice(line, 1, lines[Math.floor(other * lines.length)] ?? ''), at),
      ),
    fc.tuple(place, fc.nat(3)).map(([at, removed]) => atLine((lines, line) => lines.splice(line, removed), at)),
  );
}

const PIECES = [
  ...[
    '',
    ' ',
    '  ',
    '\n',
    '\n\n',
    ':',
    ': ',
    '- ',
    '-',
    '#',
    ' #',
    '# c',
    '"',
    "'",
    ',',
    '[',
    ']',
    '{',
    '}',
    '[]',
    '{}',
    '|',
    '>',
    '|-',
  ],
  ...[
    '&a ',
    '*a',
    '!t ',
    '?',
    '? ',
    '%',
    '@',
    '`',
    '~',
    'null',
    'No',
    'TRUE',
    '1',
    '-1',
    '0',
    '.5',
    '0x1F',
    '1e3',
    '010',
    '.inf',
    '1.',
  ],
  ...[
    'a',
    'a: b',
    'a:',
    '- a',
    '- - a',
    '\t',
    '\r',
    '\r\n',
    '---',
    '---\n',
    '...',
    '<<',
    '<<: *a',
    '<',
    '=',
    '\\',
    '\\n',
    "''",
    'a#b',
    'a:b',
  ],
  ...[
    '"a": 1',
    '"a":1',
    '{a: 1}',
    '[a, b]',
    '\n  ',
    '\n# c\n',
    '\n\n# c\n  ',
    'é',
    '😀',
    '\u00a0',
    '\u2028',
    '\ufeff',
    '\u0085',
    '\ud800',
  ],
];

it.each([
  '~',
  ...['null', 'true', 'false'].flatMap((word) => [word, word.toUpperCase(), word[0]?.toUpperCase() + word.slice(1)]),
])('reads the word %s as the parser does', (word) => {
  expect(expectAlike(`a: ${word}\nb: [${word}]\n`)).toBe(true);
  expect(readSimple('a.yaml', `a: ${word}\n`)?.value).not.toEqual({ a: word });
});

it.each(['nULL', 'nul', 'nulll', 'TRue', 'tRUE', 'fALSE', 'yes', 'No', 'on', '~~'])('reads %s as a string', (word) => {
  expect(expectAlike(`a: ${word}\n`)).toBe(true);
  expect(readSimple('a.yaml', `a: ${word}\n`)?.value).toEqual({ a: word });
});
