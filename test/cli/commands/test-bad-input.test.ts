/** Test files that are huge, malformed or of another program: `test` gives each a clear answer. */

// @module-tag untimely
import { symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { runCli, type Ran } from '../../helpers/run.ts';
import { createWorkspace, type Workspace } from '../../helpers/workspace.ts';

const FILES = {
  'flagwright.yaml': 'projects: { local: { service: embedded } }\n',
  'flags/a.yaml': 'flags: { a: { rollout_percentage: 100 }, v2: { filters: { version: 2, rules: [] } } }\n',
};

function place(
  files: Readonly<Record<string, string>>,
): Workspace & { readonly run: (command?: string) => Promise<Ran> } {
  const workspace = createWorkspace({ ...FILES, ...files });
  return { ...workspace, run: (command = 'test') => runCli([command], { cwd: workspace.root }) };
}

const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
/** Twenty aliases of the level below at each level. */
const bomb = Array.from({ length: 7 }, (_, level) => {
  const below = level === 0 ? '1' : Array.from({ length: 20 }, () => `*x${level - 1}`).join(', ');
  return `    k${level}: &x${level} [${below}]\n`;
}).join('');

describe('a test file is refused with its place', () => {
  test.each([
    ['that is too large', `people: { a: }\n${'#'.repeat(10_000_001)}\n`, '1:1 file-too-large'],
    ['that is nested too deeply', `people: { a: { properties: { x: ${nested(200)} } } }\n`, '1:130 yaml-too-deep'],
    ['with an alias bomb', `people:\n  a:\n   properties:\n${bomb}`, '9:19 yaml-alias-bomb'],
    ['with an anchor around its own alias', 'people: { a: { properties: &x { y: *x } } }\n', '1:36 yaml-alias-unknown'],
    ['with the same name twice', 'people: { a: , a: }\n', '1:16 yaml-duplicate-key'],
    ['with the same name in two documents', 'people: { a: }\n---\npeople: { a: }\n', '3:11 person-duplicate'],
    ['with CRLF and a mistake', 'people:\r\n  a: { idd: x }\r\n', '2:8 property-unknown'],
    ['that is a list', '- people: { a: }\npeople: x\n', '2:1 yaml-syntax'],
    ['with people as a list', 'people: [a]\nexpect: [{ person: a, flags: { a: true } }]\n', '1:1 type-wrong'],
  ])('%s', async (_, text, expected) => {
    const { run } = place({ 'tests/a.yaml': text });
    for (const command of ['test', 'validate']) {
      const { code, stdout, stderr } = await run(command);
      const found = [...(stdout + stderr).matchAll(/^tests\/a\.yaml:(\S+) {2}error {2}.* {2}(\S+)$/gm)];
      expect([code, found.map(([, at, name]) => `${at} ${name}`)]).toEqual([1, [expected]]);
    }
  });

  test.each([
    ['Latin 1', Buffer.from('people: { zo\u00e9: }\n', 'latin1')],
    ['UTF-16', Buffer.from('\ufeffpeople: { zoe: }\n', 'utf16le')],
  ])('in %s', async (_, bytes) => {
    const { root, run } = place({ 'tests/b.yaml': 'people: { a: }\n' });
    writeFileSync(path.join(root, 'tests/a.yaml'), bytes);
    expect((await run()).stderr).toContain('file-not-utf8');
  });
});

describe('a file of another program is passed over', () => {
  const own = { 'tests/own.yaml': 'people: { a: }\nexpect: [{ person: a, flags: { a: true } }]\n' };
  test.each([
    ['that is too large', Buffer.from(`other: 1\n${'#'.repeat(10_000_001)}\n`)],
    ['that is not UTF-8', Buffer.from('other: \u00e9\n', 'latin1')],
  ])('%s', async (_, bytes) => {
    const { root, run, write } = place(own);
    writeFileSync(path.join(root, 'tests/a.yaml'), bytes);
    expect((await run()).code).toBe(0);
    write('flagwright.yaml', `${FILES['flagwright.yaml']}tests: [tests/*.yaml]\n`);
    expect((await run()).code).toBe(1);
  });

  test('that links nowhere', async () => {
    const { root, run } = place(own);
    symlinkSync('nowhere.yaml', path.join(root, 'tests/a.yaml'));
    expect((await run()).code).toBe(0);
  });
});

test('links in a circle end, and name a person once too often', async () => {
  const { root, run } = place({ 'tests/a.yaml': 'people: { a: }\n' });
  symlinkSync('.', path.join(root, 'tests/loop'));
  expect((await run()).stderr).toContain('person-duplicate');
});

test('several documents with CRLF are one suite', async () => {
  const { run } = place({
    'tests/a.yaml': 'people: { a: }\r\n---\r\nexpect:\r\n  - person: a\r\n    flags: { a: true }\r\n',
  });
  expect(await run()).toMatchObject({ code: 0, stdout: 'Tests: 1 passed · 1 person, 1 flag, 1 project in 1 file\n' });
});

test('a flag of an unknown format is undecided, with what to do', async () => {
  const { run } = place({ 'tests/a.yaml': 'expect: [{ person: { id: x }, flags: { v2: blue } }]\n' });
  const { code, stdout } = await run();
  expect(code).toBe(2);
  expect(stdout).toContain(
    'unknown   this release does not know the format of its filters\n  → Remove the expectation',
  );
});

test('values of a megabyte are shortened in what is shown', async () => {
  const big = 'y'.repeat(1_000_000);
  const { run } = place({
    'flags/b.yaml': 'flags: { b: { filters: { groups: [{ properties: [{ key: x, value: z }] }] } } }\n',
    'tests/a.yaml': `people: { a: { properties: { x: ${big} } } }\nexpect: [{ person: a, flags: { a: { payload: ${big} }, b: true } }]\n`,
  });
  const { code, stdout } = await run();
  expect(code).toBe(2);
  expect(stdout.length).toBeLessThan(2_000);
  expect(stdout).toContain('…');
});

test('a thousand files are one suite', async () => {
  const files = Array.from({ length: 1_000 }, (_, index): [string, string] => [
    `tests/${index}.yaml`,
    `people: { p${index}: }\nexpect: [{ person: p${(index + 1) % 1_000}, flags: { a: true } }]\n`,
  ]);
  const { run } = place(Object.fromEntries(files));
  expect((await run()).stdout).toBe('Tests: 1000 passed · 1000 people, 1 flag, 1 project in 1000 files\n');
});

test('thousands of unknown names are each an error, and not each compared with all', async () => {
  const names = Array.from({ length: 3_000 }, (_, index) => `person-${index}`);
  const { run } = place({
    'tests/a.yaml': `people: { ${names.map((name) => `${name}:`).join(', ')} }\nexpect: [{ person: [${names.map((name) => `${name}x`).join(', ')}], flags: { a: true } }]\n`,
  });
  expect((await run()).stderr.match(/ {2}person-unknown$/gm)).toHaveLength(3_000);
});
