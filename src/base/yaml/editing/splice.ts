/** Splices of a text, and the lines around an offset. A line ends after its line break. */

/** Replaces the characters from `start` to `end`. */
export interface Splice {
  readonly start: number;
  readonly end: number;
  readonly insert: string;
}

/** The part of a text from one offset to another, after splices. Splices do not overlap; at one offset their order counts. */
export function applySplices(text: string, splices: readonly Splice[], [from, to]: readonly [number, number]): string {
  const sorted = splices.toSorted((a, b) => a.start - b.start || a.end - b.end);
  const pieces: string[] = [];
  let at = from;
  for (const { start, end, insert } of sorted) {
    pieces.push(text.slice(at, start), insert);
    at = Math.max(at, end);
  }
  pieces.push(text.slice(at, to));
  return pieces.join('');
}

/** Replaces whole lines: `start` and `end` are where lines begin, or the end of the text. */
export function spliceLines(text: string, [start, end]: readonly [number, number], lines: readonly string[]): Splice {
  const eol = lineBreakNear(text, start);
  return { start, end, insert: lines.map((line) => line + eol).join('') };
}

/** The line break of the line before an offset, else of the first line. */
export function lineBreakNear(text: string, at: number): string {
  const before = at === 0 ? -1 : text.lastIndexOf('\n', at - 1);
  const found = before === -1 ? text.indexOf('\n') : before;
  return text[found - 1] === '\r' ? '\r\n' : '\n';
}

export function isLineStart(text: string, at: number): boolean {
  return at === 0 || text[at - 1] === '\n' || (at === 1 && text.startsWith(BYTE_ORDER_MARK));
}

/** Where the line of an offset begins, after a byte order mark. */
export function lineStart(text: string, at: number): number {
  const start = at === 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1;
  return start === 0 && text.startsWith(BYTE_ORDER_MARK) ? 1 : start;
}

export function columnOf(text: string, at: number): number {
  return at - lineStart(text, at);
}

/** Where the line of a value's end ends. A block scalar ends with its line. */
export function lineEnd(text: string, at: number): number {
  if (at > 0 && text[at - 1] === '\n') return at;
  const found = text.indexOf('\n', at);
  return found === -1 ? text.length : found + 1;
}

/** An offset without the line break before it. */
export function beforeLineBreak(text: string, at: number): number {
  if (text[at - 1] !== '\n') return at;
  return text[at - 2] === '\r' ? at - 2 : at - 1;
}

/** The kind of the line that begins at an offset. */
export function lineKind(text: string, start: number): 'blank' | 'comment' | 'other' {
  const at = start + indentationAt(text, start);
  if (at >= text.length || text[at] === '\n' || text.startsWith('\r\n', at)) return 'blank';
  return text[at] === '#' ? 'comment' : 'other';
}

/** Columns of white space at the beginning of a line. */
export function indentationAt(text: string, start: number): number {
  let at = start;
  while (text[at] === ' ' || text[at] === '\t') at += 1;
  return at - start;
}

/** The number of spaces and tabs directly before an offset. */
export function spacesBefore(text: string, at: number): number {
  let start = at;
  while (text[start - 1] === ' ' || text[start - 1] === '\t') start -= 1;
  return at - start;
}

const BYTE_ORDER_MARK = '\u{feff}';
