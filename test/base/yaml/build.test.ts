import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseDocument } from 'yaml';
import { readYaml } from '../../../src/base/yaml/read.ts';
import { holds, runs } from '../../helpers/runs.ts';

const read = (text: string): unknown => {
  const { documents, diagnostics } = readYaml('a.yaml', text);
  return diagnostics.length > 0
    ? diagnostics.map(({ code, place }) => `${code} ${place?.line}:${place?.column}`)
    : documents[0]?.value;
};

/** The value by the library's own reader; `undefined` if it refuses the text, or returns a value that contains itself. */
const reference = (text: string): unknown => {
  try {
    const document = parseDocument(text, { merge: true, schema: 'core' });
    if (document.errors.length > 0) return undefined;
    const value: unknown = document.toJS({ maxAliasCount: -1 });
    return JSON.parse(JSON.stringify(value));
  } catch {
    return undefined;
  }
};

describe('anchors and merge keys', () => {
  it.each([
    // An alias refers to the last anchor before it, whatever is merged afterwards.
    ['a: &x { n: 10 }\nb: { <<: *x, c: &x { n: 99 } }\n', { a: { n: 10 }, b: { n: 10, c: { n: 99 } } }],
    [
      'a: &x { n: 10 }\nb:\n  <<: *x\n  n2: &x { n: 99 }\nc: *x\n',
      { a: { n: 10 }, b: { n: 10, n2: { n: 99 } }, c: { n: 99 } },
    ],
    // An anchor within the value of a merge key is an ordinary one.
    ['a: { <<: &x { n: 1 }, m: *x }\nb: *x\n', { a: { n: 1, m: { n: 1 } }, b: { n: 1 } }],
    ['a: { <<: [&x { n: 1 }, { <<: *x, o: 2 }] }\nb: *x\n', { a: { n: 1, o: 2 }, b: { n: 1 } }],
    // A list of mappings may be an alias.
    ['a: &x [{ n: 1 }, { n: 2, o: 3 }]\nb: { <<: *x }\n', { a: [{ n: 1 }, { n: 2, o: 3 }], b: { n: 1, o: 3 } }],
    ['a: { <<: [] }\n', { a: {} }],
    // Own members win over merged ones, and the first of several merges wins over the others.
    ['a: { n: 1, <<: { n: 2, o: 2 }, <<: { o: 3, p: 3 } }\n', { a: { n: 1, o: 2, p: 3 } }],
    // The inner anchor is the last one that begins before the alias.
    ['a: &x { b: &x 1 }\nc: *x\n', { a: { b: 1 }, c: 1 }],
    ['a: &x [&x 1, *x]\n', { a: [1, 1] }],
    // Keys can have anchors.
    ['&k a: 1\nb: *k\n', { a: 1, b: 'a' }],
    ['&k 1: x\nb: *k\n*k : 2\n', ['yaml-key-not-text 3:1']],
    ['a: &k b\n*k : 2\n', { a: 'b', b: 2 }],
    ['&m <<: { n: 1 }\n', { n: 1 }],
    ['a: &x { b: 1, <<: *x }\n', ['yaml-alias-unknown 1:19']],
    ['a: { <<: *x, c: &x { n: 1 } }\n', ['yaml-alias-unknown 1:10']],
    ['a: &x 3\nb: { <<: *x }\n', ['yaml-merge-not-mapping 2:6']],
    ['a: { <<: [{ n: 1 }, 2, [3]] }\n', ['yaml-merge-not-mapping 1:6', 'yaml-merge-not-mapping 1:6']],
    // A value that is dropped is still read, for its anchors.
    ['a: 1\na: &x 2\nb: *x\n', ['yaml-duplicate-key 2:1']],
    ['? [a]\n: &x 2\nb: *x\n', ['yaml-key-not-text 1:3']],
  ])('are read as YAML defines them: %j', (text, expected) => {
    expect(read(text)).toEqual(expected);
  });

  it('are read as the YAML library reads them, in any document', () => {
    const name = fc.constantFrom('x', 'y');
    const { node } = fc.letrec<{ node: string; map: string }>((tie) => ({
      node: fc.oneof(
        { maxDepth: 4, withCrossShrink: true },
        fc.integer({ min: 0, max: 9 }).map(String),
        name.map((anchor) => `*${anchor} `),
        anchored(fc.integer({ min: 0, max: 9 }).map(String)),
        anchored(tie('map')),
        anchored(fc.array(tie('node'), { maxLength: 3 }).map((items) => `[${items.join(', ')}]`)),
      ),
      map: fc
        .uniqueArray(
          fc.record({
            key: fc.oneof(
              { weight: 4, arbitrary: fc.constantFrom('a', 'b', 'c') },
              { weight: 2, arbitrary: fc.constant('<<') },
              { weight: 1, arbitrary: name.map((anchor) => `&${anchor} d`) },
            ),
            value: tie('node'),
            merged: fc.oneof(
              name.map((anchor) => `*${anchor} `),
              anchored(tie('map')),
              fc
                .array(
                  fc.oneof(
                    name.map((anchor) => `*${anchor} `),
                    anchored(tie('map')),
                  ),
                  { maxLength: 2 },
                )
                .map((items) => `[${items.join(', ')}]`),
            ),
          }),
          { maxLength: 4, selector: ({ key }) => key.replace(/^&. /, '') },
        )
        .map(
          (members) =>
            `{${members.map(({ key, value, merged }) => `${key}: ${key === '<<' ? merged : value}`).join(', ')}}`,
        ),
    }));
    let compared = 0;
    holds(2000, [fc.array(node, { minLength: 1, maxLength: 5 })], (items) => {
      const text = items.map((item) => `- ${item}\n`).join('');
      const expected = reference(text);
      const { documents, diagnostics } = readYaml('a.yaml', text);
      expect([text, diagnostics.length > 0]).toEqual([text, expected === undefined]);
      if (expected === undefined) return;
      compared += 1;
      expect([text, documents[0]?.value]).toEqual([text, expected]);
    });
    // Many documents have an alias without an anchor; enough do not.
    expect(compared).toBeGreaterThan(runs(2000) / 20);
  });

  function anchored(text: fc.Arbitrary<string>): fc.Arbitrary<string> {
    return fc
      .tuple(fc.option(fc.constantFrom('x', 'y'), { nil: undefined, freq: 1 }), text)
      .map(([anchor, content]) => (anchor === undefined ? content : `&${anchor} ${content}`));
  }
});

describe('a problem', () => {
  const problem = (text: string): unknown[] =>
    readYaml('a.yaml', text).diagnostics.map(({ severity, code, path, args }) => [severity, code, path, args]);

  it.each([
    ['a: .inf\n', [['error', 'type-wrong', '/a', { expected: ['number'], found: '.inf' }]]],
    ['a: { b: [1, -.INF] }\n', [['error', 'type-wrong', '/a/b/1', { expected: ['number'], found: '-.INF' }]]],
    ['a: [{ b: "\\0" }]\n', [['error', 'character-forbidden', '/a/0/b', { character: 'U+0000' }]]],
    [
      'a: { "\\ud800": 1 }\nb: "\\udfff"\n',
      [
        ['error', 'character-forbidden', '/a/\ud800', { character: 'U+D800' }],
        ['error', 'character-forbidden', '/b', { character: 'U+DFFF' }],
      ],
    ],
    ['a:\n  b: 1\n  b: 2\n', [['error', 'yaml-duplicate-key', '/a/b', { key: 'b', first: 2 }]]],
    ['a: { b: *c }\n', [['error', 'yaml-alias-unknown', '/a/b', { alias: 'c' }]]],
    ['a: { <<: *c }\n', [['error', 'yaml-alias-unknown', '/a', { alias: 'c' }]]],
    ['a: { <<: 3 }\n', [['error', 'yaml-merge-not-mapping', '/a', {}]]],
    ['a:\n  ? [b]\n  : c\n', [['error', 'yaml-key-not-text', '/a', { found: 'array' }]]],
    ['a:\n  ? { b: 1 }\n  : c\n', [['error', 'yaml-key-not-text', '/a', { found: 'object' }]]],
    ['a:\n  : c\n', [['error', 'yaml-key-not-text', '/a', { found: 'null' }]]],
    ['a: &x { b: 1 }\n*x : 2\n', [['error', 'yaml-key-not-text', '', { found: 'null' }]]],
    ['a:\n\tb: 1\n', [['error', 'yaml-tab', undefined, {}]]],
  ])('of %j has a code and a place', (text, expected) => {
    expect(problem(text)).toEqual(expected);
  });

  it.each([
    ['a:\n', [['/a', { name: 'a' }]]],
    [
      'a: # 10\nb: #1 priority\n',
      [
        ['/a', { name: 'a', comment: ' 10' }],
        ['/b', { name: 'b', comment: '1 priority' }],
      ],
    ],
    [
      'a:\n  # b: 1\nc:\n- d\n-\n',
      [
        ['/a', { name: 'a' }],
        ['/c/1', { name: '-' }],
      ],
    ],
    [
      '{ a, b: , c: [1, { d: }] }\n',
      [
        ['/a', { name: 'a' }],
        ['/b', { name: 'b' }],
        ['/c/1/d', { name: 'd' }],
      ],
    ],
    [
      '? a\nb: &x\nc: *x\n',
      [
        ['/a', { name: 'a' }],
        ['/b', { name: 'b' }],
      ],
    ],
    ["a: ~\nb: null\nc: ''\nd: !!str\ne: {}\nf: []\n", []],
    ['', []],
  ])('of %j is what is missing', (text, expected) => {
    const { missing } = readYaml('a.yaml', text);
    expect(missing.map(({ path, args }) => [path, args])).toEqual(expected);
  });

  it('of nesting has the limit', () => {
    const deep = Array.from({ length: 120 }, (_, depth) => `${' '.repeat(depth)}a:`).join('\n');
    expect(problem(deep)).toMatchObject([['error', 'yaml-too-deep', '/a'.repeat(100), { limit: 100 }]]);
    const flat = Array.from({ length: 100 }, (_, depth) => `${' '.repeat(depth)}a:`).join('\n');
    expect(problem(flat)).toEqual([]);
  });

  it('of brackets that nest too deeply is the only one', () => {
    const text = `${'['.repeat(101)}${']'.repeat(101)}\n`;
    expect(problem(text)).toEqual([['error', 'yaml-too-deep', undefined, { limit: 100 }]]);
    expect(readYaml('a.yaml', text).documents).toEqual([]);
    expect(readYaml('a.yaml', text).diagnostics[0]?.place).toEqual({ file: 'a.yaml', line: 1, column: 101 });
    expect(problem(`${'['.repeat(100)}${']'.repeat(100)}\n`)).toEqual([]);
  });

  it('of the syntax has the message of the parser, once for each line', () => {
    const syntax = ['error', 'yaml-syntax', undefined, { detail: expect.stringMatching(/\w+ \w+/) }];
    expect(problem('a: ] ] ]\n')).toEqual([syntax]);
    expect(problem('a: "\\q \\z"\nb: "\\q"\n')).toEqual([syntax, syntax]);
    expect(readYaml('a.yaml', 'a: ]\n').documents).toEqual([]);
  });

  it('of aliases is reported once, at the alias that exceeds the limit', () => {
    let text = 'a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n';
    for (let level = 1; level <= 5; level++) {
      text += `a${level}: &a${level} [${Array.from({ length: 10 }, () => `*a${level - 1}`).join(',')}]\n`;
    }
    // The lists before it expand to 123,450 values; the eighth alias of the last one exceeds a million.
    expect(problem(text)).toEqual([['error', 'yaml-alias-bomb', '/a5/7', { limit: 1_000_000 }]]);
    expect(problem(text.replace(/^a5.*$/m, ''))).toEqual([]);
  });
});
