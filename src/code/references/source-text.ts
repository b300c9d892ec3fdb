/** The text of a file of code, with what is around a position in it. */

import type { Place } from '../../base/place.ts';
import { kindOfFile, type FileKind } from './file-kinds.ts';
import { FLAG_NAME } from './sdk-calls.ts';

export interface SourceText {
  readonly file: string;
  /** One character for each byte. */
  readonly text: string;
  /** What a key proves here. */
  readonly kind: FileKind;
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
  const text = latin1(bytes);
  const before = (at: number): string => {
    const near = text.slice(Math.max(0, at - NEAR), at);
    return near.slice(near.lastIndexOf('\n') + 1);
  };
  let [values, isOpenFeature, isOfFlags]: [ReadonlyMap<string, string>?, boolean?, boolean?] = [];
  return {
    file,
    text,
    kind: kindOfFile(file),
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
  if (found === null) return false;
  // A string that is not closed yet.
  const text = before.slice(0, found.index + 1);
  return !['"', "'", '`'].some((quote) => text.split(quote).length % 2 === 0);
}

interface DecodedText {
  /** The bytes as a file would have them. */
  readonly bytes: Uint8Array;
  /** The position in the file as it is written. */
  readonly originOf: (at: number) => number;
  /** Something between the positions was decoded. */
  readonly isDecodedIn: (start: number, end: number) => boolean;
}

/** `undefined` if nothing is escaped, as in most files. */
export function decodeEscapes(bytes: Uint8Array): DecodedText | undefined {
  if (!mayHaveEscapes(bytes)) return undefined;
  const text = latin1(bytes);
  const pieces: string[] = [];
  const escapes: Escape[] = [];
  let [written, at] = [0, 0];
  for (const found of text.matchAll(ESCAPES)) {
    const character = characterOf(found);
    if (character === undefined) continue;
    pieces.push(text.slice(written, found.index), character);
    at += found.index - written;
    written = found.index + found[0].length;
    escapes.push({ at, length: character.length, to: written });
    at += character.length;
  }
  if (escapes.length === 0) return undefined;
  pieces.push(text.slice(written));
  return {
    bytes: Buffer.from(pieces.join(''), 'latin1'),
    originOf: (position) => {
      const escape = escapes[firstWhere(escapes, ({ at: from, length }) => from + length > position) - 1];
      return escape === undefined ? position : escape.to + position - escape.at - escape.length;
    },
    isDecodedIn: (start, end) => {
      const escape =
        escapes[firstWhere(escapes, ({ at: from, length }) => (length === 0 ? from > start : from >= start))];
      return escape !== undefined && escape.at < end;
    },
  };
}

/** `at`: the position in the decoded text; `length` 0: lines were joined; `to`: the end in the file. */
interface Escape {
  readonly at: number;
  readonly length: number;
  readonly to: number;
}

const ESCAPES =
  /\\(?:u00|u\{0*|U000000|x|x\{0*)([0-9a-fA-F]{2})\}?|\\0?([0-7]{2,3})|%([2-7][0-9a-fA-F])|&#0*(\d{2,3});|&#[xX]0*([0-9a-fA-F]{2});|(\\\r?\n)|(\\N\{HYPHEN-MINUS\})|&(lowbar);/g;

/** `undefined`: a character that is in no key. */
function characterOf([, hex, octal, percent, decimal, hexOfMarkup, joint, hyphen, line]: RegExpMatchArray):
  string | undefined {
  if (joint !== undefined) return '';
  if (hyphen !== undefined) return '-';
  if (line !== undefined) return '_';
  const code = decimal === undefined ? undefined : Number(decimal);
  const inHex = hex ?? percent ?? hexOfMarkup;
  const character = String.fromCharCode(code ?? (inHex === undefined ? parseInt(octal ?? '', 8) : parseInt(inHex, 16)));
  return /[\w-]/.test(character) ? character : undefined;
}

/** Whether it is worth to make a string of the bytes. */
function mayHaveEscapes(bytes: Uint8Array): boolean {
  return Object.entries(MARKS).some(([mark, next]) => {
    const byte = mark.charCodeAt(0);
    for (let at = bytes.indexOf(byte); at !== -1; at = bytes.indexOf(byte, at + 1)) {
      if (!next.includes(bytes[at + 1] ?? 0)) continue;
      const [found] = latin1(bytes.subarray(at, at + LONGEST)).matchAll(ESCAPES);
      if (found?.index === 0 && characterOf(found) !== undefined) return true;
    }
    return false;
  });
}

/** What begins an escape, and what may follow that. */
const MARKS: Readonly<Record<string, Uint8Array>> = {
  '\\': Buffer.from('uUxN01234567\r\n'),
  '%': Buffer.from('234567'),
  '&': Buffer.from('#l'),
};
/** More than an escape has. */
const LONGEST = 24;

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
}

function firstWhere(escapes: readonly Escape[], isBehind: (escape: Escape) => boolean): number {
  let [low, high] = [0, escapes.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isBehind(escapes[middle] as Escape)) high = middle;
    else low = middle + 1;
  }
  return low;
}
