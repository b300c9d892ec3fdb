/**
 * Characters and sets of them, as sources for JavaScript's flag `u`. A set is a class or a group, and matches one character. The flag `v`
 * has nested classes, but V8 of Node 20 negates a repeated class twice.
 */

import { once } from '../once.ts';

/** The members of `\w`: letters, marks, digits and connectors. */
export const WORD_MEMBERS = '\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\p{Join_Control}';

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
export function negate(set: string): string {
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
