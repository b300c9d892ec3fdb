/** Reads a regular expression of the service as a tree, with the rules of fancy-regex. */

import {
  inAnyCase,
  literal,
  ANY,
  readEscape,
  WORD_ASSERTIONS,
  readClass,
  invalid,
  untranslated,
} from './characters.ts';

interface PatternReader {
  readonly text: string;
  at: number;
  flags: Flags;
  /** The number of groups that have begun. */
  groups: number;
  readonly names: Map<string, number>;
  /** The groups that references name. */
  readonly referenced: Set<number>;
  namesNumbers: boolean;
  depth: number;
}

interface Flags {
  readonly i: boolean;
  readonly m: boolean;
  readonly s: boolean;
  readonly U: boolean;
  readonly x: boolean;
}

export interface ParsedPattern {
  readonly root: PatternNode;
  readonly referenced: ReadonlySet<number>;
}

/** @throws {PatternFault} */
export function parsePattern(text: string): ParsedPattern {
  const flags = { i: false, m: false, s: false, U: false, x: false };
  const names = new Map<string, number>();
  const referenced = new Set<number>();
  const reader: PatternReader = { text, at: 0, flags, groups: 0, names, referenced, namesNumbers: false, depth: 0 };
  const root = readChoice(reader);
  if (reader.at < text.length) throw invalid("unmatched ')'");
  if (reader.namesNumbers && names.size > 0) throw untranslated('a reference by number beside a named group');
  if ([...referenced].some((group) => group === 0 || group > reader.groups))
    throw invalid('a reference names no group');
  return { root, referenced };
}

function readChoice(reader: PatternReader): PatternNode {
  const items = [readSequence(reader)];
  skipSpace(reader);
  while (take(reader, '|')) {
    items.push(readSequence(reader));
    skipSpace(reader);
  }
  const [only] = items;
  return items.length === 1 && only !== undefined ? only : { kind: 'choice', items };
}

function readSequence(reader: PatternReader): PatternNode {
  const items: PatternNode[] = [];
  for (let before = -1; before !== reader.at && reader.at < reader.text.length;) {
    before = reader.at;
    const piece = readPiece(reader);
    if (piece !== undefined) items.push(piece);
  }
  const [only] = items;
  return items.length === 1 && only !== undefined ? only : { kind: 'sequence', items };
}

/** `undefined` for nothing, such as flags. */
function readPiece(reader: PatternReader): PatternNode | undefined {
  const start = reader.at;
  const body = readAtom(reader);
  const end = reader.at;
  skipSpace(reader);
  const times = readTimes(reader);
  if (times === undefined) return body;
  if (body === undefined && end === start) throw invalid('nothing to repeat');
  const isEmpty = body?.kind === 'sequence' && body.items.length === 0;
  if (body === undefined || isEmpty || body.kind === 'look') throw untranslated('the repetition of an empty part');
  skipSpace(reader);
  const isLazy = take(reader, '?') !== reader.flags.U;
  const repeat: PatternNode = { kind: 'repeat', body, ...times, isLazy };
  return take(reader, '+') ? { kind: 'atomic', body: repeat } : repeat;
}

/** An opening brace that begins no number of times is a character. */
function readTimes(reader: PatternReader): { readonly least: number; readonly most: number } | undefined {
  if (take(reader, '?')) return { least: 0, most: 1 };
  if (take(reader, '*')) return { least: 0, most: Infinity };
  if (take(reader, '+')) return { least: 1, most: Infinity };
  if (reader.text[reader.at] !== '{') return undefined;
  const rest = reader.text.slice(reader.at);
  const [whole, from = '', comma, to = ''] = /^\{(\d*)(?:(,)(\d*))?\}/.exec(rest) ?? [];
  if (whole === undefined && (reader.flags.x || rest.startsWith('{(?#')) && /^\{[\s\d,(]/.test(rest)) {
    throw untranslated('space in a number of times');
  }
  if (whole === undefined || (from === '' && comma === undefined)) return undefined;
  reader.at += whole.length;
  const least = Number(from);
  return { least, most: comma === undefined ? least : to === '' ? Infinity : Number(to) };
}

function readAtom(reader: PatternReader): PatternNode | undefined {
  skipSpace(reader);
  const { text, at, flags } = reader;
  const one = text.slice(at).match(/^[^]/u)?.[0];
  switch (one) {
    case undefined:
    case '+':
    case '*':
    case '?':
    case '|':
    case ')':
      return undefined;
    case '(':
      return readGroup(reader);
    case '[': {
      const { set, end, isBig } = readClass(text, at, { ignoresCase: flags.i, ignoresSpace: flags.x });
      reader.at = end;
      return { kind: 'set', set, isBig };
    }
    case '\\':
      return readEscaped(reader);
    default:
      reader.at += one.length;
      if (one === '.') return { kind: 'set', set: flags.s ? ANY : '[^\\n]', isBig: false };
      if (one === '^') return assertion(flags.m ? '(?<![^\\n])' : '^');
      if (one === '$') return assertion(flags.m ? '(?![^\\n])' : '$');
      return character(one, flags.i);
  }
}

function character(one: string, ignoresCase: boolean): PatternNode {
  const set = ignoresCase ? inAnyCase(`[${literal(one)}]`) : literal(one);
  return { kind: 'set', set, isBig: false };
}

function assertion(source: string, isHard = false): PatternNode {
  return { kind: 'assertion', source, isHard };
}

const NEWLINES: PatternNode = {
  kind: 'repeat',
  ...{ body: { kind: 'set', set: '\\n', isBig: false }, least: 0, most: Infinity, isLazy: false },
};

function readEscaped(reader: PatternReader): PatternNode {
  const { text, at, flags } = reader;
  const word = WORD_ASSERTIONS.find(([written]) => text.startsWith(written, at));
  if (word !== undefined) {
    const [written, source] = word;
    reader.at += written.length;
    if (/^\\b$/i.test(written) && /^\s*\{/.test(text.slice(reader.at))) throw untranslated(`${written}{`);
    return assertion(source, true);
  }
  if (take(reader, '\\A')) return assertion('^');
  if (take(reader, '\\z')) return assertion('$');
  if (take(reader, '\\Z')) {
    return { kind: 'look', opening: '(?=', body: { kind: 'sequence', items: [NEWLINES, assertion('$')] } };
  }
  if (take(reader, '\\O')) return { kind: 'set', set: ANY, isBig: false };
  const number = /^\\(\d+)/.exec(text.slice(at));
  if (number !== null) {
    reader.at += number[0].length;
    reader.namesNumbers = true;
    return referTo(reader, Number(number[1]));
  }
  if (text.startsWith('\\k', at)) return readReference(reader, /^\\k(?:<([^>]*)>|'([^']*)')/);
  const escape = readEscape(text, at, flags.i);
  reader.at = escape.end;
  if (escape.kind === 'set') return { kind: 'set', set: escape.set, isBig: escape.isBig };
  return character(escape.character, flags.i && escape.isCased);
}

function readReference(reader: PatternReader, form: RegExp): PatternNode {
  const [whole, ...parts] = form.exec(reader.text.slice(reader.at)) ?? [];
  const name = parts.find((part) => part !== undefined) ?? '';
  if (whole === undefined || !/^[\p{Alphabetic}\p{N}_]+$/u.test(name))
    throw untranslated('such a reference to a group');
  reader.at += whole.length;
  const group = reader.names.get(name) ?? (/^\d+$/.test(name) ? Number(name) : undefined);
  if (group === undefined) throw invalid(`no group before it has the name ${name}`);
  return referTo(reader, group);
}

function referTo(reader: PatternReader, group: number): PatternNode {
  if (reader.flags.i) throw untranslated('a reference that ignores case');
  reader.referenced.add(group);
  return { kind: 'reference', group };
}

/** The library refuses deeper groups. */
const DEEPEST = 60;

function readGroup(reader: PatternReader): PatternNode | undefined {
  reader.at += 1;
  skipSpace(reader);
  if ((reader.depth += 1) > DEEPEST) throw untranslated('a group so deep');
  const node = readOpened(reader);
  reader.depth -= 1;
  return node;
}

const LOOKS: readonly LookOpening[] = ['(?=', '(?!', '(?<=', '(?<!'];

function readOpened(reader: PatternReader): PatternNode | undefined {
  const opening = LOOKS.find((look) => take(reader, look.slice(1)));
  if (opening !== undefined) return { kind: 'look', opening, body: readBody(reader) };
  if (take(reader, '?>')) return { kind: 'atomic', body: readBody(reader) };
  const rest = reader.text.slice(reader.at);
  if (rest.startsWith('?P=')) return readReference(reader, /^\?P=([^)]*)\)/);
  const [named, ...names] = /^\?(?:P?<([^>]*)>|'([^']*)')/.exec(rest) ?? [];
  if (named === undefined && /^\?(?:P?<|')/.test(rest)) throw invalid('the name of a group is not closed');
  if (named === undefined && /^\?(?:\(|P>)/.test(rest)) throw untranslated(`(${rest.slice(0, 3)}`);
  if (named === undefined && rest.startsWith('?')) return readFlags(reader);
  const number = (reader.groups += 1);
  if (named !== undefined) {
    const name = names.find((one) => one !== undefined) ?? '';
    if (!/^[\p{Alphabetic}\p{N}_]+$/u.test(name)) throw invalid('the name of a group is wrong');
    reader.names.set(name, number);
    reader.at += named.length;
  }
  return { kind: 'group', number, body: readBody(reader) };
}

/** Flags that are set in a group and not reset at its end mean something else in other releases of the library. */
function readBody(reader: PatternReader): PatternNode {
  const { flags } = reader;
  const body = readChoice(reader);
  if (!take(reader, ')')) throw invalid('unterminated group');
  const isReset = (['i', 'm', 's', 'U', 'x'] as const).every((name) => flags[name] === reader.flags[name]);
  if (!isReset) throw untranslated('a flag that is set within a group');
  return body;
}

/** `(?i)` and `(?i:…)`, also without a flag. */
function readFlags(reader: PatternReader): PatternNode | undefined {
  const [whole, on = '', minus, off = '', end] =
    /^\?([imsUxu]*)(-?)([imsUx]*)([:)])/.exec(reader.text.slice(reader.at)) ?? [];
  if (whole === undefined && reader.flags.x && /^\?[imsUxu-]*[\s#(]/.test(reader.text.slice(reader.at)))
    throw untranslated('space within flags');
  if (whole === undefined || (minus === '' ? off !== '' : off === '')) throw invalid('a flag is unknown');
  if (end === ')' && on + off === '') throw invalid('flags are missing');
  const { flags } = reader;
  reader.at += whole.length;
  const set = (name: keyof Flags): boolean => !off.includes(name) && (on.includes(name) || flags[name]);
  reader.flags = { i: set('i'), m: set('m'), s: set('s'), U: set('U'), x: set('x') };
  if (end === ')') return undefined;
  const body = readChoice(reader);
  if (!take(reader, ')')) throw invalid('unterminated group');
  reader.flags = flags;
  return body;
}

/** Skips comments, and space where it is ignored. */
function skipSpace(reader: PatternReader): void {
  const { text, flags } = reader;
  for (;;) {
    const rest = text.slice(reader.at);
    const [comment] = /^\(\?#(?:\\[^]|[^)\\])*\)/.exec(rest) ?? [];
    const [space] = flags.x ? (/^(?:[ \r\n\t]+|#[^\n]*\n?)/.exec(rest) ?? []) : [];
    const skipped = comment ?? space;
    if (skipped === undefined) {
      if (rest.startsWith('(?#')) throw invalid('a comment is not closed');
      return;
    }
    reader.at += skipped.length;
  }
}

function take(reader: PatternReader, start: string): boolean {
  if (!reader.text.startsWith(start, reader.at)) return false;
  reader.at += start.length;
  return true;
}

export type PatternNode =
  /** One character of a set; `set` is a source for JavaScript's flag `u`. `isBig`: Unicode's tables decide. */
  | { readonly kind: 'set'; readonly set: string; readonly isBig: boolean }
  /** `isHard`: the service leaves it to its own engine, which counts steps. */
  | { readonly kind: 'assertion'; readonly source: string; readonly isHard: boolean }
  | { readonly kind: 'group'; readonly number: number; readonly body: PatternNode }
  | { readonly kind: 'look'; readonly opening: LookOpening; readonly body: PatternNode }
  | { readonly kind: 'atomic'; readonly body: PatternNode }
  | RepeatNode
  | { readonly kind: 'reference'; readonly group: number }
  | { readonly kind: 'sequence'; readonly items: readonly PatternNode[] }
  | { readonly kind: 'choice'; readonly items: readonly PatternNode[] };

export interface RepeatNode {
  readonly kind: 'repeat';
  readonly body: PatternNode;
  readonly least: number;
  readonly most: number;
  readonly isLazy: boolean;
}

type LookOpening = '(?=' | '(?!' | '(?<=' | '(?<!';
