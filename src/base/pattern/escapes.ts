/** What a backslash means outside of a class and in one, as fancy-regex reads it. */

import { memberOf } from '../json.ts';
import { invalid, untranslated } from './tree.ts';
import { inAnyCase, negate, WORD_MEMBERS } from './characters.ts';

export type PatternEscape =
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
