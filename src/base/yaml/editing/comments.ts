/** The comments of a text, which no edit may lose. */

import { CST, Lexer } from 'yaml';

interface Comment {
  readonly source: string;
  readonly offset: number;
}

/** Whether a comment is gone that is not within what was released. */
export function losesComment(
  before: string,
  after: string,
  released: readonly (readonly [start: number, end: number])[],
): boolean {
  const left = commentsIn(after).map(({ source }) => source);
  return commentsIn(before)
    .filter(({ offset }) => !released.some(([start, end]) => start <= offset && offset < end))
    .some(({ source }) => {
      const at = left.indexOf(source);
      if (at !== -1) left.splice(at, 1);
      return at === -1;
    });
}

export function commentsIn(text: string): readonly Comment[] {
  const found: Comment[] = [];
  let offset = 0;
  let isScalar = false;
  for (const source of new Lexer().lex(text)) {
    if (source.startsWith('#') && !isScalar) found.push({ source: source.trimEnd(), offset });
    isScalar = source === CST.SCALAR;
    if (!MARKS.has(source)) offset += source.length;
  }
  return found;
}

/** Lexemes that stand for no text. */
const MARKS: ReadonlySet<string> = new Set([CST.SCALAR, CST.DOCUMENT, CST.FLOW_END]);
