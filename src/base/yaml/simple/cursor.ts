/** A position in the text of a simple YAML file: its characters, its lines and its place. */

import type { Place } from '../../place.ts';

export const LINE_FEED = 0x0a;
const SPACE = 0x20;
const HASH = 0x23;
const DASH = 0x2d;

/** Thrown at the first character that the simple reader does not know. */
export class NotSimple extends Error {}

export class Cursor {
  readonly text: string;
  readonly #file: string;
  at = 0;
  /** The indentation of the line whose content begins at `at`; -1 at the end of the text. */
  indent = -1;
  #lineAfterGap = 0;
  #line = 1;
  #lineStart = 0;

  constructor(file: string, text: string) {
    this.#file = file;
    this.text = text;
  }

  /** NaN at the end of the text. */
  get code(): number {
    return this.text.charCodeAt(this.at);
  }

  get column(): number {
    return this.at - this.#lineStart;
  }

  get place(): Place {
    return { file: this.#file, line: this.#line, column: this.column + 1 };
  }

  /** Whether a dash begins an element here. */
  get isAtDash(): boolean {
    return this.code === DASH && isBlank(this.text.charCodeAt(this.at + 1));
  }

  /** Whether the content begins a line that is right below empty lines or comments. */
  get isAfterGap(): boolean {
    return this.#line === this.#lineAfterGap && this.column === this.indent;
  }

  get isAtLineEnd(): boolean {
    return isLineEnd(this.code);
  }

  /** Whether a value follows on the line, after spaces. */
  isAtValue(): boolean {
    let at = this.at;
    while (this.text.charCodeAt(at) === SPACE) at += 1;
    const code = this.text.charCodeAt(at);
    return code !== HASH && !isLineEnd(code);
  }

  /** The text up to an offset, to which it moves. */
  take(end: number): string {
    const taken = this.text.slice(this.at, end);
    this.at = end;
    return taken;
  }

  /** The rest of the line from a column on. */
  takeLine(column: number): string {
    this.at = this.#lineStart + column;
    return this.take(this.#lineEnd());
  }

  /** Skips white space; returns whether there was a line feed. */
  skipLines(): boolean {
    const before = this.#line;
    this.skipSpaces();
    while (this.code === LINE_FEED) {
      this.startLine();
      this.skipSpaces();
    }
    return this.#line > before;
  }

  skipSpaces(): void {
    while (this.code === SPACE) this.at += 1;
  }

  /** Only space and a comment may follow on the line. Moves to the next content. */
  endLine(): void {
    const end = this.at;
    this.skipSpaces();
    if (!this.isAtLineEnd && !(this.code === HASH && this.at > end)) throw new NotSimple();
    this.at = this.#lineEnd();
    this.toContent();
  }

  /** Moves from the start or the end of a line to the next content. */
  toContent(): void {
    const before = this.#line;
    while (this.at < this.text.length) {
      if (this.code === LINE_FEED) this.startLine();
      this.skipSpaces();
      this.indent = this.column;
      if (this.code === HASH) this.at = this.#lineEnd();
      else if (!this.isAtLineEnd) {
        if (this.#line > before + 1) this.#lineAfterGap = this.#line;
        return;
      }
    }
    this.indent = -1;
  }

  /** Moves from a line feed to the start of the next line. */
  startLine(): void {
    this.at += 1;
    this.#lineStart = this.at;
    this.#line += 1;
  }

  #lineEnd(): number {
    const end = this.text.indexOf('\n', this.at);
    return end === -1 ? this.text.length : end;
  }
}

/** Whether the token ends here; NaN is the end of the text. */
export function isBlank(code: number): boolean {
  return code === SPACE || isLineEnd(code);
}

export function isLineEnd(code: number): boolean {
  return code === LINE_FEED || Number.isNaN(code);
}
