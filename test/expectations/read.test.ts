/** Which YAML files count as test files where other programs keep theirs too. */

import { describe, expect, test } from 'vitest';
import { readTests, type TestFiles } from '../../src/expectations/read.ts';

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
    const { files, documents } = await readText(text);
    expect(files).toEqual(['tests/a.yaml']);
    expect(documents.flatMap(({ expectations }) => expectations)).toHaveLength(1);
  });

  test.each([
    ['in braces that are not closed', `{ expect: [${ADA}]\n`],
    ['in braces with a name that was given twice', `{ people: { a: , a: } }\n`],
    ['in braces with a mistake before it', `{ a: [}, expect: [${ADA}] }\n`],
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
    ['with a list at its top', '[{ people: 1 }]\n'],
  ])('%s', async (_, text) => {
    expect(await readText(text)).toMatchObject({ files: [], diagnostics: [{ code: 'tests-none' }] });
    expect((await readText(text, ['tests/*.yaml'])).files).toEqual(['tests/a.yaml']);
  });
});
