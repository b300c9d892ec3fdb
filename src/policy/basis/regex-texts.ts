/**
 * The texts that a regular expression asks for: with each alternative, without anchors and repetitions, and with marks for characters that
 * it leaves open. Takes time proportional to its length and to the number of texts.
 */

/** One character of several. */
export const OPEN = '\u0001';
/** Any number of characters of several. */
export const OPEN_RUN = '\u0002';

/** The most combinations of alternatives, and the most characters in all of them. */
const MOST_TEXTS = 1000;
const LONGEST = 10_000;

export interface RegexTexts {
  readonly texts: readonly string[];
  /** The list is incomplete. */
  readonly isCut: boolean;
}

export function textsOf(source: string): RegexTexts {
  const reader = { source: source.slice(0, LONGEST), at: 0, isCut: source.length > LONGEST };
  return { texts: readAlternatives(reader, 0), isCut: reader.isCut };
}

interface RegexReader {
  readonly source: string;
  at: number;
  isCut: boolean;
}

/** Deeper groups are not read. */
const DEEPEST = 50;

function readAlternatives(reader: RegexReader, depth: number): readonly string[] {
  const found: string[] = [];
  do {
    found.push(...readSequence(reader, depth));
  } while (take(reader, '|'));
  return found;
}

function readSequence(reader: RegexReader, depth: number): readonly string[] {
  let texts: readonly string[] = [''];
  while (reader.at < reader.source.length && peek(reader) !== '|' && !(peek(reader) === ')' && depth > 0)) {
    const atoms = repeated(readAtom(reader, depth), reader);
    const product = texts.length * atoms.length > MOST_TEXTS ? atoms.slice(0, MOST_TEXTS / texts.length) : atoms;
    if (product.length < atoms.length) reader.isCut = true;
    texts = texts.flatMap((text) => product.map((atom) => text + atom));
  }
  return texts;
}

function readAtom(reader: RegexReader, depth: number): readonly string[] {
  const character = next(reader);
  switch (character) {
    case '^':
    case '$':
      return [''];
    case '.':
      return [OPEN];
    case '\\':
      return [readEscape(reader)];
    case '[':
      return [readClass(reader)];
    case '(':
      if (depth < DEEPEST) return readGroup(reader, depth);
      reader.isCut = true;
      return [''];
    default:
      return [character];
  }
}

/** A look around and flags stand for no characters. */
function readGroup(reader: RegexReader, depth: number): readonly string[] {
  const [kind = ''] =
    /^\?(?:[imsux-]*[:)]|<?[=!]|P?<\w*>|#)/.exec(reader.source.slice(reader.at, reader.at + 60)) ?? [];
  reader.at += kind.length;
  if (kind.endsWith(')')) return [''];
  const texts = readAlternatives(reader, depth + 1);
  take(reader, ')');
  return /[=!#]$/.test(kind) ? [''] : texts;
}

/** Drops the repetition: once, or nothing for an open part that may be omitted. */
function repeated(atoms: readonly string[], reader: RegexReader): readonly string[] {
  const [whole = '', least = '', comma, most = ''] =
    /^(?:[*+?]|\{(\d{0,6})(,)?(\d{0,6})\})[?+]?/.exec(reader.source.slice(reader.at, reader.at + 20)) ?? [];
  if (whole === '' || whole.startsWith('{}') || whole.startsWith('{,}')) return atoms;
  reader.at += whole.length;
  const isUnbounded = /^[*+]/.test(whole) || (comma !== undefined && most === '');
  const mayBeEmpty = /^[*?]/.test(whole) || least === '' ? !whole.startsWith('+') : Number(least) === 0;
  return atoms.map((atom) => {
    if (!atom.includes(OPEN) && !atom.includes(OPEN_RUN)) return atom;
    if (isUnbounded) return atom.length === 1 ? OPEN_RUN : atom;
    if (mayBeEmpty && atom.length === 1) return '';
    return atom.repeat(Math.min(3, Number(least) || 1));
  });
}

/** `\x40`, `\u0040`, `\U00000040`, each also with braces, and `\100`. */
const CODES = /^(?:[xuU]\{([0-9a-fA-F]{1,8})\}|x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{8})|0?([0-7]{3}))/;
/** Escapes of one character each. */
const CONTROLS: ReadonlyMap<string, string> = new Map([
  ['n', '\n'],
  ['t', '\t'],
  ['r', '\r'],
  ['f', '\f'],
]);

function readEscape(reader: RegexReader): string {
  const [code, ...digits] = CODES.exec(reader.source.slice(reader.at, reader.at + 11)) ?? [];
  if (code !== undefined) {
    reader.at += code.length;
    const octal = digits.pop();
    const hex = digits.find((found) => found !== undefined) ?? '';
    return characterOf(octal === undefined ? Number.parseInt(hex, 16) : Number.parseInt(octal, 8));
  }
  const character = next(reader);
  if (/[bBAzZG]/.test(character)) return '';
  if (/[pP]/.test(character)) {
    reader.at += /^(?:\{[^}]{0,40}\}|.)/.exec(reader.source.slice(reader.at, reader.at + 42))?.[0].length ?? 0;
    return OPEN;
  }
  if (/[dDwWsShHvNRX]/.test(character)) return OPEN;
  return CONTROLS.get(character) ?? character;
}

function characterOf(code: number): string {
  return code <= 0x10ffff ? String.fromCodePoint(code) : OPEN;
}

/** A class of a few characters stands for the one that an address needs; any other leaves it open. */
function readClass(reader: RegexReader): string {
  const members: string[] = [];
  const isNegated = take(reader, '^');
  for (let first = true; reader.at < reader.source.length && (first || peek(reader) !== ']'); first = false) {
    const character = next(reader);
    members.push(character === '\\' ? readEscape(reader) : character);
  }
  take(reader, ']');
  const isOpen = isNegated || members.length > 8 || members.includes(OPEN) || members.slice(1, -1).includes('-');
  if (isOpen) return OPEN;
  const distinct = [...new Set(members.map((member) => member.toLowerCase()))];
  return (
    ['@', '.', '+'].find((wanted) => distinct.includes(wanted)) ?? (distinct.length === 1 ? (distinct[0] ?? '') : OPEN)
  );
}

function peek({ source, at }: RegexReader): string {
  return source.charAt(at);
}

function next(reader: RegexReader): string {
  const character = String.fromCodePoint(reader.source.codePointAt(reader.at) ?? 0);
  reader.at += character.length;
  return character;
}

function take(reader: RegexReader, character: string): boolean {
  const isNext = peek(reader) === character;
  if (isNext) reader.at += 1;
  return isNext;
}
