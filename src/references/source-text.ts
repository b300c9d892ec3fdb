/** The text of a file of code, with what is around a position in it. */

import type { Place } from '../base/place.ts';

export interface SourceText {
  readonly file: string;
  /** One character for each byte. */
  readonly text: string;
  /** Documentation: what it says about a flag is no code. */
  readonly isProse: boolean;
  /** A file of data, where a string needs no quotes. */
  readonly isData: boolean;
  /** The text of the line before a position. */
  before(at: number): string;
  /** The text of the line from a position on. */
  from(at: number): string;
  placeOf(at: number): Place;
  isComment(at: number): boolean;
}

export interface CodeFile {
  /** Relative to the top of the repository, with slashes. */
  readonly file: string;
  /** UTF-8, or any other encoding that has ASCII as it is. */
  readonly bytes: Uint8Array;
}

export function sourceText({ file, bytes }: CodeFile): SourceText {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  const before = (at: number): string => text.slice(text.lastIndexOf('\n', at - 1) + 1, at);
  let [line, counted] = [1, 0];
  return {
    file,
    text,
    isProse: PROSE.test(file),
    isData: DATA.test(file),
    before,
    from: (at) => text.slice(at, endOfLine(text, at)),
    placeOf: (at) => {
      if (at < counted) [line, counted] = [1, 0];
      for (let next = text.indexOf('\n', counted); next !== -1 && next < at; next = text.indexOf('\n', counted)) {
        line += 1;
        counted = next + 1;
      }
      return { file, line, column: readable(before(at)).length + 1 };
    },
    isComment: (at) => isComment(before(at), file),
  };
}

function endOfLine(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end === -1 ? text.length : end;
}

/** Bytes that are no UTF-8 are Latin-1. */
function readable(bytes: string): string {
  if (!/[\x80-\xff]/.test(bytes)) return bytes;
  const text = Buffer.from(bytes, 'latin1').toString('utf8');
  return text.includes('\ufffd') ? bytes : text;
}

const PROSE = /\.(?:md|mdx|markdown|rst|txt|adoc|asciidoc|org)$|(?:^|\/)(?:CHANGELOG|LICENSE|NOTICE|README)[^/]*$/i;
const DATA = /\.(?:ya?ml|toml|properties|ini|env|cfg|conf)$|(?:^|\/)\.env[^/]*$/i;

/** Languages in which `#` begins a comment. */
const HASH =
  /\.(?:py|rb|sh|bash|ya?ml|toml|ex|exs|r|pl|php|conf|cfg|ini|env|tf|properties)$|(?:^|\/)(?:Dockerfile|Makefile|Gemfile|\.env)[^/]*$/i;

function isComment(before: string, file: string): boolean {
  if (/^\s*(?:\/\/|\/\*|\*(?:\s|$)|<!--|--\s|%\s|;)/.test(before)) return true;
  if (/^\s*#(?:\s|$)/.test(before) && HASH.test(file)) return true;
  const mark = HASH.test(file)
    ? /(?:^|\s)#\s|(?:^|[\s;{}(),])\/\/(?!\S*["'`])/
    : /(?:^|[\s;{}(),])(?:\/\/|\/\*(?!.*\*\/))/;
  const found = mark.exec(before);
  return found !== null && !isOpen(before.slice(0, found.index + 1));
}

/** Whether a string is not closed yet. */
function isOpen(text: string): boolean {
  return ['"', "'", '`'].some((quote) => text.split(quote).length % 2 === 0);
}
