/**
 * Characters and sets of them, as sources for JavaScript's flag `u`. A set is a class or a group, and matches one character. The flag `v`
 * has nested classes, but V8 of Node 20 negates a repeated class twice.
 */

import { once } from '../once.ts';
import { memberOf } from '../json.ts';

/** The members of `\w`: letters, marks, digits and connectors. */
const WORD_MEMBERS = '\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\p{Join_Control}';

/** A character as itself, in a class and outside of it. */
export function literal(character: string): string {
  if (/^[a-z0-9]$/i.test(character)) return character;
  const code = character.codePointAt(0) as number;
  if (code > 0xffff) return character;
  return code < 0x100 ? `\\x${hex(code, 2)}` : `\\u${hex(code, 4)}`;
}

function hex(code: number, digits: number): string {
  return code.toString(16).padStart(digits, '0');
}

/** The characters that are not in the set. */
function negate(set: string): string {
  return /^\[(?!\^)/.test(set) ? `[^${set.slice(1)}` : `(?:(?!${set})[^])`;
}

/** Adds the characters that differ from those of the set in case only. */
export function inAnyCase(set: string): string {
  const { cased, alike } = foldings();
  const others = new Set([...cased.matchAll(new RegExp(set, 'gu'))].flatMap(([one]) => alike.get(one) ?? []));
  if (others.size === 0) return set;
  const members = [...others].map(literal).join('');
  return /^\[(?!\^)/.test(set) ? `${set.slice(0, -1)}${members}]` : `(?:${set}|[${members}])`;
}

interface Foldings {
  /** Every character that differs from another one in case only. */
  readonly cased: string;
  /** Those that do, itself included. */
  readonly alike: ReadonlyMap<string, readonly string[]>;
}

/** No other script has two cases. */
const LAST_CASED = 0x1_f000;

/** Pairs whose upper cases have several characters. */
const PAIRS = [
  ['\u0390', '\u1fd3'],
  ['\u03b0', '\u1fe3'],
  ['\ufb05', '\ufb06'],
];

/** Simple case folding, as in Unicode's tables. Made when it is first needed, which takes a tenth of a second. */
const foldings = once((): Foldings => {
  const codes = Array.from({ length: LAST_CASED }, (_, code) => code).filter((code) => code < 0xd800 || code > 0xdfff);
  const all = codes.map((code) => String.fromCodePoint(code)).join('');
  const known = all.matchAll(/[\p{Changes_When_Casemapped}\p{Changes_When_Casefolded}]/gu);
  const classes = new Map<string, string[]>(PAIRS.map((pair) => [pair.join(''), pair]));
  for (const [one] of known) {
    if (PAIRS.some((pair) => pair.includes(one))) continue;
    // Turkish `ı` has an upper case that is not its own.
    const name = one === 'ı' ? one : single(single(one, 'toUpperCase'), 'toLowerCase');
    classes.set(name, [...(classes.get(name) ?? []), one]);
  }
  const alike = [...classes.values()].filter(({ length }) => length > 1);
  return {
    cased: alike.flat().join(''),
    alike: new Map(alike.flatMap((characters) => characters.map((one) => [one, characters] as const))),
  };
});

/** The character itself where the other case has several. */
function single(character: string, to: 'toUpperCase' | 'toLowerCase'): string {
  const other = character[to]();
  return Array.from(other).length === 1 ? other : character;
}

type PatternEscape =
  /** `isCased`: differs by case where case is ignored; the service ignores that for characters that are only escaped. */
  | { readonly kind: 'character'; readonly character: string; readonly end: number; readonly isCased: boolean }
  | { readonly kind: 'set'; readonly set: string; readonly end: number; readonly isBig: boolean };

/** Any character. */
export const ANY = '[^]';
const WORD = `[${WORD_MEMBERS}]`;

const BOUNDARY = `(?:(?<=${WORD})(?!${WORD})|(?<!${WORD})(?=${WORD}))`;
const START = `(?:(?<!${WORD})(?=${WORD}))`;
const END = `(?:(?<=${WORD})(?!${WORD}))`;

/** Assertions about words, longest first. */
export const WORD_ASSERTIONS: readonly (readonly [string, string])[] = [
  ['\\b{start-half}', `(?<!${WORD})`],
  ['\\b{end-half}', `(?!${WORD})`],
  ['\\b{start}', START],
  ['\\b{end}', END],
  ['\\<', START],
  ['\\>', END],
  ['\\b', BOUNDARY],
  ['\\B', `(?:(?<=${WORD})(?=${WORD})|(?<!${WORD})(?!${WORD}))`],
];

const CONTROL: Readonly<Record<string, string>> = {
  ...{ a: '\x07', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v', e: '\x1b' },
};

const SETS: Readonly<Record<string, string>> = {
  ...{ d: '[\\p{Nd}]', D: '[^\\p{Nd}]', s: '[\\p{White_Space}]', S: '[^\\p{White_Space}]' },
  ...{ w: `[${WORD_MEMBERS}]`, W: `[^${WORD_MEMBERS}]`, h: '[0-9A-Fa-f]', H: '[^0-9A-Fa-f]' },
};

/** Letters that mean something only outside of a class, where the caller reads them. */
const ELSEWHERE = 'kAzZbBKGOg';

/** Reads the escape of one character or set; `at` is the place of the backslash. */
export function readEscape(text: string, at: number, ignoresCase: boolean): PatternEscape {
  const letter = text.slice(at + 1).match(/^[^]/u)?.[0];
  if (letter === undefined) throw invalid('it ends with a backslash');
  const end = at + 1 + letter.length;
  if (letter === 'x') return readHex(text, end, 2);
  if (letter === 'u') return readHex(text, end, 4);
  if (letter === 'U') return readHex(text, end, 8);
  if (letter === 'p' || letter === 'P') return readUnicode(text, at, ignoresCase);
  const set = memberOf(SETS, letter);
  if (set !== undefined) return { kind: 'set', set, end, isBig: !'hH'.includes(letter) };
  const control = memberOf(CONTROL, letter);
  if (control !== undefined) return { kind: 'character', character: control, end, isCased: false };
  if (ELSEWHERE.includes(letter)) throw untranslated(`\\${letter}`);
  if (/[a-z]/i.test(letter)) throw invalid(`the escape \\${letter} is unknown`);
  return { kind: 'character', character: letter, end, isCased: false };
}

function readHex(text: string, at: number, digits: number): PatternEscape {
  const rest = text.slice(at);
  const fixed = new RegExp(`^[0-9a-f]{${digits}}`, 'i').exec(rest)?.[0];
  const braced = /^\{([0-9a-f]{1,8})\}/i.exec(rest);
  const code = Number.parseInt(fixed ?? braced?.[1] ?? '', 16);
  // Space within the braces counts only in patterns that ignore it.
  if (Number.isNaN(code))
    throw /^\s|^\{[^}]*[\s#(]/.test(rest) ? untranslated('space in \\x') : invalid('a hexadecimal escape is wrong');
  if (code > 0x10_ffff || (code >= 0xd800 && code <= 0xdfff)) throw invalid('a hexadecimal escape is no character');
  const length = fixed?.length ?? braced?.[0].length ?? 0;
  return { kind: 'character', character: String.fromCodePoint(code), end: at + length, isCased: true };
}

/** Reads `\pL` or `\p{Greek}`. Names in another spelling than JavaScript's are not translated. */
function readUnicode(text: string, at: number, ignoresCase: boolean): PatternEscape {
  const [whole, letter = '', braced, short = ''] = /^\\([pP])(?:\{([^}]*)\}|([a-z]))/i.exec(text.slice(at)) ?? [];
  if (whole === undefined)
    throw /^\\[pP]\{/.test(text.slice(at)) ? invalid('a \\p{ is not closed') : untranslated('\\p');
  const name = braced ?? short;
  const set = [`gc=${name}`, `sc=${name}`, name]
    .filter(() => /^[A-Za-z_]+$/.test(name))
    .map((property) => `[\\p{${property}}]`)
    .find(isClass);
  if (set === undefined) throw untranslated(whole);
  const positive = ignoresCase ? inAnyCase(set) : set;
  return { kind: 'set', set: letter === 'p' ? positive : negate(positive), end: at + whole.length, isBig: true };
}

function isClass(source: string): boolean {
  try {
    return new RegExp(source, 'u') instanceof RegExp;
  } catch {
    return false;
  }
}

interface ReadClass {
  readonly set: string;
  readonly end: number;
  readonly isBig: boolean;
}

const POSIX: Readonly<Record<string, string>> = {
  ...{ alnum: '0-9A-Za-z', alpha: 'A-Za-z', ascii: '\\x00-\\x7f', blank: '\\t\\x20', cntrl: '\\x00-\\x1f\\x7f' },
  ...{ digit: '0-9', graph: '\\x21-\\x7e', lower: 'a-z', print: '\\x20-\\x7e', space: '\\t\\n\\v\\f\\r\\x20' },
  ...{ punct: '\\x21-\\x2f\\x3a-\\x40\\x5b-\\x60\\x7b-\\x7e', upper: 'A-Z', word: '0-9A-Za-z_', xdigit: '0-9A-Fa-f' },
};

interface ClassReader {
  readonly text: string;
  readonly ignoresCase: boolean;
  /** Space is ignored in the pattern; releases of the service's library differ about classes. */
  readonly ignoresSpace: boolean;
  at: number;
  isBig: boolean;
}

/** `at`: the place of the bracket that opens. */
export function readClass(
  text: string,
  at: number,
  flags: { readonly ignoresCase: boolean; readonly ignoresSpace: boolean },
): ReadClass {
  const reader: ClassReader = { text, ...flags, at, isBig: flags.ignoresCase };
  const set = readBrackets(reader);
  return { set, end: reader.at, isBig: reader.isBig };
}

function readBrackets(reader: ClassReader): string {
  reader.at += 1;
  const isNegated = take(reader, '^');
  let union: Union = { members: '', sets: [] };
  let left: string | undefined;
  let operator = '';
  while (take(reader, '-')) union = { ...union, members: literal('-') };
  if (union.members === '' && take(reader, ']')) union = { ...union, members: literal(']') };
  for (;;) {
    if (reader.at >= reader.text.length) throw invalid('a class is not closed');
    if (take(reader, ']')) {
      const set = combine(left, operator, closeUnion(reader, union));
      return isNegated ? negate(set) : set;
    }
    const found = ['&&', '--', '~~'].find((sign) => follows(reader, sign));
    if (found === undefined) {
      union = readItem(reader, union);
      continue;
    }
    reader.at += 2;
    left = combine(left, operator, closeUnion(reader, union));
    [operator, union] = [found, { members: '', sets: [] }];
  }
}

/** Members of one class, and sets that are not. */
interface Union {
  readonly members: string;
  readonly sets: readonly string[];
}

function withSet({ members, sets }: Union, set: string): Union {
  return /^\[(?!\^)/.test(set) ? { members: members + set.slice(1, -1), sets } : { members, sets: [...sets, set] };
}

function closeUnion(reader: ClassReader, { members, sets }: Union): string {
  return fold(reader, sets.length === 0 ? `[${members}]` : `(?:${[`[${members}]`, ...sets].join('|')})`);
}

/** What looks ahead restricts the one character that follows. */
function combine(left: string | undefined, operator: string, right: string): string {
  if (left === undefined) return right;
  if (operator === '&&') return `(?:(?=${left})${right})`;
  const difference = `(?!${right})${left}`;
  return operator === '--' ? `(?:${difference})` : `(?:${difference}|(?!${left})${right})`;
}

function fold({ ignoresCase }: ClassReader, set: string): string {
  return ignoresCase ? inAnyCase(set) : set;
}

function readItem(reader: ClassReader, union: Union): Union {
  if (follows(reader, '[')) return withSet(union, closeSet(reader, readNested(reader)));
  const from = readMember(reader);
  if (!follows(reader, '-') || follows(reader, '-]') || follows(reader, '--')) return withSet(union, from.source);
  reader.at += 1;
  if (reader.at >= reader.text.length) throw invalid('a class is not closed');
  if (/^(?:\[|\\h)/i.test(reader.text.slice(reader.at))) throw untranslated('a class at the end of a range');
  const to = readMember(reader);
  if (from.character === undefined || to.character === undefined)
    throw invalid('a range of a class has a set as its end');
  if (codeOf(from.character) > codeOf(to.character)) throw invalid('range out of order in character class');
  return withSet(union, `[${literal(from.character)}-${literal(to.character)}]`);
}

/** A range cannot begin with a set that has brackets of its own. */
function closeSet(reader: ClassReader, set: string): string {
  if (follows(reader, '-') && !follows(reader, '-]') && !follows(reader, '--')) throw untranslated('- behind a class');
  return set;
}

function readNested(reader: ClassReader): string {
  const { text, at } = reader;
  const posix = /^\[:(\^?)([a-z]+):\]/.exec(text.slice(at));
  const ranges = posix && memberOf(POSIX, posix[2] ?? '');
  if (posix && ranges !== undefined) {
    reader.at += posix[0].length;
    const set = fold(reader, `[${ranges}]`);
    return posix[1] === '' ? set : negate(set);
  }
  // The service's library counts these brackets in two ways.
  if (/^\[(?:\^?-*\]|[:=.])/.test(text.slice(at))) throw untranslated(text.slice(at, at + 3));
  return readBrackets(reader);
}

interface Member {
  readonly source: string;
  /** Absent for a set. */
  readonly character?: string;
}

function readMember(reader: ClassReader): Member {
  const { text, at } = reader;
  const one = String.fromCodePoint(text.codePointAt(at) as number);
  if (reader.ignoresSpace && /[\s#(]/.test(one)) throw untranslated('space in a class of a pattern with the flag x');
  if (one !== '\\') {
    reader.at += one.length;
    return { source: `[${literal(one)}]`, character: one };
  }
  const next = text[at + 1] ?? '';
  if (next === 'b') {
    reader.at += 2;
    return { source: '[\\x08]', character: '\b' };
  }
  if (/\d/.test(next)) throw invalid('a class has a reference to a group');
  const escape = readEscape(text, at, reader.ignoresCase);
  reader.at = escape.end;
  if (escape.kind === 'character') return { source: `[${literal(escape.character)}]`, character: escape.character };
  reader.isBig ||= escape.isBig;
  return { source: /[hH]/.test(next) ? closeSet(reader, escape.set) : escape.set };
}

function codeOf(character: string): number {
  return character.codePointAt(0) as number;
}

function follows({ text, at }: ClassReader, start: string): boolean {
  return text.startsWith(start, at);
}

function take(reader: ClassReader, start: string): boolean {
  if (!follows(reader, start)) return false;
  reader.at += start.length;
  return true;
}

/** Ends the reading of a pattern. */
export class PatternFault extends Error {
  /** `invalid`: the service cannot use the pattern. `unknown`: nobody here knows what it makes of it. */
  readonly kind: 'invalid' | 'unknown';
  /** Why, as a clause. */
  readonly reason: string;

  constructor(kind: PatternFault['kind'], reason: string) {
    super(reason);
    this.kind = kind;
    this.reason = reason;
  }
}

export function invalid(reason: string): PatternFault {
  return new PatternFault('invalid', reason);
}

/** `part`: the part of the pattern that is not translated. */
export function untranslated(part: string): PatternFault {
  return new PatternFault('unknown', `${part} is not translated`);
}
