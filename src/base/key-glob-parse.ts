/** Parses globs over keys to tokens: `*`, `?`, `[ab]`, `[!a-z]`, `{a,b}`, `{1..3}`, and `\` before a literal character. */

export const STAR: unique symbol = Symbol('*');
export const ANY: unique symbol = Symbol('?');

/** One character of a set, given as code points. */
export interface CharacterClass {
  readonly negated: boolean;
  readonly ranges: readonly (readonly [first: number, last: number])[];
}

/** A string is a literal character. */
export type Token = string | typeof STAR | typeof ANY | CharacterClass;

/** `negation` and `extended` are syntax in other tools' globs and would silently match nothing here. */
export type GlobProblem = 'negation' | 'extended' | 'too-large';

/** Limits: characters of a glob, nesting of braces, and globs that braces expand to. */
const MOST_CHARACTERS = 5000;
const MOST_NESTING = 20;
const MOST_ALTERNATIVES = 1000;
/** Tokens of all alternatives together. */
const MOST_EXPANDED = 100_000;
/** Tokens of the alternatives with wildcards, each of which may be tried at every character of a key. */
const MOST_TOKENS = 10_000;

/** The globs without braces that a glob expands to. An unclosed `[` or `{` is a literal character. */
export function parseGlob(
  glob: string,
): { readonly alternatives: readonly (readonly Token[])[] } | { readonly problem: GlobProblem } {
  if (glob.startsWith('!')) return { problem: 'negation' };
  if (glob.length > MOST_CHARACTERS) return { problem: 'too-large' };
  const source = scan(Array.from(glob));
  if (source.extended) return { problem: 'extended' };
  try {
    const alternatives = readSequence({ ...source, at: 0 }, source.characters.length);
    const tokens = alternatives.reduce(
      (sum, alternative) => sum + (isLiteral(alternative) ? 0 : alternative.length),
      0,
    );
    return tokens > MOST_TOKENS ? { problem: 'too-large' } : { alternatives };
  } catch (error) {
    if (error instanceof TooLarge) return { problem: 'too-large' };
    throw error;
  }
}

export function isLiteral(tokens: readonly Token[]): tokens is readonly string[] {
  return tokens.every((token) => typeof token === 'string');
}

class TooLarge extends Error {}

interface GlobSource {
  readonly characters: readonly string[];
  /** The position that closes each `[`, if one does. */
  readonly classes: ReadonlyMap<number, number>;
  /** The position that closes each `{`, if one does, and the commas that separate its alternatives. */
  readonly braces: ReadonlyMap<number, Brace>;
  /** Contains `+(…)` or another extended pattern. */
  readonly extended: boolean;
}

interface Brace {
  readonly closer: number;
  readonly commas: readonly number[];
}

/** Characters that make a following `(` an extended glob. */
const EXTENDERS: ReadonlySet<string | undefined> = new Set(['*', '?', '+', '@', '!']);

// One pass pairs the brackets, so that parsing never has to backtrack from an unclosed one.
function scan(characters: readonly string[]): GlobSource {
  const classes = new Map<number, number>();
  const braces = new Map<number, Brace>();
  const open: { readonly at: number; readonly commas: number[] }[] = [];
  let extended = false;
  let isUnclosed = false;
  for (let at = 0; at < characters.length; at += 1) {
    const character = characters[at];
    const innermost = open.at(-1);
    if (character === '\\') at += 1;
    else if (character === '[') {
      // An unclosed `[` means that no later one is closed: its `]` would close both.
      const end: number | undefined = isUnclosed ? undefined : classEnd(characters, at);
      isUnclosed = end === undefined;
      if (end !== undefined) {
        classes.set(at, end);
        at = end;
      }
    } else if (character === '{') open.push({ at, commas: [] });
    else if (character === ',') innermost?.commas.push(at);
    else if (character === '}' && innermost !== undefined) {
      open.pop();
      braces.set(innermost.at, { closer: at, commas: innermost.commas });
    } else if (EXTENDERS.has(character) && characters[at + 1] === '(') extended = true;
  }
  return { characters, classes, braces, extended };
}

// A `]` at the beginning is one of the characters of the set.
function classEnd(characters: readonly string[], open: number): number | undefined {
  const first = open + (isNegation(characters[open + 1]) ? 2 : 1);
  for (let at = first; at < characters.length; at += 1) {
    if (characters[at] === '\\') at += 1;
    else if (characters[at] === ']' && at > first) return at;
  }
  return undefined;
}

function isNegation(character: string | undefined): boolean {
  return character === '!' || character === '^';
}

interface GlobReader extends GlobSource {
  at: number;
  readonly depth?: number;
}

function readSequence(reader: GlobReader, end: number): Token[][] {
  let alternatives: Token[][] = [[]];
  while (reader.at < end) {
    const choices = readPart(reader);
    const [only] = choices;
    if (choices.length === 1 && only !== undefined) for (const tokens of alternatives) tokens.push(...only);
    else alternatives = combine(alternatives, choices);
    if (alternatives.length * (alternatives[0] as Token[]).length > MOST_EXPANDED) throw new TooLarge();
  }
  return alternatives;
}

function combine(before: readonly Token[][], choices: readonly Token[][]): Token[][] {
  if (before.length * choices.length > MOST_ALTERNATIVES) throw new TooLarge();
  return before.flatMap((tokens) => choices.map((choice) => [...tokens, ...choice]));
}

function readPart(reader: GlobReader): Token[][] {
  const { characters, classes, braces, at } = reader;
  const character = characters[at] as string;
  const classCloser = classes.get(at);
  const brace = braces.get(at);
  reader.at += 1;
  if (character === '*') return [[STAR]];
  if (character === '?') return [[ANY]];
  if (classCloser !== undefined) {
    reader.at = classCloser + 1;
    return [[readClass(characters.slice(at + 1, classCloser))]];
  }
  if (brace !== undefined) return readBraces(reader, at, brace);
  const escaped = character === '\\' ? characters[reader.at] : undefined;
  if (escaped === undefined) return [[character]];
  reader.at += 1;
  return [[escaped]];
}

function readBraces(reader: GlobReader, open: number, { closer, commas }: Brace): Token[][] {
  const depth = (reader.depth ?? 0) + 1;
  if (depth > MOST_NESTING) throw new TooLarge();
  const range = commas.length === 0 ? readRange(reader.characters.slice(open + 1, closer).join('')) : undefined;
  reader.at = closer + 1;
  if (range !== undefined) return range;
  const starts = [open, ...commas].map((at) => at + 1);
  const choices = starts.flatMap((at, index) => readSequence({ ...reader, at, depth }, commas[index] ?? closer));
  // Braces around a single alternative are literal characters.
  return commas.length > 0 ? choices : choices.map((choice) => ['{', ...choice, '}']);
}

/** `1..12` and `a..e`. */
function readRange(range: string): Token[][] | undefined {
  const numbers = /^(\d{1,9})\.\.(\d{1,9})$/.exec(range);
  const letters = /^([a-zA-Z])\.\.([a-zA-Z])$/.exec(range);
  const [, from = '', to = ''] = numbers ?? letters ?? [];
  if (from === '') return undefined;
  const [first, last] = numbers ? [Number(from), Number(to)] : [from.charCodeAt(0), to.charCodeAt(0)];
  const [low, high] = [Math.min(first, last), Math.max(first, last)];
  if (high - low >= MOST_ALTERNATIVES) throw new TooLarge();
  const width = numbers && [from, to].some((text) => /^0./.test(text)) ? Math.max(from.length, to.length) : 0;
  const written = (value: number): string =>
    numbers ? String(value).padStart(width, '0') : String.fromCharCode(value);
  return Array.from({ length: high - low + 1 }, (_, index) => Array.from(written(low + index)));
}

function readClass(content: readonly string[]): CharacterClass {
  const negated = isNegation(content[0]);
  const characters: { readonly point: number; readonly escaped: boolean }[] = [];
  for (let at = negated ? 1 : 0; at < content.length; at += 1) {
    const escaped = content[at] === '\\' && at + 1 < content.length;
    if (escaped) at += 1;
    characters.push({ point: content[at]?.codePointAt(0) as number, escaped });
  }
  return { negated, ranges: mergeRanges(characters) };
}

// A dash between two characters is a range; at either end it is a literal dash.
function mergeRanges(characters: readonly { readonly point: number; readonly escaped: boolean }[]): [number, number][] {
  let next = 0;
  return characters.flatMap(({ point }, at): [number, number][] => {
    if (at < next) return [];
    const [dash, last] = characters.slice(at + 1, at + 3);
    const isRange = dash?.point === 0x2d && !dash.escaped && last !== undefined;
    next = at + (isRange ? 3 : 1);
    return [[point, isRange ? last.point : point]];
  });
}
