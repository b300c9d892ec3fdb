/**
 * Reads the simple YAML that nearly all manifests are: block mappings and lists, scalars of one line, block scalars, brackets and
 * comments. The parser of all YAML takes several times as long. A file in which anything else is found, and one with any problem, is
 * not read here at all: what both read, they read alike.
 */

import type { JsonValue } from '../../json.ts';
import type { Place, PlaceTree } from '../../place.ts';
import { readBlockScalar } from './block-scalar.ts';
import { Cursor, isBlank, NotSimple } from './cursor.ts';
import { endOfScalar, isQuoted, quotedText, scalarValue } from './scalars.ts';

interface SimpleDocument {
  readonly value: JsonValue;
  readonly places: PlaceTree;
}

/** Tabs, carriage returns, control characters, white space that is no space, and halves of surrogate pairs. */
const FOREIGN = /[^\n -~\u00a1-\ud7ff\ue000-\u{10ffff}]|[\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]/u;

/** The only document of a file; `undefined` if the file is not simple. `file` is the name in places. */
export function readSimple(file: string, text: string): SimpleDocument | undefined {
  if (FOREIGN.test(text)) return undefined;
  try {
    return new Reader(new Cursor(file, text)).readDocument();
  } catch (error) {
    if (error instanceof NotSimple) return undefined;
    throw error;
  }
}

/** The limits are below those of the parser, a key of 1024 characters and a hundred levels. */
const LONGEST_KEY = 1000;
const DEEPEST = 64;

/** The key that merges another mapping. */
const MERGE = '<<';

const COLON = 0x3a;
const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_MAPPING = 0x7b;
const CLOSE_MAPPING = 0x7d;
const LITERAL = 0x7c;
const FOLDED = 0x3e;

/** Wherever a method takes it, `around` is the indentation of the collection around a value, -1 at the top. */
class Reader {
  readonly #cursor: Cursor;
  #depth = 0;
  #brackets = 0;

  constructor(cursor: Cursor) {
    this.#cursor = cursor;
  }

  readDocument(): SimpleDocument {
    const cursor = this.#cursor;
    cursor.toContent();
    if (cursor.indent === 0 && cursor.text.startsWith('---\n', cursor.at)) {
      cursor.at += 3;
      cursor.toContent();
    }
    if (cursor.indent === -1) throw new NotSimple();
    const document = this.#readNode(-1, cursor.place);
    if (cursor.indent !== -1) throw new NotSimple();
    return document;
  }

  /** A value that begins a line or follows a dash. */
  #readNode(around: number, place: Place): SimpleDocument {
    const cursor = this.#cursor;
    if (cursor.isAtDash) return this.#readList(cursor.column, place);
    if (this.#isAtKey()) return this.#readMapping(cursor.column, place);
    // After an empty line and a comment, the parser joins the value with the lines below it, however they are indented.
    if (cursor.isAfterGap && around >= 0) throw new NotSimple();
    return this.#readInline(around, place);
  }

  #isAtKey(): boolean {
    const { code, text, at } = this.#cursor;
    if (isBracket(code) || isBlockScalar(code)) return false;
    return text.charCodeAt(endOfScalar(text, at, false)) === COLON;
  }

  #readList(indent: number, place: Place): SimpleDocument {
    const cursor = this.#cursor;
    const elements = new Elements(place);
    this.#enter();
    do {
      cursor.at += 1;
      if (cursor.isAtValue()) cursor.skipSpaces();
      else cursor.endLine();
      if (cursor.column <= indent) throw new NotSimple();
      elements.add(this.#readNode(indent, cursor.place));
    } while (cursor.indent === indent && cursor.isAtDash);
    this.#leave(indent);
    return elements.end();
  }

  #readMapping(indent: number, place: Place): SimpleDocument {
    const members = new Members(place);
    this.#enter();
    do {
      const at = this.#cursor.place;
      members.add(this.#readKey(false), this.#readMember(indent, at));
    } while (this.#cursor.indent === indent);
    this.#leave(indent);
    return members.end();
  }

  #enter(): void {
    this.#depth += 1;
    if (this.#depth > DEEPEST) throw new NotSimple();
  }

  /** Only what is indented less can follow a collection. */
  #leave(indent: number): void {
    this.#depth -= 1;
    if (this.#cursor.indent > indent) throw new NotSimple();
  }

  #readKey(isInBrackets: boolean): string {
    const cursor = this.#cursor;
    const source = cursor.take(endOfScalar(cursor.text, cursor.at, isInBrackets));
    if (cursor.code !== COLON || source.length > LONGEST_KEY) throw new NotSimple();
    cursor.at += 1;
    if (!isBlank(cursor.code) && !(isInBrackets && isQuoted(source))) throw new NotSimple();
    if (source === MERGE) throw new NotSimple();
    return isQuoted(source) ? quotedText(source) : source;
  }

  /** A list may have the indentation of the mapping around it. */
  #readMember(around: number, place: Place): SimpleDocument {
    const cursor = this.#cursor;
    if (cursor.isAtValue()) {
      cursor.skipSpaces();
      return this.#readInline(around, place);
    }
    cursor.endLine();
    if (cursor.indent > around) return this.#readNode(around, place);
    if (cursor.indent === around && cursor.isAtDash) return this.#readList(around, place);
    throw new NotSimple(); // nothing is behind the name, which is reported
  }

  #readInline(around: number, place: Place): SimpleDocument {
    const cursor = this.#cursor;
    if (isBlockScalar(cursor.code)) return { value: readBlockScalar(cursor, around), places: { place } };
    const read = isBracket(cursor.code) ? this.#readBrackets(around, place) : this.#readScalar(false, place);
    cursor.endLine();
    return read;
  }

  #readScalar(isInBrackets: boolean, place: Place): SimpleDocument {
    const cursor = this.#cursor;
    const source = cursor.take(endOfScalar(cursor.text, cursor.at, isInBrackets));
    if (source === '') throw new NotSimple();
    return { value: scalarValue(source), places: { place } };
  }

  #readBrackets(around: number, place: Place): SimpleDocument {
    const isList = this.#cursor.code === OPEN_LIST;
    this.#enter();
    this.#brackets += 1;
    this.#cursor.at += 1;
    this.#skipLines(around);
    const read = isList ? this.#readElements(around, place) : this.#readMembers(around, place);
    this.#brackets -= 1;
    this.#depth -= 1;
    this.#cursor.at += 1;
    return read;
  }

  #readElements(around: number, place: Place): SimpleDocument {
    const elements = new Elements(place);
    while (this.#cursor.code !== CLOSE_LIST) {
      elements.add(this.#readInBrackets(around, this.#cursor.place));
      this.#skipComma(CLOSE_LIST, around);
    }
    return elements.end();
  }

  #readMembers(around: number, place: Place): SimpleDocument {
    const members = new Members(place);
    while (this.#cursor.code !== CLOSE_MAPPING) {
      const at = this.#cursor.place;
      const key = this.#readKey(true);
      this.#cursor.skipSpaces();
      members.add(key, this.#readInBrackets(around, at));
      this.#skipComma(CLOSE_MAPPING, around);
    }
    return members.end();
  }

  #readInBrackets(around: number, place: Place): SimpleDocument {
    return isBracket(this.#cursor.code) ? this.#readBrackets(around, place) : this.#readScalar(true, place);
  }

  #skipComma(close: number, around: number): void {
    this.#skipLines(around);
    if (this.#cursor.code === COMMA) {
      this.#cursor.at += 1;
      this.#skipLines(around);
    } else if (this.#cursor.code !== close) throw new NotSimple();
  }

  /** Lines within brackets are indented deeper than the collection around; only the last bracket may be as deep. */
  #skipLines(around: number): void {
    const cursor = this.#cursor;
    if (!cursor.skipLines() || cursor.column > around) return;
    const isEnd = cursor.code === CLOSE_LIST || cursor.code === CLOSE_MAPPING;
    if (!isEnd || cursor.column < around || this.#brackets > 1) throw new NotSimple();
  }
}

class Elements {
  readonly #place: Place;
  readonly #value: JsonValue[] = [];
  readonly #children: Record<string, PlaceTree> = {};

  constructor(place: Place) {
    this.#place = place;
  }

  add({ value, places }: SimpleDocument): void {
    this.#children[this.#value.length] = places;
    this.#value.push(value);
  }

  end(): SimpleDocument {
    return { value: this.#value, places: { place: this.#place, children: this.#children } };
  }
}

class Members {
  readonly #place: Place;
  readonly #value: Record<string, JsonValue> = {};
  readonly #children: Record<string, PlaceTree> = {};
  #count = 0;

  constructor(place: Place) {
    this.#place = place;
  }

  add(key: string, { value, places }: SimpleDocument): void {
    if (key === '__proto__') throw new NotSimple();
    this.#value[key] = value;
    this.#children[key] = places;
    this.#count += 1;
  }

  end(): SimpleDocument {
    const hasDuplicate = Object.keys(this.#value).length < this.#count;
    if (hasDuplicate) throw new NotSimple();
    return { value: this.#value, places: { place: this.#place, children: this.#children } };
  }
}

function isBracket(code: number): boolean {
  return code === OPEN_LIST || code === OPEN_MAPPING;
}

function isBlockScalar(code: number): boolean {
  return code === LITERAL || code === FOLDED;
}
