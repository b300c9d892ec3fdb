import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { unifiedDiff } from '../../src/base/unified-diff.ts';
import { runs } from '../helpers/runs.ts';

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

const text = fc
  .array(fc.tuple(fc.constantFrom('a', 'b', 'c: d', ''), fc.constantFrom('\n', '\r\n')), { maxLength: 30 })
  .chain((lines) => fc.boolean().map((ends) => lines.map(([line, end]) => line + end).join('') + (ends ? '' : 'end')));

test('git apply makes the new text of the former one', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'flagwright-diff-'));
  execFileSync('git', ['init', '-q'], { cwd: folder });
  fc.assert(
    fc.property(text, text, (before, after) => {
      fc.pre(before !== after && before !== '' && after !== '');
      writeFileSync(path.join(folder, 'a b.yaml'), before);
      const input = unifiedDiff([{ file: 'a b.yaml', before, after }]);
      execFileSync('git', ['apply', '--whitespace=nowarn', '-'], { cwd: folder, input });
      expect(readFileSync(path.join(folder, 'a b.yaml'), 'utf8')).toBe(after);
    }),
    { numRuns: runs(20) },
  );
});
