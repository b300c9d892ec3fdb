/** Parses the name of a place in a flag, its parts between dots, and finds mistakes in it. */

import { parseJson } from '../../base/json-text.ts';

/** The reason that a text names no place. `known`: the accepted parts, for a message. */
export type FieldPathProblem =
  | { readonly kind: 'empty' }
  /** Two dots in a row, or a dot at an end. */
  | { readonly kind: 'empty_part' }
  /** A quotation mark that is not closed, or that is not around a whole part. */
  | { readonly kind: 'quotation' }
  /** `outer`: the part that has no such member; empty at the start. */
  | {
      readonly kind: 'unknown';
      readonly part: string;
      readonly outer: string;
      readonly known: readonly string[];
      readonly suggestion?: string;
    }
  /** Elements are counted from 1. */
  | { readonly kind: 'zero'; readonly outer: string }
  /** `outer` is a value without members. */
  | { readonly kind: 'too_deep'; readonly part: string; readonly outer: string }
  /** A list in a value that only the service knows: a JSON pointer names its elements. */
  | { readonly kind: 'number'; readonly part: string; readonly outer: string }
  /** The service computes the field, so it is never compared. */
  | { readonly kind: 'computed'; readonly field: string };

/** The parts between dots. A part with a dot in it is in quotation marks, as a JSON string. */
export function splitPath(text: string): readonly string[] | { readonly problem: FieldPathProblem } {
  if (text.trim() === '') return { problem: { kind: 'empty' } };
  const parts: string[] = [];
  let rest = text;
  for (;;) {
    const [whole, quoted, plain = ''] = PART.exec(rest) as RegExpExecArray;
    const part = quoted === undefined ? plain : readQuoted(quoted);
    if (part === undefined || (quoted === undefined && plain.includes('"'))) return { problem: { kind: 'quotation' } };
    if (part === '') return { problem: { kind: 'empty_part' } };
    parts.push(part);
    rest = rest.slice(whole.length);
    if (rest === '') return parts;
    if (!rest.startsWith('.')) return { problem: { kind: 'quotation' } };
    rest = rest.slice(1);
  }
}

const PART = /^(?:("(?:[^"\\]|\\.)*")|([^.]*))/su;

function readQuoted(quoted: string): string | undefined {
  try {
    return parseJson(quoted) as string;
  } catch {
    return undefined;
  }
}
