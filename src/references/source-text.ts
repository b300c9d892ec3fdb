/** The text of a file of code, with what is around a position in it. */

import type { Place } from '../base/place.ts';
import { FLAG_NAME } from './sdk-calls.ts';

export interface SourceText {
  readonly file: string;
  /** One character for each byte. */
  readonly text: string;
  /** Documentation: what it says about a flag is no code. */
  readonly isProse: boolean;
  /** A file of data, where a string needs no quotes. */
  readonly isData: boolean;
  /** The text of the line before a position, and of a long line what is near it. */
  readonly before: (at: number) => string;
  /** The text of the line from a position on, and of a long line what is near it. */
  readonly from: (at: number) => string;
  /** Fast for positions in their order. */
  readonly placeOf: (at: number) => Place;
  readonly isComment: (at: number) => boolean;
  /** The strings that the file gives to names, the first for each. */
  readonly values: () => ReadonlyMap<string, string>;
  readonly namesOpenFeature: () => boolean;
  /** Whether anything in it is about flags. */
  readonly namesFlags: () => boolean;
}

export interface CodeFile {
  /** Relative to the top of the repository, with slashes. */
  readonly file: string;
  /** UTF-8, or any other encoding that has ASCII as it is. */
  readonly bytes: Uint8Array;
}

export function sourceText({ file, bytes }: CodeFile): SourceText {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  const before = (at: number): string => {
    const near = text.slice(Math.max(0, at - NEAR), at);
    return near.slice(near.lastIndexOf('\n') + 1);
  };
  let [values, isOpenFeature, isOfFlags]: [ReadonlyMap<string, string>?, boolean?, boolean?] = [];
  return {
    file,
    text,
    isProse: PROSE.test(file),
    isData: DATA.test(file),
    before,
    from: (at) => /^[^\n]*/.exec(text.slice(at, at + NEAR))?.[0] ?? '',
    placeOf: placesIn(file, text),
    isComment: (at) => isComment(before(at), file),
    values: () => (values ??= valuesIn(text)),
    namesFlags: () => (isOfFlags ??= FLAG_NAME.test(text)),
    namesOpenFeature: () => (isOpenFeature ??= /open-?feature/i.test(text)),
  };
}

/** Nobody writes longer lines. In those that programs write, every hit would read the whole line. */
const NEAR = 2000;

/** Continues where it was. */
function placesIn(file: string, text: string): SourceText['placeOf'] {
  const start = { line: 1, column: 1, counted: 0, end: text.indexOf('\n') };
  let { line, column, counted, end } = start;
  return (at) => {
    if (at < counted) ({ line, column, counted, end } = start);
    for (; end !== -1 && end < at; end = text.indexOf('\n', counted)) [line, column, counted] = [line + 1, 1, end + 1];
    column += readable(text.slice(counted, at)).length;
    counted = at;
    return { file, line, column };
  };
}

/** `const NAME: Type = '…'`, where nothing is joined to the string. */
function valuesIn(text: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const { index, 1: value = '' } of text.matchAll(/=\s*["'`]([\w-]+)["'`](?!\s*[+%.])/g)) {
    const before = text.slice(Math.max(0, index - MOST_BEFORE), index);
    for (const pattern of [/([A-Za-z_$][\w$]*)\s*$/, /([A-Za-z_$][\w$]*)\s*:[^=\n]{0,40}$/]) {
      const name = pattern.exec(before)?.[1];
      if (name !== undefined && !found.has(name)) found.set(name, value);
    }
  }
  return found;
}

/** More than a name and its type take. */
const MOST_BEFORE = 150;

/** Bytes that are not UTF-8 are read as Latin-1. */
function readable(bytes: string): string {
  if (!/[\x80-\xff]/.test(bytes)) return bytes;
  const text = Buffer.from(bytes, 'latin1').toString('utf8');
  return text.includes('\ufffd') ? bytes : text;
}

/** Files of data, where a string needs no quotes. */
export const DATA: RegExp = /\.(?:ya?ml|toml|properties|ini|env|cfg|conf)$|(?:^|\/)\.env[^/]*$/i;
const PROSE = /\.(?:md|mdx|markdown|rst|txt|adoc|asciidoc|org)$|(?:^|\/)(?:CHANGELOG|LICENSE|NOTICE|README)[^/]*$/i;

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
