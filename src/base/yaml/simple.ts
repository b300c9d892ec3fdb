/**
 * Reads the simple YAML that nearly all manifests are: block mappings and lists, scalars of one line, block scalars, brackets and
 * comments. The parser of all YAML takes several times as long. A file in which anything else is found, and one with any problem, is
 * not read here at all: what both read, they read alike.
 */

import { parseJson } from '../json-text.ts';
import type { JsonPrimitive, JsonValue } from '../json.ts';
import type { Place, PlaceTree } from '../place.ts';
import { unstorableCharacter } from '../text.ts';

interface SimpleDocument {
  readonly value: JsonValue;
  readonly places: PlaceTree;
}

/** Thrown at the first character that the simple reader does not know. */
class NotSimple extends Error {}

/** Tabs, carriage returns, control characters, white space that is no space, and halves of surrogate pairs. */
const FOREIGN = /[^\n -~\u00a1-\ud7ff\ue000-\u{10ffff}]|[\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]/u;

/** The only document of a file; `undefined` if the file is not simple. `file` is the name in places. */
export function readSimple(file: string, text: string): SimpleDocument | undefined {
  if (FOREIGN.test(text)) return undefined;
  try {
    return new Reader(file, text).readDocument();
  } catch (error) {
    if (error instanceof NotSimple) return undefined;
    throw error;
  }
}

/** The limits are below those of the parser, a key of 1024 characters and a hundred levels. */
const LONGEST_KEY = 1000;
const DEEPEST = 64;

const LINE_FEED = 0x0a;
const SPACE = 0x20;
const DOUBLE_QUOTE = 0x22;
const HASH = 0x23;
const SINGLE_QUOTE = 0x27;
const COMMA = 0x2c;
const DASH = 0x2d;
const NINE = 0x39;
const COLON = 0x3a;
const FOLDED = 0x3e;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_LIST = 0x5d;
const OPEN_MAPPING = 0x7b;
const LITERAL = 0x7c;
const CLOSE_MAPPING = 0x7d;

const BLOCK_HEADER = /([|>])(-?) *\n/y;
/** Content that folds in another way than with a space in place of each line feed. */
const UNEVENLY_FOLDED = /\n[ \n]| (?:\n|$)/;

/** Wherever a method takes it, `around` is the indentation of the collection around a value, -1 at the top. */
class Reader {
  readonly #file: string;
  readonly #text: string;
  #at = 0;
  /** The indentation of the line whose content begins at `#at`; -1 at the end of the text. */
  #indent = -1;
  #line = 1;
  #lineStart = 0;
  /** The line that is right below empty lines or comments. */
  #lineAfterGap = 0;
  #depth = 0;
  #brackets = 0;

  constructor(file: string, text: string) {
    this.#file = file;
    this.#text = text;
  }

  readDocument(): SimpleDocument {
    this.#toContent();
    if (this.#indent === 0 && this.#text.startsWith('---\n', this.#at)) {
      this.#at += 3;
      this.#toContent();
    }
    if (this.#indent === -1) throw new NotSimple();
    const document = this.#readNode(-1, this.#place);
    if (this.#indent !== -1) throw new NotSimple();
    return document;
  }

  /** A value that begins a line or follows a dash. */
  #readNode(around: number, place: Place): SimpleDocument {
    if (this.#isAtDash) return this.#readList(this.#column, place);
    const isKey =
      !isBracket(this.#code) &&
      !isBlockScalar(this.#code) &&
      this.#text.charCodeAt(endOfScalar(this.#text, this.#at, false)) === COLON;
    if (isKey) return this.#readMapping(this.#column, place);
    // After an empty line and a comment, the parser joins the value with the lines below it, however they are indented.
    const isAfterGap = this.#line === this.#lineAfterGap && this.#column === this.#indent;
    if (isAfterGap && around >= 0) throw new NotSimple();
    return this.#readInline(around, place);
  }

  #readList(indent: number, place: Place): SimpleDocument {
    const value: JsonValue[] = [];
    const children: Record<string, PlaceTree> = {};
    this.#enter();
    do {
      this.#at += 1;
      if (this.#isAtValue()) this.#skipSpaces();
      else this.#endLine();
      if (this.#column <= indent) throw new NotSimple();
      const element = this.#readNode(indent, this.#place);
      children[value.length] = element.places;
      value.push(element.value);
    } while (this.#indent === indent && this.#isAtDash);
    this.#leave(indent);
    return { value, places: { place, children } };
  }

  #readMapping(indent: number, place: Place): SimpleDocument {
    const members = new Members();
    this.#enter();
    do {
      const at = this.#place;
      members.add(this.#readKey(false), this.#readMember(indent, at));
    } while (this.#indent === indent);
    this.#leave(indent);
    return members.end(place);
  }

  #enter(): void {
    this.#depth += 1;
    if (this.#depth > DEEPEST) throw new NotSimple();
  }

  /** Only what is indented less can follow a collection. */
  #leave(indent: number): void {
    this.#depth -= 1;
    if (this.#indent > indent) throw new NotSimple();
  }

  #readKey(isInBrackets: boolean): string {
    const source = this.#take(endOfScalar(this.#text, this.#at, isInBrackets));
    if (this.#code !== COLON || source.length > LONGEST_KEY) throw new NotSimple();
    this.#at += 1;
    if (!isBlank(this.#code) && !(isInBrackets && isQuoted(source))) throw new NotSimple();
    if (source === '<<') throw new NotSimple();
    return isQuoted(source) ? quotedText(source) : source;
  }

  /** A list may have the indentation of the mapping around it. */
  #readMember(around: number, place: Place): SimpleDocument {
    if (this.#isAtValue()) {
      this.#skipSpaces();
      return this.#readInline(around, place);
    }
    this.#endLine();
    if (this.#indent > around) return this.#readNode(around, place);
    if (this.#indent === around && this.#isAtDash) return this.#readList(around, place);
    throw new NotSimple(); // nothing is behind the name, which is reported
  }

  #readInline(around: number, place: Place): SimpleDocument {
    if (isBlockScalar(this.#code)) return { value: this.#readBlockScalar(around), places: { place } };
    const read = isBracket(this.#code) ? this.#readBrackets(around, place) : this.#readScalar(false, place);
    this.#endLine();
    return read;
  }

  #readScalar(isInBrackets: boolean, place: Place): SimpleDocument {
    const source = this.#take(endOfScalar(this.#text, this.#at, isInBrackets));
    if (source === '') throw new NotSimple();
    return { value: isQuoted(source) ? quotedText(source) : plainValue(source), places: { place } };
  }

  /** `|`, `|-`, `>` and `>-` over lines with the same indentation. Moves to the next content. */
  #readBlockScalar(around: number): string {
    BLOCK_HEADER.lastIndex = this.#at;
    const [header = '', style, chomping] = BLOCK_HEADER.exec(this.#text) ?? [];
    if (header === '') throw new NotSimple();
    this.#at += header.length - 1;
    const content = this.#readBlockLines(around).join('\n');
    this.#toContent();
    if (style === '>' && UNEVENLY_FOLDED.test(content)) throw new NotSimple();
    return (style === '>' ? content.replaceAll('\n', ' ') : content) + (chomping === '' ? '\n' : '');
  }

  /** The lines without their indentation, which is that of the first, and without empty ones at the end. */
  #readBlockLines(around: number): string[] {
    const lines: string[] = [];
    let filled = 0;
    let indent = around + 1;
    while (this.#code === LINE_FEED) {
      this.#startLine();
      this.#skipSpaces();
      if (this.#isAtLineEnd && this.#column > 0) throw new NotSimple();
      if (this.#isAtLineEnd) lines.push('');
      else if (this.#column < indent) break;
      else {
        if (filled === 0) indent = this.#column;
        this.#at = this.#lineStart + indent;
        lines.push(this.#take(this.#lineEnd()));
        filled = lines.length;
      }
      if (filled === 0) throw new NotSimple();
    }
    if (filled === 0 || this.#column > around) throw new NotSimple();
    return lines.slice(0, filled);
  }

  #readBrackets(around: number, place: Place): SimpleDocument {
    const isList = this.#code === OPEN_LIST;
    this.#enter();
    this.#brackets += 1;
    this.#at += 1;
    this.#skipLines(around);
    const read = isList ? this.#readElements(around, place) : this.#readMembers(around, place);
    this.#brackets -= 1;
    this.#depth -= 1;
    this.#at += 1;
    return read;
  }

  #readElements(around: number, place: Place): SimpleDocument {
    const value: JsonValue[] = [];
    const children: Record<string, PlaceTree> = {};
    while (this.#code !== CLOSE_LIST) {
      const element = this.#readInBrackets(around, this.#place);
      children[value.length] = element.places;
      value.push(element.value);
      this.#skipComma(CLOSE_LIST, around);
    }
    return { value, places: { place, children } };
  }

  #readMembers(around: number, place: Place): SimpleDocument {
    const members = new Members();
    while (this.#code !== CLOSE_MAPPING) {
      const at = this.#place;
      const key = this.#readKey(true);
      this.#skipSpaces();
      members.add(key, this.#readInBrackets(around, at));
      this.#skipComma(CLOSE_MAPPING, around);
    }
    return members.end(place);
  }

  #readInBrackets(around: number, place: Place): SimpleDocument {
    return isBracket(this.#code) ? this.#readBrackets(around, place) : this.#readScalar(true, place);
  }

  #skipComma(close: number, around: number): void {
    this.#skipLines(around);
    if (this.#code === COMMA) {
      this.#at += 1;
      this.#skipLines(around);
    } else if (this.#code !== close) throw new NotSimple();
  }

  /** Lines within brackets are indented deeper than the collection around; only the last bracket may be as deep. */
  #skipLines(around: number): void {
    const before = this.#line;
    this.#skipSpaces();
    while (this.#code === LINE_FEED) {
      this.#startLine();
      this.#skipSpaces();
    }
    if (this.#line === before || this.#column > around) return;
    const isEnd = this.#code === CLOSE_LIST || this.#code === CLOSE_MAPPING;
    if (!isEnd || this.#column < around || this.#brackets > 1) throw new NotSimple();
  }

  /** NaN at the end of the text. */
  get #code(): number {
    return this.#text.charCodeAt(this.#at);
  }

  get #column(): number {
    return this.#at - this.#lineStart;
  }

  get #place(): Place {
    return { file: this.#file, line: this.#line, column: this.#column + 1 };
  }

  get #isAtLineEnd(): boolean {
    return isLineEnd(this.#code);
  }

  /** Whether a dash begins an element here. */
  get #isAtDash(): boolean {
    return this.#code === DASH && isBlank(this.#text.charCodeAt(this.#at + 1));
  }

  /** Whether a value follows on the line, after spaces. */
  #isAtValue(): boolean {
    let at = this.#at;
    while (this.#text.charCodeAt(at) === SPACE) at += 1;
    const code = this.#text.charCodeAt(at);
    return code !== HASH && !isLineEnd(code);
  }

  /** The text up to an offset, to which it moves. */
  #take(end: number): string {
    const taken = this.#text.slice(this.#at, end);
    this.#at = end;
    return taken;
  }

  #skipSpaces(): void {
    while (this.#code === SPACE) this.#at += 1;
  }

  /** Only space and a comment may follow on the line. Moves to the next content. */
  #endLine(): void {
    const end = this.#at;
    this.#skipSpaces();
    if (!this.#isAtLineEnd && !(this.#code === HASH && this.#at > end)) throw new NotSimple();
    this.#at = this.#lineEnd();
    this.#toContent();
  }

  /** Moves from the start or the end of a line to the next content. */
  #toContent(): void {
    const before = this.#line;
    while (this.#at < this.#text.length) {
      if (this.#code === LINE_FEED) this.#startLine();
      this.#skipSpaces();
      this.#indent = this.#column;
      if (this.#code === HASH) this.#at = this.#lineEnd();
      else if (!this.#isAtLineEnd) {
        if (this.#line > before + 1) this.#lineAfterGap = this.#line;
        return;
      }
    }
    this.#indent = -1;
  }

  /** Moves from a line feed to the start of the next line. */
  #startLine(): void {
    this.#at += 1;
    this.#lineStart = this.#at;
    this.#line += 1;
  }

  #lineEnd(): number {
    const end = this.#text.indexOf('\n', this.#at);
    return end === -1 ? this.#text.length : end;
  }
}

class Members {
  readonly #value: Record<string, JsonValue> = {};
  readonly #children: Record<string, PlaceTree> = {};
  #count = 0;

  add(key: string, { value, places }: SimpleDocument): void {
    if (key === '__proto__') throw new NotSimple();
    this.#value[key] = value;
    this.#children[key] = places;
    this.#count += 1;
  }

  /** A key that stands twice is reported by the parser. */
  end(place: Place): SimpleDocument {
    if (Object.keys(this.#value).length < this.#count) throw new NotSimple();
    return { value: this.#value, places: { place, children: this.#children } };
  }
}

function isBracket(code: number): boolean {
  return code === OPEN_LIST || code === OPEN_MAPPING;
}

function isBlockScalar(code: number): boolean {
  return code === LITERAL || code === FOLDED;
}

/** Whether a token ends here; NaN is the end of the text. */
function isBlank(code: number): boolean {
  return code === SPACE || isLineEnd(code);
}

function isLineEnd(code: number): boolean {
  return code === LINE_FEED || Number.isNaN(code);
}

/** A plain scalar does not begin with a character that has a meaning of its own; `-` and `.` only before letters and digits. */
const FIRST = String.raw`(?:[^\s\-.?:,[\]{}#&*!|>'"%@\`]|[-.](?=\w))`;
/** A colon belongs to it before what cannot be white space or punctuation of YAML; space only before such a character. */
const IN_BLOCK = new RegExp(String.raw`${FIRST}(?:[^ :\n]|:(?=[^ \n])| +(?=[^ #:\n]))*`, 'y');
const IN_FLOW = new RegExp(String.raw`${FIRST}(?:[^ :\n,[\]{}]|:(?=[\w/])| +(?=[^ #:\n,[\]{}]))*`, 'y');

/** The end of the scalar of one line that begins at an offset. */
function endOfScalar(text: string, start: number, isInFlow: boolean): number {
  const quote = text.charCodeAt(start);
  if (quote !== DOUBLE_QUOTE && quote !== SINGLE_QUOTE) {
    const plain = isInFlow ? IN_FLOW : IN_BLOCK;
    plain.lastIndex = start;
    if (!plain.test(text)) throw new NotSimple();
    return plain.lastIndex;
  }
  for (let at = start + 1; ; at += 1) {
    const code = text.charCodeAt(at);
    if (isLineEnd(code)) throw new NotSimple();
    if (code === BACKSLASH && quote === DOUBLE_QUOTE) at += 1;
    if (code !== quote) continue;
    if (quote === DOUBLE_QUOTE || text.charCodeAt(at + 1) !== SINGLE_QUOTE) return at + 1;
    at += 1;
  }
}

function isQuoted(source: string): boolean {
  const code = source.charCodeAt(0);
  return code === DOUBLE_QUOTE || code === SINGLE_QUOTE;
}

function quotedText(source: string): string {
  const content = source.slice(1, -1);
  if (source.charCodeAt(0) === SINGLE_QUOTE) return content.includes("'") ? content.replaceAll("''", "'") : content;
  if (!content.includes('\\')) return content;
  let value: string;
  try {
    // The escapes of JSON mean the same in YAML.
    value = parseJson(source) as string;
  } catch {
    throw new NotSimple();
  }
  if (unstorableCharacter(value) !== undefined) throw new NotSimple();
  return value;
}

/** Decimals in the usual spelling. With so few digits a double holds them exactly. */
const DECIMAL = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;
const MOST_DIGITS = 15;
/** Everything that the core schema may read as a number, and more. */
const LIKE_NUMBER = /^[-+]?(?:0[ox][\da-f]+|(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?|\.(?:inf|nan))$/i;

const WORDS: ReadonlyMap<string, boolean | null> = new Map<string, boolean | null>([
  ...['~', 'null', 'Null', 'NULL'].map((word) => [word, null] as const),
  ...['true', 'True', 'TRUE'].map((word) => [word, true] as const),
  ...['false', 'False', 'FALSE'].map((word) => [word, false] as const),
]);
const LONGEST_WORD = 5;

function plainValue(source: string): JsonPrimitive {
  const word = source.length <= LONGEST_WORD ? WORDS.get(source) : undefined;
  if (word !== undefined) return word;
  // No number begins with a character above it.
  if (source.charCodeAt(0) > NINE) return source;
  // Adding 0 makes 0 of -0.
  if (source.length <= MOST_DIGITS && DECIMAL.test(source)) return Number(source) + 0;
  if (LIKE_NUMBER.test(source)) throw new NotSimple();
  return source;
}
