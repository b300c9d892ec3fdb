/** Whether the service stores a new regular expression: it asks Python 3.11's `re.compile` (docs/service.md, "Values"). */

import { memberOf } from '../json.ts';
import { invalid, PatternFault } from './characters.ts';

/** Why Python refuses the pattern, as a clause; `undefined` if it accepts it. */
export function findPythonFault(pattern: string): string | undefined {
  try {
    readWhole(pattern);
    return undefined;
  } catch (error) {
    if (error instanceof PatternFault) return error.reason;
    throw error;
  }
}

/** The fewest and the most characters that a part matches. */
type Width = readonly [least: number, most: number];

interface PythonReader {
  /** Characters, each with the backslash before it. */
  readonly tokens: readonly string[];
  at: number;
  isVerbose: boolean;
  /** The flags of which only one may be set. */
  readonly types: Set<string>;
  /** Groups by number; `undefined` for one that is open. */
  readonly widths: (Width | undefined)[];
  readonly names: Map<string, number>;
  readonly conditions: number[];
  /** The number of groups before the outermost look-behind. */
  behind: number | undefined;
}

const MOST = 4_294_967_295;

function readWhole(pattern: string): void {
  const tokens = pattern.match(/\\?[^]/gu) ?? [];
  if (/^(?:[^\\]|\\[^])*\\$/.test(pattern)) throw invalid('it ends with a backslash');
  const names = new Map<string, number>();
  const types = new Set<string>();
  const state = { at: 0, isVerbose: false, behind: undefined };
  const reader: PythonReader = { tokens, ...state, types, widths: [[0, 0]], names, conditions: [] };
  readChoice(reader, 'whole');
  if (reader.at < tokens.length) throw invalid("unmatched ')'");
  if (reader.conditions.some((group) => group >= reader.widths.length)) throw invalid('a condition names no group');
}

/** `whole`: the pattern itself, whose first branch may begin with flags. */
function readChoice(reader: PythonReader, place: 'whole' | 'group'): Width {
  const { isVerbose } = reader;
  let width = readBranch(reader, place === 'whole');
  while (take(reader, '|')) {
    const [least, most] = readBranch(reader, false);
    width = [Math.min(width[0], least), Math.max(width[1], most)];
  }
  if (place === 'group') reader.isVerbose = isVerbose;
  return width;
}

/** What one piece adds; a quantifier repeats neither an assertion nor what is repeated. */
interface Piece {
  readonly width: Width;
  readonly kind: 'assertion' | 'repeat' | 'other';
}

const ONE: Piece = { width: [1, 1], kind: 'other' };
const ASSERTION: Piece = { width: [0, 0], kind: 'assertion' };

function readBranch(reader: PythonReader, mayHaveFlags: boolean): Width {
  const pieces: Piece[] = [];
  for (let next = peek(reader); next !== '' && next !== '|' && next !== ')'; next = peek(reader)) {
    reader.at += 1;
    if (reader.isVerbose && /^[ \t\n\r\v\f]$/.test(next)) continue;
    if (reader.isVerbose && next === '#') {
      while (!['', '\n'].includes(take(reader))) continue;
      continue;
    }
    const times = readTimes(reader, next);
    if (times !== undefined) pieces.push(repeat(reader, pieces.pop(), times));
    else if (next === '(') {
      const piece = readGroup(reader, mayHaveFlags && pieces.length === 0);
      if (piece !== undefined) pieces.push(piece);
    } else if (next.startsWith('\\')) pieces.push(readEscape(reader, next));
    else {
      if (next === '[') readClass(reader);
      pieces.push(next === '^' || next === '$' ? ASSERTION : ONE);
    }
  }
  const sum = (side: 0 | 1): number => pieces.reduce((total, { width }) => total + width[side], 0);
  return [Math.min(sum(0), MOST - 1), Math.min(sum(1), MOST)];
}

/** A brace that begins no number of times is a character. */
function readTimes(reader: PythonReader, token: string): Width | undefined {
  if (token === '?') return [0, 1];
  if (token === '*') return [0, MOST];
  if (token === '+') return [1, MOST];
  const rest = reader.tokens.slice(reader.at, reader.at + 50).join('');
  const [whole, from = '', comma, to = ''] = (token === '{' && /^(?!\})(\d*)(?:(,)(\d*))?\}/.exec(rest)) || [];
  if (whole === undefined) return undefined;
  reader.at += whole.length;
  const most = comma === undefined ? from : to;
  if (Number(from) >= MOST || Number(most) >= MOST) throw invalid('the number of times is too large');
  if (most !== '' && Number(most) < Number(from)) throw invalid('numbers out of order in {} quantifier');
  return [Number(from), most === '' ? MOST : Number(most)];
}

function repeat(reader: PythonReader, piece: Piece | undefined, times: Width): Piece {
  if (piece === undefined || piece.kind === 'assertion') throw invalid('nothing to repeat');
  if (piece.kind === 'repeat') throw invalid('multiple repeat');
  if (!take(reader, '?')) take(reader, '+');
  const { width } = piece;
  return { width: [width[0] * times[0], width[1] * times[1]], kind: 'repeat' };
}

/** `undefined` for a comment and for flags. */
function readGroup(reader: PythonReader, mayHaveFlags: boolean): Piece | undefined {
  if (!take(reader, '?')) return readNumbered(reader);
  const sign = take(reader);
  if (sign === 'P' && take(reader, '<')) return readNumbered(reader, readName(reader, '>'));
  if (sign === 'P' && take(reader, '=')) return referTo(reader, groupNamed(reader, readName(reader, ')')));
  if (sign === ':' || sign === '>') return { width: readBody(reader), kind: 'other' };
  if (sign === '=' || sign === '!') {
    readBody(reader);
    return { width: [0, 0], kind: 'other' };
  }
  if (sign === '<') return readBehind(reader);
  if (sign === '(') return readConditional(reader);
  if (sign === '#') {
    for (let next = take(reader); next !== ')'; next = take(reader))
      if (next === '') throw invalid('a comment is not closed');
    return undefined;
  }
  reader.at -= 1;
  return readFlags(reader, mayHaveFlags);
}

function readNumbered(reader: PythonReader, name?: string): Piece {
  const group = reader.widths.push(undefined) - 1;
  if (name !== undefined && reader.names.has(name)) throw invalid(`two groups have the name ${name}`);
  if (name !== undefined) reader.names.set(name, group);
  const width = readBody(reader);
  reader.widths[group] = width;
  return { width, kind: 'other' };
}

function readBody(reader: PythonReader): Width {
  const width = readChoice(reader, 'group');
  if (!take(reader, ')')) throw invalid('unterminated group');
  return width;
}

function readName(reader: PythonReader, end: string): string {
  const name = readUntil(reader, end);
  if (!/^[\p{XID_Start}_]\p{XID_Continue}*$/u.test(name)) throw invalid('the name of a group is wrong');
  return name;
}

function readUntil(reader: PythonReader, end: string): string {
  const from = reader.at;
  const to = reader.tokens.indexOf(end, from);
  if (to < 0) throw invalid('the name of a group is not closed');
  reader.at = to + 1;
  return reader.tokens.slice(from, to).join('');
}

function groupNamed({ names }: PythonReader, name: string): number {
  const group = names.get(name);
  if (group === undefined) throw invalid(`no group before it has the name ${name}`);
  return group;
}

function referTo(reader: PythonReader, group: number): Piece {
  const width = reader.widths[group];
  if (width === undefined) throw invalid('a reference names no closed group before it');
  if (reader.behind !== undefined && group >= reader.behind)
    throw invalid('a reference names a group of the same look-behind');
  return { width, kind: 'other' };
}

function readBehind(reader: PythonReader): Piece {
  if (take(reader, '=') === '' && take(reader, '!') === '') throw invalid('(?< begins a look-behind only');
  const { behind } = reader;
  reader.behind ??= reader.widths.length;
  const [least, most] = readBody(reader);
  reader.behind = behind;
  if (least !== most) throw invalid('a look-behind has different lengths');
  return { width: [0, 0], kind: 'other' };
}

/** `(?(1)yes|no)`. */
function readConditional(reader: PythonReader): Piece {
  const name = readUntil(reader, ')');
  const isNumber = /^\s*\+?\d+(?:_\d+)*\s*$/.test(name);
  const group = isNumber ? Number(name.replaceAll('_', '')) : groupNamed(reader, name);
  if (group === 0) throw invalid('a condition names no group');
  if (isNumber) reader.conditions.push(group);
  if (reader.behind !== undefined) referTo(reader, group);
  const yes = readBranch(reader, false);
  const no: Width = take(reader, '|') ? readBranch(reader, false) : [0, yes[1]];
  if (!take(reader, ')')) throw invalid('a condition is not closed after two branches');
  return { width: [Math.min(yes[0], no[0]), Math.max(yes[1], no[1])], kind: 'other' };
}

/** `(?i)`, only at the start, and `(?i-s:…)`. */
function readFlags(reader: PythonReader, mayBeGlobal: boolean): Piece | undefined {
  const rest = reader.tokens.slice(reader.at, reader.at + 30).join('');
  const [whole, on = '', minus = '', off = '', end] = /^([imsxaut]*)(-?)([imsx]*)([:)])/.exec(rest) ?? [];
  if (whole === undefined || /^[:)]/.test(whole) || (minus === '') !== (off === ''))
    throw invalid(`(?${rest.slice(0, 1)} is unknown`);
  const types = new Set(on.replaceAll(/[^au]/g, ''));
  if (types.size > 1) throw invalid('flags exclude each other');
  reader.at += whole.length;
  if (end === ')') {
    if (minus !== '' || !mayBeGlobal) throw invalid('flags for the whole pattern are not at its start');
    for (const type of types) reader.types.add(type);
    if (reader.types.size > 1) throw invalid('flags exclude each other');
    reader.isVerbose ||= on.includes('x');
    return undefined;
  }
  if (on.includes('t') || Array.from(on).some((flag) => off.includes(flag))) throw invalid('flags exclude each other');
  const { isVerbose } = reader;
  reader.isVerbose = (isVerbose || on.includes('x')) && !off.includes('x');
  const width = readBody(reader);
  reader.isVerbose = isVerbose;
  return { width, kind: 'other' };
}

function readEscape(reader: PythonReader, token: string): Piece {
  if (/^\\[AZbB]$/.test(token)) return ASSERTION;
  if (/^\\[1-9]$/.test(token)) {
    const rest = token.slice(1) + reader.tokens.slice(reader.at, reader.at + 2).join('');
    const [octal] = /^[0-7]{3}/.exec(rest) ?? [];
    const digits = octal ?? /^\d{1,2}/.exec(rest)?.[0] ?? '';
    reader.at += digits.length - 1;
    if (octal === undefined) return referTo(reader, Number(digits));
    if (Number.parseInt(octal, 8) > 0xff) throw invalid('an octal escape is too large');
    return ONE;
  }
  readMember(reader, token);
  return ONE;
}

const CONTROL: Readonly<Record<string, number>> = { a: 7, b: 8, f: 12, n: 10, r: 13, t: 9, v: 11 };
const HEX: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };

/** Reads a character or an escape, and returns its code; `undefined` for a set. */
function readMember(reader: PythonReader, token: string): number | undefined {
  const letter = token.replace(/^\\(?=[^])/u, '');
  if (letter === token) return token.codePointAt(0);
  if (/^[dDsSwW]$/.test(letter)) return undefined;
  const control = memberOf(CONTROL, letter);
  if (control !== undefined) return control;
  const rest = reader.tokens.slice(reader.at, reader.at + 8).join('');
  const digits = memberOf(HEX, letter);
  if (digits !== undefined) {
    const [hex] = new RegExp(`^[0-9a-f]{${digits}}`, 'i').exec(rest) ?? [];
    const code = Number.parseInt(hex ?? '', 16);
    if (hex === undefined || code > 0x10_ffff) throw invalid('a hexadecimal escape is wrong');
    reader.at += digits;
    return code;
  }
  if (/^[0-7]$/.test(letter)) {
    const octal = letter + (/^[0-7]{0,2}/.exec(rest)?.[0] ?? '');
    reader.at += octal.length - 1;
    if (Number.parseInt(octal, 8) > 0xff && letter !== '0') throw invalid('an octal escape is too large');
    return Number.parseInt(octal, 8);
  }
  // Nobody here knows all names of characters.
  if (letter === 'N' && take(reader, '{')) return void readUntil(reader, '}');
  if (/^[a-z0-9]$/i.test(letter)) throw invalid(`the escape \\${letter} is unknown`);
  return letter.codePointAt(0);
}

function readClass(reader: PythonReader): void {
  take(reader, '^');
  for (let isFirst = true; ; isFirst = false) {
    const from = readClassToken(reader);
    if (from === ']' && !isFirst) return;
    const low = readMember(reader, from);
    if (!take(reader, '-')) continue;
    const to = readClassToken(reader);
    if (to === ']') return;
    const high = readMember(reader, to);
    if (low === undefined || high === undefined || high < low) throw invalid('range out of order in character class');
  }
}

function readClassToken(reader: PythonReader): string {
  const token = take(reader);
  if (token === '') throw invalid('a class is not closed');
  return token;
}

function take(reader: PythonReader, wanted?: string): string {
  const token = peek(reader);
  if (token === '' || (wanted !== undefined && token !== wanted)) return '';
  reader.at += 1;
  return token;
}

function peek({ tokens, at }: PythonReader): string {
  return tokens[at] ?? '';
}
