/** The block scalars of simple YAML: `|`, `|-`, `>` and `>-` over lines with the same indentation. */

import { type Cursor, LINE_FEED, NotSimple } from './cursor.ts';

const HEADER = /([|>])(-?) *\n/y;
/** Content that folds in another way than with a space in place of each line feed. */
const UNEVENLY_FOLDED = /\n[ \n]| (?:\n|$)/;

/** The value of the block scalar at the cursor, in a collection with the indentation `around`. Moves to the next content. */
export function readBlockScalar(cursor: Cursor, around: number): string {
  HEADER.lastIndex = cursor.at;
  const [header = '', style, chomping] = HEADER.exec(cursor.text) ?? [];
  if (header === '') throw new NotSimple();
  cursor.at += header.length - 1;
  const content = readLines(cursor, around).join('\n');
  cursor.toContent();
  if (style === '>' && UNEVENLY_FOLDED.test(content)) throw new NotSimple();
  return (style === '>' ? content.replaceAll('\n', ' ') : content) + (chomping === '' ? '\n' : '');
}

/** The lines without their indentation, which is that of the first, and without empty ones at the end. */
function readLines(cursor: Cursor, around: number): string[] {
  const lines: string[] = [];
  let filled = 0;
  let indent = around + 1;
  while (cursor.code === LINE_FEED) {
    cursor.startLine();
    cursor.skipSpaces();
    if (cursor.isAtLineEnd && cursor.column > 0) throw new NotSimple();
    if (cursor.isAtLineEnd) lines.push('');
    else if (cursor.column < indent) break;
    else {
      if (filled === 0) indent = cursor.column;
      lines.push(cursor.takeLine(indent));
      filled = lines.length;
    }
    if (filled === 0) throw new NotSimple();
  }
  if (filled === 0 || cursor.column > around) throw new NotSimple();
  return lines.slice(0, filled);
}
