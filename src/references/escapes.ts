/** Text with escaped characters of keys, as in `new\u002dcheckout`, and with lines that go on behind `\`: as a program gets it. */

export interface DecodedText {
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
    originOf: (position) => originOf(position, escapes),
    isDecodedIn: (start, end) => isDecodedIn(start, end, escapes),
  };
}

/** One escape. */
interface Escape {
  /** The position in the decoded text. */
  readonly at: number;
  /** 0: lines were joined. */
  readonly length: number;
  /** Its end in the file. */
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
      if (next.includes(bytes[at + 1] ?? 0) && isEscape(latin1(bytes.subarray(at, at + LONGEST)))) return true;
    }
    return false;
  });
}

function isEscape(text: string): boolean {
  const [found] = text.matchAll(ESCAPES);
  return found?.index === 0 && characterOf(found) !== undefined;
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

function originOf(position: number, escapes: readonly Escape[]): number {
  const escape = escapes[firstWhere(escapes, ({ at, length }) => at + length > position) - 1];
  return escape === undefined ? position : escape.to + position - escape.at - escape.length;
}

function isDecodedIn(start: number, end: number, escapes: readonly Escape[]): boolean {
  const escape = escapes[firstWhere(escapes, ({ at, length }) => (length === 0 ? at > start : at >= start))];
  return escape !== undefined && escape.at < end;
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
