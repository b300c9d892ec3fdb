/** Strings that regular expressions of the usual kind match: the shortest, and one with each repetition once. Callers try them. */

import { memberOf } from '../base/json.ts';

export function examplesOf(pattern: string): string[] {
  if (pattern.length > LONGEST) return [];
  const body = pattern.replace(/^\(\?[ims]+\)/, '');
  return [0, 1].map((least) => readAlternatives({ pattern: body, at: 0, least, depth: 0 }));
}

/** Evaluation tries no longer ones. */
const LONGEST = 1000;

interface Reader {
  readonly pattern: string;
  at: number;
  /** How often `*` and `?` repeat. */
  readonly least: number;
  depth: number;
}

const DEEPEST = 50;

/** The first alternative, up to the end of the group. */
function readAlternatives(reader: Reader): string {
  const first = readSequence(reader);
  while (peek(reader) === '|') {
    reader.at += 1;
    readSequence(reader);
  }
  return first;
}

function readSequence(reader: Reader): string {
  let text = '';
  while (reader.at < reader.pattern.length && peek(reader) !== '|' && peek(reader) !== ')') {
    const atom = readAtom(reader);
    text += atom.repeat(readTimes(reader));
  }
  return text;
}

function readAtom(reader: Reader): string {
  const character = peek(reader);
  reader.at += 1;
  switch (character) {
    case '(':
      return readGroup(reader);
    case '[':
      return readClass(reader);
    case '\\':
      return readEscape(reader);
    case '^':
    case '$':
      return '';
    case '.':
      return 'x';
    default:
      return character;
  }
}

function readGroup(reader: Reader): string {
  const [prefix = ''] = /^\?(?:[:=!]|<[=!]|P?<\w+>)/.exec(reader.pattern.slice(reader.at, reader.at + 100)) ?? [];
  reader.at += prefix.length;
  reader.depth += 1;
  if (reader.depth > DEEPEST) reader.at = reader.pattern.length;
  const inner = readAlternatives(reader);
  reader.depth -= 1;
  reader.at += 1;
  return /^\?<?[=!]/.test(prefix) ? '' : inner;
}

const MEMBERS: Readonly<Record<string, string>> = {
  d: '1',
  w: 'a',
  s: ' ',
  D: 'x',
  W: '-',
  S: 'x',
  b: '',
  A: '',
  z: '',
};

function readEscape(reader: Reader): string {
  const character = peek(reader);
  reader.at += 1;
  return memberOf(MEMBERS, character) ?? character;
}

function readClass(reader: Reader): string {
  const [whole = '', negated, members = ''] =
    /^(\^?)((?:\\[^]|[^\]\\])*)\]/.exec(reader.pattern.slice(reader.at)) ?? [];
  reader.at += whole.length;
  if (negated === '^') return ['x', '1', '-', ' '].find((character) => !members.includes(character)) ?? '~';
  return members.startsWith('\\') ? (memberOf(MEMBERS, members.charAt(1)) ?? members.charAt(1)) : members.charAt(0);
}

const MOST_TIMES = 100;

function readTimes(reader: Reader): number {
  const [whole = '', mark = '', least = ''] =
    /^(?:([*+?])|\{(\d{1,4})(?:,\d*)?\})[?+]?/.exec(reader.pattern.slice(reader.at, reader.at + 20)) ?? [];
  reader.at += whole.length;
  if (whole === '' || mark === '+') return 1;
  return mark === '' ? Math.min(Number(least), MOST_TIMES) : reader.least;
}

function peek({ pattern, at }: Reader): string {
  return pattern.charAt(at);
}
