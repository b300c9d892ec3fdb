/** Reads a class such as `[^a-z&&[^b]]`. */

import { memberOf } from '../json.ts';
import { inAnyCase, literal, negate } from './characters.ts';
import { readEscape } from './escapes.ts';
import { invalid, untranslated } from './tree.ts';

export interface ReadClass {
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
