/** Changes of files as a unified diff that `git apply` takes. */

// Only this file of the package: its index loads every other diff.
import { diffArrays } from 'diff/lib/diff/array.js';

export interface ChangedText {
  /** From the top of the repository, with `/` between folders. */
  readonly file: string;
  /** `undefined`: the file is new. */
  readonly before: string | undefined;
  readonly after: string;
}

export function unifiedDiff(changes: readonly ChangedText[]): string {
  return changes
    .filter(({ before, after }) => before !== after)
    .map(fileDiff)
    .join('');
}

function fileDiff({ file, before, after }: ChangedText): string {
  const [from, to] = [pathText(`a/${file}`), pathText(`b/${file}`)];
  const head =
    before === undefined
      ? [`diff --git ${from} ${to}`, 'new file mode 100644', '--- /dev/null', `+++ ${to}`]
      : [`diff --git ${from} ${to}`, `--- ${from}`, `+++ ${to}`];
  return [...head.map((line) => `${line}\n`), ...hunksOf(editsBetween(before ?? '', after)).map(hunkText)].join('');
}

interface Line {
  readonly mark: ' ' | '-' | '+';
  /** With its line break; only the last line of a text may lack it. */
  readonly text: string;
}

function editsBetween(before: string, after: string): Line[] {
  return diffArrays(linesOf(before), linesOf(after)).flatMap(({ added, removed, value }) =>
    value.map((text): Line => ({ mark: added ? '+' : removed ? '-' : ' ', text })),
  );
}

function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/** The unchanged lines around each change. */
const CONTEXT = 3;

interface Hunk {
  /** The number of lines before it, in the former and in the new text. */
  readonly start: readonly [former: number, now: number];
  readonly lines: readonly Line[];
}

function hunksOf(lines: readonly Line[]): Hunk[] {
  const changed = lines.flatMap(({ mark }, index) => (mark === ' ' ? [] : [index]));
  const spans: [number, number][] = [];
  for (const index of changed) {
    const last = spans.at(-1);
    const [from, to] = [Math.max(0, index - CONTEXT), Math.min(lines.length, index + CONTEXT + 1)];
    if (last !== undefined && from <= last[1]) last[1] = to;
    else spans.push([from, to]);
  }
  const before = (end: number, absent: Line['mark']): number =>
    lines.slice(0, end).filter(({ mark }) => mark !== absent).length;
  return spans.map(([from, to]) => ({ start: [before(from, '+'), before(from, '-')], lines: lines.slice(from, to) }));
}

function hunkText({ start: [former, now], lines }: Hunk): string {
  const head = `@@ -${rangeText(former, lines, '+')} +${rangeText(now, lines, '-')} @@\n`;
  const texts = lines.map(({ mark, text }) =>
    text.endsWith('\n') ? `${mark}${text}` : `${mark}${text}\n\\ No newline at end of file\n`,
  );
  return head + texts.join('');
}

/** An empty range is named by the line before it. */
function rangeText(start: number, lines: readonly Line[], absent: Line['mark']): string {
  const { length } = lines.filter(({ mark }) => mark !== absent);
  return `${length === 0 ? start : start + 1},${length}`;
}

/** As git quotes names with characters that are not plain. */
function pathText(name: string): string {
  if (!/[\p{Cc}"\\]|[^\p{ASCII}]/u.test(name)) return name;
  const bytes = Array.from(Buffer.from(name), (byte) => ESCAPES[byte] ?? byteText(byte));
  return `"${bytes.join('')}"`;
}

const ESCAPES: Readonly<Record<number, string>> = { 9: '\\t', 10: '\\n', 13: '\\r', 34: '\\"', 92: '\\\\' };

function byteText(byte: number): string {
  const isPlain = byte >= 32 && byte < 127;
  return isPlain ? String.fromCodePoint(byte) : `\\${byte.toString(8).padStart(3, '0')}`;
}
