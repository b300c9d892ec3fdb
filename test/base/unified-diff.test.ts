import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { unifiedDiff } from '../../src/base/unified-diff.ts';
import { holds } from '../helpers/runs.ts';

test('shows three lines around each change, and joins changes that are near', () => {
  const before = Array.from({ length: 20 }, (_, index) => `${index + 1}\n`);
  const after = before.with(2, 'three\n').with(5, 'six\n').with(18, 'nineteen\n').join('');
  expect(unifiedDiff([{ file: 'a.yaml', before: before.join(''), after }])).toBe(`diff --git a/a.yaml b/a.yaml
--- a/a.yaml
+++ b/a.yaml
@@ -1,9 +1,9 @@
 1
 2
-3
+three
 4
 5
-6
+six
 7
 8
 9
@@ -16,5 +16,5 @@
 16
 17
 18
-19
+nineteen
 20
`);
});

test('names new files, files without a last line break, and names that git quotes', () => {
  expect(unifiedDiff([{ file: 'flags/ü "x"\t.yaml', before: undefined, after: 'a' }]))
    .toBe(`diff --git "a/flags/\\303\\274 \\"x\\"\\t.yaml" "b/flags/\\303\\274 \\"x\\"\\t.yaml"
new file mode 100644
--- /dev/null
+++ "b/flags/\\303\\274 \\"x\\"\\t.yaml"
@@ -0,0 +1,1 @@
+a
\\ No newline at end of file
`);
  expect(unifiedDiff([{ file: 'same', before: 'a', after: 'a' }])).toBe('');
});

test('a new file without content has no names beside the first line', () => {
  expect(unifiedDiff([{ file: 'a b', before: undefined, after: '' }])).toBe(
    'diff --git a/a b b/a b\nnew file mode 100644\n',
  );
});

test('a name with spaces ends with a tab, and one that git quotes does not', () => {
  const diff = unifiedDiff(['a b', 'a "b"'].map((file) => ({ file, before: 'a', after: 'b' })));
  expect(diff).toContain('--- a/a b\t\n+++ b/a b\t\n');
  expect(diff).toContain('--- "a/a \\"b\\""\n+++ "b/a \\"b\\""\n');
});

test('the time for long texts with many changes is not quadratic', () => {
  const lines = Array.from({ length: 60_000 }, (_, index) =>
    index % 6 === 0 ? `  key-${index}:\n` : `    a: ${index % 6}\n`,
  );
  const after = lines.map((line, index) => (index % 20 === 3 ? '    a: changed\n' : line));
  const diff = unifiedDiff([{ file: 'a', before: lines.join(''), after: after.join('') }]);
  expect(diff.match(/^\+ {4}a: changed$/gm)).toHaveLength(3000);
});

/** Lines that repeat, and some that are unique in a text. */
const line = fc.oneof(fc.constantFrom('a', 'b', 'c: d', '', '-', '+x', '\\ y', ' @@'), fc.nat(50).map(String));
const text = fc
  .array(fc.tuple(line, fc.constantFrom('\n', '\n', '\r\n')), { maxLength: 40 })
  .chain((lines) => fc.constantFrom('', 'end').map((end) => lines.map(([one, eol]) => one + eol).join('') + end));
const fileName = fc.constantFrom(
  ...[
    'a.yaml',
    'a b',
    ' a',
    'a ',
    'ü✓',
    '"q"',
    "it's",
    'a\tb',
    'a\nb',
    'a\rb',
    'a\\b',
    '-a',
    '#a',
    '$(a)',
    '\u{7f}',
    'a -> b',
  ],
);

test('replaces a part as a whole where a thousand edits would not do', () => {
  const lines = (name: string): readonly string[] => Array.from({ length: 600 }, (_, index) => `${name} ${index}`);
  const diff = unifiedDiff([
    { file: 'a', before: `${lines('old').join('\n')}\n`, after: `${lines('new').join('\n')}\n` },
  ]);
  const marked = [...lines('old').map((line) => `-${line}`), ...lines('new').map((line) => `+${line}`)];
  expect(diff.split('\n').filter((line) => / \d+$/.test(line))).toEqual(marked);
});

test('git apply makes the new texts of the former ones, whatever the files are called', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'flagwright-diff-'));
  execFileSync('git', ['init', '-q'], { cwd: folder });
  const change = fc.record({ name: fileName, before: fc.option(text, { nil: undefined }), after: text });
  let count = 0;
  holds(20, [fc.array(change, { minLength: 10, maxLength: 40 })], (changes) => {
    // One call of git for many files: a process takes longer than all else.
    const files = changes.map(({ name, ...texts }, index) => ({
      file: `${(count += 1)} ${index}/${name}`,
      ...texts,
    }));
    for (const { file, before } of files) {
      if (before === undefined) continue;
      mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
      writeFileSync(path.join(folder, file), before);
    }
    const input = unifiedDiff(files);
    const options = ['-c', 'core.autocrlf=false', 'apply', '--whitespace=nowarn', '--allow-empty', '-'];
    execFileSync('git', options, { cwd: folder, input });
    for (const { file, after } of files) expect(readFileSync(path.join(folder, file), 'utf8')).toBe(after);
  });
  rmSync(folder, { recursive: true });
});
