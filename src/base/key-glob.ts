/**
 * Globs over the keys of flags: `*`, `?`, `[ab]`, `[!a-z]`, `{a,b}`, `{1..3}`, and `\` before a literal character. A key is not a path: `/`
 * and `.` are characters like any other.
 */

const STAR: unique symbol = Symbol('*');
const ANY: unique symbol = Symbol('?');

/** One character of a set, given as code points. */
interface CharacterClass {
  readonly negated: boolean;
  readonly ranges: readonly (readonly [first: number, last: number])[];
}

/** A string is a literal character. */
type Token = string | typeof STAR | typeof ANY | CharacterClass;

/** `negation` and `extended` are syntax in other tools' globs and would silently match nothing here. */
export type GlobProblem = 'negation' | 'extended' | 'too-large';

/**
 * Compiles a glob to a function that matches keys in bounded time. A key that equals the glob always matches, so a key can
 * be used as a glob. An invalid glob matches nothing else.
 */
export function keyGlob(glob: string): (key: string) => boolean {
  const parsed = parseGlob(glob);
  const literals = new Set([glob]);
  const patterns: (readonly Token[])[] = [];
  for (const tokens of 'alternatives' in parsed ? parsed.alternatives : []) {
    if (isLiteral(tokens)) literals.add(tokens.join(''));
    else patterns.push(tokens);
  }
  return (key) => {
    if (literals.has(key)) return true;
    if (patterns.length === 0) return false;
    // `?` and `[…]` match a whole code point, which takes two places of a string outside the basic plane.
    const characters = /[\ud800-\udfff]/.test(key) ? Array.from(key) : key;
    return patterns.some((tokens) => matches(tokens, characters));
  };
}

/** Why a glob is invalid, or `undefined` if it is valid. */
export function keyGlobProblem(glob: string): GlobProblem | undefined {
  const parsed = parseGlob(glob);
  return 'problem' in parsed ? parsed.problem : undefined;
}

// After a mismatch only the last `*` takes another character, so the time is at most the product of both lengths.
function matches(tokens: readonly Token[], key: ArrayLike<string>): boolean {
  let [at, inKey] = [0, 0];
  let star: { readonly at: number; taken: number } | undefined;
  while (inKey < key.length) {
    const token = tokens[at];
    if (token === STAR) {
      star = { at, taken: inKey };
      at += 1;
    } else if (token !== undefined && fits(token, key[inKey] as string)) {
      at += 1;
      inKey += 1;
    } else if (star !== undefined) {
      at = star.at + 1;
      star.taken += 1;
      inKey = star.taken;
    } else return false;
  }
  return tokens.slice(at).every((token) => token === STAR);
}

function fits(token: string | typeof ANY | CharacterClass, character: string): boolean {
  if (token === ANY) return true;
  if (typeof token === 'string') return token === character;
  const point = character.codePointAt(0) as number;
  return token.negated !== token.ranges.some(([first, last]) => first <= point && point <= last);
}

/** Limits: characters of a glob, nesting of braces, and globs that braces expand to. */
const MOST_CHARACTERS = 5000;
const MOST_NESTING = 20;
const MOST_ALTERNATIVES = 1000;
/** Tokens of all alternatives together. */
const MOST_EXPANDED = 100_000;
/** Tokens of the alternatives with wildcards, each of which may be tried at every character of a key. */
const MOST_TOKENS = 10_000;

class TooLarge extends Error {}

/** An escaped character, a set, or a character. A `]` at the beginning is one of the characters of the set; an unclosed `[` is a character. */
const ATOM = /\\[^]|\[(?:[!^]|(?![!^]))(?:\\[^]|[^\\])(?:\\[^]|[^\]\\])*\]|[^]/gu;

/** The globs without braces that a glob expands to. */
function parseGlob(
  glob: string,
): { readonly alternatives: readonly (readonly Token[])[] } | { readonly problem: GlobProblem } {
  if (glob.startsWith('!')) return { problem: 'negation' };
  if (glob.length > MOST_CHARACTERS) return { problem: 'too-large' };
  const atoms = glob.match(ATOM) ?? [];
  if (atoms.some((atom, index) => /^[*?+@!]$/.test(atom) && atoms[index + 1] === '(')) return { problem: 'extended' };
  try {
    const alternatives = expand(atoms);
    const patterns = alternatives.filter((tokens) => !isLiteral(tokens));
    const size = patterns.reduce((sum, { length }) => sum + length, 0);
    return size > MOST_TOKENS ? { problem: 'too-large' } : { alternatives };
  } catch (error) {
    if (error instanceof TooLarge) return { problem: 'too-large' };
    throw error;
  }
}

function isLiteral(tokens: readonly Token[]): tokens is readonly string[] {
  return tokens.every((token) => typeof token === 'string');
}

/** A pair of braces that is open, or the whole glob. Each part is what may stand between two commas. */
interface Group {
  /** The index of the brace. */
  readonly open: number;
  readonly parts: Token[][][];
}

function expand(atoms: readonly string[]): Token[][] {
  const groups: [Group, ...Group[]] = [{ open: -1, parts: [[[]]] }];
  const closers = pairBraces(atoms);
  for (const [index, atom] of atoms.entries()) {
    const group = groups.at(-1) as Group;
    if (closers.has(index)) groups.push({ open: index, parts: [[[]]] });
    else if (atom === ',' && groups.length > 1) group.parts.push([[]]);
    else if (atom === '}' && closers.get(group.open) === index) {
      groups.pop();
      append(groups.at(-1) as Group, choicesOf(group, atoms.slice(group.open + 1, index).join('')));
    } else append(group, [[tokenOf(atom)]]);
    if (groups.length > MOST_NESTING + 1) throw new TooLarge();
  }
  return groups[0].parts.flat();
}

/** The index that closes each brace; an unclosed one is a character. */
function pairBraces(atoms: readonly string[]): ReadonlyMap<number, number> {
  const open: number[] = [];
  const closers = new Map<number, number>();
  for (const [index, atom] of atoms.entries()) {
    if (atom === '{') open.push(index);
    const from = atom === '}' ? open.pop() : undefined;
    if (from !== undefined) closers.set(from, index);
  }
  return closers;
}

function append({ parts }: Group, choices: readonly Token[][]): void {
  const before = parts.at(-1) as Token[][];
  const [only] = choices;
  if (choices.length === 1 && only !== undefined) for (const tokens of before) tokens.push(...only);
  else {
    if (before.length * choices.length > MOST_ALTERNATIVES) throw new TooLarge();
    parts[parts.length - 1] = before.flatMap((tokens) => choices.map((choice) => [...tokens, ...choice]));
  }
  const { length, 0: first = [] } = parts.at(-1) as Token[][];
  if (length * first.length > MOST_EXPANDED) throw new TooLarge();
}

/** Braces around a single alternative are literal characters, unless it is a range: `1..12` and `a..e`. */
function choicesOf({ parts }: Group, written: string): Token[][] {
  if (parts.length > 1) return parts.flat();
  const numbers = /^(\d{1,9})\.\.(\d{1,9})$/.exec(written);
  const [, from = '', to = ''] = numbers ?? /^([a-zA-Z])\.\.([a-zA-Z])$/.exec(written) ?? [];
  if (from === '') return parts.flat().map((choice) => ['{', ...choice, '}']);
  const ends = numbers ? [Number(from), Number(to)] : [from.charCodeAt(0), to.charCodeAt(0)];
  const [low, high] = [Math.min(...ends), Math.max(...ends)];
  if (high - low >= MOST_ALTERNATIVES) throw new TooLarge();
  const width = numbers && [from, to].some((text) => /^0./.test(text)) ? Math.max(from.length, to.length) : 0;
  return Array.from({ length: high - low + 1 }, (_, index) =>
    Array.from(numbers ? String(low + index).padStart(width, '0') : String.fromCharCode(low + index)),
  );
}

function tokenOf(atom: string): Token {
  if (atom === '*') return STAR;
  if (atom === '?') return ANY;
  if (atom.startsWith('\\') && atom !== '\\') return atom.slice(1);
  if (!/^\[[^]/.test(atom)) return atom;
  const negated = /^[!^]/.test(atom.slice(1));
  const members = atom.slice(negated ? 2 : 1, -1).match(/\\[^]|[^]/gu) ?? [];
  const pointOf = (member: string): number => member.replace(/^\\(?=[^])/u, '').codePointAt(0) as number;
  const ranges: [number, number][] = [];
  for (let at = 0; at < members.length; at += 1) {
    // A dash between two characters is a range; at either end it is a literal dash.
    const [first = '', dash, last] = members.slice(at, at + 3);
    const isRange = dash === '-' && last !== undefined;
    ranges.push([pointOf(first), pointOf(isRange ? last : first)]);
    if (isRange) at += 2;
  }
  return { negated, ranges };
}
