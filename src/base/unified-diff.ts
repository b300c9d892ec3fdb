/** Changes of files as a unified diff that `git apply` takes. */

// The index of the package loads every other diff.
import { diffArrays } from 'diff/lib/diff/array.js';
import { keptInOrder } from './longest-increasing-subsequence.ts';

export interface ChangedText {
  /** Relative to the top of the repository, with `/` between folders. */
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
  const hunks = hunksOf(editsBetween(before ?? '', after));
  // A new file without content has no hunk, and then no names after the first line.
  const names =
    hunks.length === 0 ? [] : [`--- ${before === undefined ? '/dev/null' : ended(from)}`, `+++ ${ended(to)}`];
  const head = [`diff --git ${from} ${to}`, ...(before === undefined ? ['new file mode 100644'] : []), ...names];
  return [...head.map((line) => `${line}\n`), ...hunks.map(hunkText)].join('');
}

/** A tab ends a name with spaces, as git writes it: `patch` reads a time after spaces. */
function ended(name: string): string {
  return name.includes(' ') && !name.startsWith('"') ? `${name}\t` : name;
}

interface DiffLine {
  readonly mark: ' ' | '-' | '+';
  /** Includes the line break; only the last line of a text may lack it. */
  readonly text: string;
}

/** Texts mostly differ in a few lines that stand together. */
function editsBetween(before: string, after: string): DiffLine[] {
  const [former, now] = [linesOf(before), linesOf(after)];
  const most = Math.min(former.length, now.length);
  let start = 0;
  while (start < most && former[start] === now[start]) start += 1;
  let end = 0;
  while (end < most - start && former.at(-1 - end) === now.at(-1 - end)) end += 1;
  const changed = editsOfLines(former.slice(start, former.length - end), now.slice(start, now.length - end));
  return [...former.slice(0, start).map(kept), ...changed, ...former.slice(former.length - end).map(kept)];
}

function kept(text: string): DiffLine {
  return { mark: ' ', text };
}

/** Lines that both have once divide them into parts, since a diff of many lines takes quadratic time. */
function editsOfLines(former: readonly string[], now: readonly string[]): DiffLine[] {
  const lines: DiffLine[] = [];
  let [from, to] = [0, 0];
  for (const [nextFrom, nextTo] of [...anchorsOf(former, now), [former.length, now.length] as const]) {
    for (const line of editsOfPart(former.slice(from, nextFrom), now.slice(to, nextTo))) lines.push(line);
    if (nextFrom < former.length) lines.push(kept(former[nextFrom] ?? ''));
    [from, to] = [nextFrom + 1, nextTo + 1];
  }
  return lines;
}

/** Pairs of indices of lines that are unique in both texts and stand in the same order. */
function anchorsOf(former: readonly string[], now: readonly string[]): (readonly [number, number])[] {
  const formerIndices = uniqueLines(former);
  const pairs = [...uniqueLines(now)].flatMap(([line, to]): [number, number][] => {
    const from = formerIndices.get(line);
    return from === undefined ? [] : [[from, to]];
  });
  const ordered = keptInOrder(pairs.map(([from]) => from));
  return pairs.filter(([from]) => ordered.has(from));
}

/** The indices of lines that occur once, in their order. */
function uniqueLines(lines: readonly string[]): Map<string, number> {
  const indices = new Map<string, number>();
  const repeated = new Set<string>();
  for (const [index, line] of lines.entries()) {
    if (indices.has(line)) repeated.add(line);
    else indices.set(line, index);
  }
  for (const line of repeated) indices.delete(line);
  return indices;
}

/** A part that needs more edits is replaced as a whole. */
const MOST_EDITS = 1000;

function editsOfPart(former: readonly string[], now: readonly string[]): DiffLine[] {
  if (former.length === now.length && former.every((text, index) => text === now[index])) return former.map(kept);
  const parts = diffArrays([...former], [...now], { maxEditLength: MOST_EDITS }) ?? [
    { added: false, removed: true, value: [...former] },
    { added: true, removed: false, value: [...now] },
  ];
  return parts.flatMap(({ added, removed, value }) =>
    value.map((text): DiffLine => ({ mark: added ? '+' : removed ? '-' : ' ', text })),
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
  readonly lines: readonly DiffLine[];
}

function hunksOf(lines: readonly DiffLine[]): Hunk[] {
  const changed = lines.flatMap(({ mark }, index) => (mark === ' ' ? [] : [index]));
  const spans: [number, number][] = [];
  for (const index of changed) {
    const last = spans.at(-1);
    const [from, to] = [Math.max(0, index - CONTEXT), Math.min(lines.length, index + CONTEXT + 1)];
    if (last !== undefined && from <= last[1]) last[1] = to;
    else spans.push([from, to]);
  }
  const [former, now] = [countsOf(lines, '+'), countsOf(lines, '-')];
  return spans.map(([from, to]) => ({ start: [former[from] ?? 0, now[from] ?? 0], lines: lines.slice(from, to) }));
}

/** The number of lines before each line in one of the texts. */
function countsOf(lines: readonly DiffLine[], absent: DiffLine['mark']): number[] {
  let count = 0;
  return lines.map(({ mark }) => (mark === absent ? count : count++));
}

function hunkText({ start: [former, now], lines }: Hunk): string {
  const head = `@@ -${rangeText(former, lines, '+')} +${rangeText(now, lines, '-')} @@\n`;
  const texts = lines.map(({ mark, text }) =>
    text.endsWith('\n') ? `${mark}${text}` : `${mark}${text}\n\\ No newline at end of file\n`,
  );
  return head + texts.join('');
}

/** An empty range is named by the line before it. */
function rangeText(start: number, lines: readonly DiffLine[], absent: DiffLine['mark']): string {
  const { length } = lines.filter(({ mark }) => mark !== absent);
  return `${length === 0 ? start : start + 1},${length}`;
}

/** git quotes names that contain special characters. */
function pathText(name: string): string {
  if (!/[\p{Cc}"\\]|[^\p{ASCII}]/u.test(name)) return name;
  const bytes = Array.from(Buffer.from(name), (byte) => {
    const isPlain = byte >= 32 && byte < 127;
    return ESCAPES[byte] ?? (isPlain ? String.fromCodePoint(byte) : `\\${byte.toString(8).padStart(3, '0')}`);
  });
  return `"${bytes.join('')}"`;
}

const ESCAPES: Readonly<Record<number, string>> = { 9: '\\t', 10: '\\n', 13: '\\r', 34: '\\"', 92: '\\\\' };
