/** Which YAML files count as test files where other programs keep theirs too. */

import { describe, expect, test } from 'vitest';
import { defined } from '../../../src/base/optional.ts';
import { parseTests, readTests, type TestFiles } from '../../../src/review/expectations/read.ts';
import type { ManifestSource } from '../../../src/core/manifest/source.ts';

function readText(text: string, patterns?: readonly string[]): Promise<TestFiles> {
  const files = ['tests/a.yaml'];
  const source = {
    find: () => Promise.resolve({ files, diagnostics: [] }),
    read: () => Promise.resolve({ text }),
  };
  return readTests({ source, ...(patterns === undefined ? {} : { patterns }) });
}

const ADA = '{ person: ada, flags: { a: true } }';

describe('a file with `people` or `expect` at its top is a test file, in every style of YAML', () => {
  test.each([
    ['block', `expect:\n  - ${ADA}\n`],
    ['in braces on one line', `{ expect: [${ADA}] }\n`],
    ['JSON', '{"people":{"ada":null},"expect":[{"person":"ada","flags":{"a":true}}]}'],
    ['in braces over several lines', `{\n  people: { ada: },\n  expect: [${ADA}],\n}\n`],
    ['in braces after a comment and a mark', `# ours\n---\n{ people: { ada: }, expect: [${ADA}] }\n`],
    ['on the line of the mark', `--- { expect: [${ADA}] }\n`],
    ['indented', `  people: { ada: }\n  expect: [${ADA}]\n`],
    ['with an explicit key', `? expect\n: [${ADA}]\n`],
    ['with a tag and an anchor', `!!map &all { expect: [${ADA}] }\n`],
    ['with an anchored key', `&e expect: [${ADA}]\n`],
    ['in a second document', `x: 1\n---\n{ expect: [${ADA}] }\n`],
    ['with a byte order mark', `\u{feff}{ expect: [${ADA}] }\n`],
  ])('%s', async (_, text) => {
    const { files, documents, diagnostics } = await readText(text);
    expect(files).toEqual(['tests/a.yaml']);
    expect(diagnostics.map(({ code }) => code)).not.toContain('tests-none');
    expect(documents.flatMap(({ expectations }) => expectations)).toHaveLength(1);
  });

  test.each([
    ['in braces that are not closed', `{ expect: [${ADA}]\n`],
    ['in braces with a name that was given twice', `{ people: { a: , a: } }\n`],
    ['in braces with a mistake before it', `{ a: [}, expect: [${ADA}] }\n`],
    ['in braces that are not closed, after comments and a mark', `# ours\n# and theirs\n--- \n{ a: [\n  expect: [`],
    ['in braces that are not closed, with quotes', `{ "expect" : [`],
    ['in braces that are not closed, with other quotes', `{ a: 1, 'people': [`],
  ])('%s, so that its mistakes are shown', async (_, text) => {
    const { files, diagnostics } = await readText(text);
    expect(files).toEqual(['tests/a.yaml']);
    expect(diagnostics.length).toBeGreaterThan(0);
    expect(diagnostics.map(({ code }) => code)).not.toContain('tests-none');
  });
});

describe('a file of another program is passed over', () => {
  test.each([
    ['with the names further inside', 'other: { people: 1 }\nmore:\n  expect: 2\n'],
    ['with the names as values', '{ a: people, b: [expect] }\n'],
    ['with mistakes, and the names further inside', 'other: { people: 1\n'],
    ['with mistakes, and the names in other names', '{ xpeople: 1, expected: [\n'],
    ['with mistakes, and the names as values', '{ a: "people", b: [expect\n'],
    ['with mistakes, and braces after something else', 'a { people: [\n'],
    ['with a list at its top', '[{ people: 1 }]\n'],
  ])('%s', async (_, text) => {
    expect(await readText(text)).toMatchObject({ files: [], diagnostics: [{ code: 'tests-none' }] });
    expect((await readText(text, ['tests/*.yaml'])).files).toEqual(['tests/a.yaml']);
  });
});

describe('a file that cannot be read', () => {
  const problem = (file: string) =>
    ({
      code: 'file-unreadable',
      severity: 'error',
      place: { file, line: 1, column: 1 },
      args: { reason: 'EACCES' },
    }) as const;
  const source = (starts: Readonly<Record<string, string | undefined>>): ManifestSource => ({
    find: () => Promise.resolve({ files: Object.keys(starts), diagnostics: [] }),
    read: (file) => Promise.resolve({ problem: problem(file), ...defined({ start: starts[file] }) }),
  });

  test('may have people if it begins as a test, and is passed over otherwise', async () => {
    const files = { 'tests/a.yaml': 'people:\n  ada:', 'tests/b.yaml': 'other: 1', 'tests/c.yaml': undefined };
    expect(await readTests({ source: source(files) })).toEqual({
      files: ['tests/a.yaml'],
      documents: [],
      arePeopleComplete: false,
      diagnostics: [problem('tests/a.yaml')],
    });
    const named = await readTests({ source: source(files), patterns: ['tests/*.yaml'] });
    expect([named.files, named.diagnostics.length]).toEqual([Object.keys(files), 3]);
  });
});

test('the problems of folders are reported, the work can be aborted at each file, and all documents count', async () => {
  const outside = {
    code: 'file-outside',
    severity: 'error',
    place: { file: 'tests/link.yaml', line: 1, column: 1 },
    args: {},
  } as const;
  const none = { code: 'manifests-none', severity: 'error', args: { patterns: [] } } as const;
  const source = {
    find: () => Promise.resolve({ files: ['tests/a.yaml', 'tests/b.yaml'], diagnostics: [outside, none] as never }),
    read: (file: string) => Promise.resolve({ text: `people: { ${file.charAt(6)}: }\nexpect: [${ADA}]\n` }),
  };
  let checked = 0;
  const read = await readTests({ source, checkpoint: () => (checked += 1) });
  expect([checked, read.files, read.arePeopleComplete]).toEqual([2, ['tests/a.yaml', 'tests/b.yaml'], true]);
  expect(read.documents.map(({ people }) => [...people.keys()])).toEqual([['a'], ['b']]);
  expect(read.diagnostics).toEqual([outside]);
  const abort = (): never => {
    throw new Error('aborted');
  };
  await expect(readTests({ source, checkpoint: abort })).rejects.toThrow('aborted');
});

describe('a mistake', () => {
  test.each([
    ['in one person', 'people: { ada: { propertys: {} }, bob: }', ['ada', 'bob'], true],
    ['in one expectation', `people: { ada: }\nexpect: [7, ${ADA}]`, ['ada'], true],
    ['in all people', `people: 7\nexpect: [${ADA}]`, [], false],
    ['in all expectations', 'people: { ada: }\nexpect: 7', ['ada'], true],
    ['in the document', '[1]', [], false],
    ['of syntax', 'people: { ada: }\nexpect: [', [], false],
  ])('%s leaves the rest', (_, text, names, areComplete) => {
    const { documents, arePeopleComplete, diagnostics } = parseTests('tests/a.yaml', text);
    expect(documents.flatMap(({ people }) => [...people.keys()])).toEqual(names);
    expect([arePeopleComplete, diagnostics.length]).toEqual([areComplete, 1]);
  });
});

test.each([
  ['those that a run names', ['checks/*.yaml'], ['checks/*.yaml']],
  ['those of `tests`', undefined, ['tests/**/*.{yaml,yml}']],
])('test files are sought among %s', async (_, patterns, expected) => {
  const sought: (readonly string[])[] = [];
  const find = (asked: readonly string[]) => {
    sought.push(asked);
    return Promise.resolve({ files: [], diagnostics: [] });
  };
  await readTests({ source: { find, read: () => Promise.reject(new Error('read')) }, ...defined({ patterns }) });
  expect(sought).toEqual([expected]);
});

test.each([
  ['known, if every file can be read', `people: { ada: }\n`, true],
  ['not known, if one cannot', 'people: [\n', false],
])('all people are %s', async (_, second, areComplete) => {
  const texts: Readonly<Record<string, string>> = { 'a.yaml': 'people: { eve: }\n', 'b.yaml': second };
  const source = {
    find: () => Promise.resolve({ files: Object.keys(texts), diagnostics: [] }),
    read: (file: string) => Promise.resolve({ text: texts[file] ?? '' }),
  };
  expect(await readTests({ source, patterns: ['*.yaml'] })).toMatchObject({ arePeopleComplete: areComplete });
});

test('what the reader refuses is reported once', () => {
  const text =
    'people: { ada: }\nexpect: [{ person: ada, flags: { a: &x 1 } }, { person: ada, flags: { a: 0x1FFFFFFFFFFFFFFFFF } }]\n';
  const { diagnostics } = parseTests('tests/a.yaml', text);
  const paths = diagnostics.map(({ path }) => path);
  expect(new Set(paths).size).toBe(paths.length);
  expect(paths).toContain('/expect/1/flags/a');
});
