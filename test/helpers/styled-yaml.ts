/** Writes values as YAML in every style that people use, with comments, and says where each value is written. */

import fc from 'fast-check';
import {
  isJsonArray,
  isJsonNumber,
  isJsonObject,
  jsonEquals,
  type JsonObject,
  type JsonValue,
} from '../../src/base/json.ts';

export interface StyledYaml {
  readonly text: string;
  /** By the JSON pointer of a value. */
  readonly spans: ReadonlyMap<string, Span>;
}

interface Span {
  /** The text of the value, without its key, anchor and tag, and without the comment after it. */
  readonly value: readonly [number, number];
  /** For what is in a block collection: the lines of its entry, with the comments above it. */
  readonly lines?: readonly [number, number];
  /** Whether it is a mapping or list in brackets, or one without anything in it. */
  readonly isFlow: boolean;
  /** Whether a tag says its type. */
  readonly isTagged: boolean;
}

/** One way of writing any mapping: a text reads as the value that it was made from. */
export type Styled = (value: JsonObject) => StyledYaml;

/**
 * Random styles. Each writes a value in a different style at each place, with line ends, a byte order mark and so on. With
 * `aliases`, values that are written before may be aliases of them, or be merged; no span is known of what is in those.
 */
export function styles({ aliases = false, comments = 1 }: Partial<Writing> = {}): fc.Arbitrary<Styled> {
  return fc.nat(0x7fffffff).map((seed): Styled => {
    const write: Styled = (value) => new StyledWriter(seed, { aliases, comments }).write(value);
    return Object.assign(write, { toString: () => `style ${seed}` });
  });
}

interface Writing {
  readonly aliases: boolean;
  /** How many times as many comments as usual are written. */
  readonly comments: number;
}

/** The same numbers for the same seed. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x100000000;
  };
}

interface At {
  readonly pointer: string;
  /** Where the entry begins in its line. */
  readonly column: number;
}

const NO_COMMENT = '';

class StyledWriter {
  readonly #random: () => number;
  readonly #eol: string;
  readonly #indent: number;
  readonly #spans = new Map<string, Span>();
  #text = '';
  #comments = 0;
  #anchors = 0;
  readonly #named = new Map<string, JsonValue>();
  readonly #hasAliases: boolean;
  readonly #frequency: number;

  constructor(seed: number, { aliases, comments }: Writing) {
    this.#random = randomFrom(seed);
    this.#hasAliases = aliases;
    this.#frequency = comments;
    this.#eol = this.#chance(0.2) ? '\r\n' : '\n';
    this.#indent = this.#chance(0.25) ? 4 : 2;
  }

  write(value: JsonObject): StyledYaml {
    if (this.#chance(0.1)) this.#text += '\u{feff}';
    if (this.#chance(0.3)) this.#line(`${this.#comment()}`);
    if (this.#chance(0.2)) this.#line('---');
    if (Object.keys(value).length === 0) this.#line('{}');
    else if (this.#chance(0.1)) {
      this.#flow(value, '', false);
      this.#text += this.#eol;
    } else this.#members(value, '', 0);
    if (this.#chance(0.2)) this.#line(`${this.#chance(0.5) ? this.#eol : ''}${this.#comment()}`);
    if (this.#chance(0.1)) this.#line('...');
    const isOpen = this.#chance(0.15) && /[^\s]\r?\n$/.test(this.#text) && !/[|>][-+]?\r?\n *.*\r?\n$/.test(this.#text);
    return { text: isOpen ? this.#text.replace(/\r?\n$/, '') : this.#text, spans: this.#spans };
  }

  #chance(probability: number): boolean {
    return this.#random() < probability;
  }

  #pick<Choice>(choices: readonly Choice[]): Choice {
    return choices[Math.floor(this.#random() * choices.length)] as Choice;
  }

  #line(text: string): void {
    this.#text += text + this.#eol;
  }

  #comment(): string {
    this.#comments += 1;
    return `# comment ${this.#comments}${this.#pick(['', ': x', ' - y', " it's", ' {', ' &a *a', ' "'])}`;
  }

  /** The end of a line, with a comment or without. */
  #endLine(): void {
    this.#line(
      this.#chance(0.15 * this.#frequency) ? `${this.#pick([' ', '  ', '\t'])}${this.#comment()}` : NO_COMMENT,
    );
  }

  #above(column: number, isFirst: boolean): void {
    if (!isFirst && this.#chance(0.15)) this.#line('');
    if (!isFirst && this.#chance(0.05)) {
      this.#line(`${' '.repeat(column)}${this.#comment()}`);
      this.#line('');
    }
  }

  #members(value: JsonObject, pointer: string, column: number, startsInLine = false): void {
    const merged = startsInLine ? undefined : this.#merge(value, column);
    const own = Object.entries(value).filter(([name]) => merged === undefined || !Object.hasOwn(merged, name));
    for (const [index, [name, member]] of own.entries()) {
      const isCompact = startsInLine && index === 0;
      if (!isCompact) this.#above(column, index === 0);
      const start = this.#text.length;
      if (!isCompact) {
        if (this.#chance(0.12 * this.#frequency)) this.#line(`${' '.repeat(column)}${this.#comment()}`);
        this.#text += ' '.repeat(column);
      }
      const key = this.#key(name);
      if (!isCompact && this.#chance(0.04)) {
        this.#line(`? ${key}`);
        this.#text += `${' '.repeat(column)}:`;
      } else this.#text += `${key}${this.#chance(0.05) ? ' ' : ''}:`;
      const at = { pointer: `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`, column };
      this.#blockValue(member as JsonValue, at, 'mapping');
      this.#addLines(at.pointer, start);
    }
  }

  /** What a merge key at the beginning of a mapping gives. */
  #merge(value: JsonObject, column: number): JsonObject | undefined {
    if (!this.#hasAliases) return undefined;
    for (const [name, shared] of this.#named) {
      const isWithin =
        isJsonObject(shared) &&
        Object.keys(shared).length > 0 &&
        Object.keys(shared).length < Object.keys(value).length;
      if (
        !isWithin ||
        !Object.entries(shared).every(([one, member]) => Object.hasOwn(value, one) && jsonEquals(value[one], member))
      )
        continue;
      if (this.#chance(0.5)) continue;
      this.#line(`${' '.repeat(column)}<<: *${name}`);
      return shared;
    }
    return undefined;
  }

  /** Whether an alias is written for the value. */
  #alias(value: JsonValue, pointer: string): boolean {
    if (!this.#hasAliases) return false;
    const [name] = [...this.#named].find(([, shared]) => jsonEquals(shared, value)) ?? [];
    if (name === undefined || this.#chance(0.4)) return false;
    const from = this.#text.length;
    this.#text += `*${name}`;
    this.#span(pointer, from, { isFlow: true });
    return true;
  }

  #elements(value: readonly JsonValue[], pointer: string, column: number): void {
    for (const [index, element] of value.entries()) {
      this.#above(column, index === 0);
      const start = this.#text.length;
      if (this.#chance(0.12 * this.#frequency)) this.#line(`${' '.repeat(column)}${this.#comment()}`);
      this.#text += `${' '.repeat(column)}-`;
      const at = { pointer: `${pointer}/${index}`, column };
      if (isJsonObject(element) && Object.keys(element).length > 0 && this.#chance(0.6)) {
        this.#text += ' ';
        const from = this.#text.length;
        this.#members(element, at.pointer, column + 2, true);
        this.#span(at.pointer, from, { isFlow: false });
      } else this.#blockValue(element, at, 'list');
      this.#addLines(at.pointer, start);
    }
  }

  #addLines(pointer: string, start: number): void {
    const span = this.#spans.get(pointer);
    if (span !== undefined) this.#spans.set(pointer, { ...span, lines: [start, this.#text.length] });
  }

  #key(name: string): string {
    if (isPlain(name) && this.#chance(0.8)) return name;
    return this.#chance(0.5) && !/[^\x20-\x7e]/.test(name) ? `'${name.replaceAll("'", "''")}'` : JSON.stringify(name);
  }

  #blockValue(value: JsonValue, at: At, around: 'mapping' | 'list'): void {
    this.#text += ' ';
    if (this.#alias(value, at.pointer)) {
      this.#endLine();
      return;
    }
    this.#text = this.#text.slice(0, -1);
    const anchor = this.#chance(this.#hasAliases ? 0.15 : 0.03) ? `a${(this.#anchors += 1)}` : undefined;
    if (anchor !== undefined) this.#text += ` &${anchor}`;
    this.#unnamed(value, at, around);
    if (anchor !== undefined) this.#named.set(anchor, value);
  }

  #unnamed(value: JsonValue, at: At, around: 'mapping' | 'list'): void {
    if (isJsonObject(value) && Object.keys(value).length > 0 && this.#chance(0.65)) {
      this.#endLine();
      const from = this.#text.length;
      this.#members(value, at.pointer, at.column + this.#indent);
      this.#span(at.pointer, from, { isFlow: false });
    } else if (isJsonArray(value) && value.length > 0 && this.#chance(0.65)) {
      this.#endLine();
      const from = this.#text.length;
      const isIndented = around === 'list' || this.#chance(0.7);
      this.#elements(value, at.pointer, at.column + (isIndented ? this.#indent : 0));
      this.#span(at.pointer, from, { isFlow: false });
    } else if (isJsonObject(value) || isJsonArray(value)) {
      this.#text += ' ';
      this.#flow(value, at.pointer, this.#chance(0.3), at.column);
      this.#endLine();
    } else this.#single(value, at, around === 'list' ? [' ', '  '] : [' ', ' ', ' ', '  ', '\t']);
  }

  #single(value: JsonValue, at: At, spaces: readonly string[]): void {
    if (value === null && this.#chance(0.3)) {
      this.#span(at.pointer, this.#text.length, { isFlow: false });
      this.#endLine();
      return;
    }
    const isTagged = typeof value === 'string' && this.#chance(0.02);
    this.#text += `${this.#pick(spaces)}${isTagged ? '!!str ' : ''}`;
    const from = this.#text.length;
    if (typeof value === 'string' && isParagraph(value) && this.#chance(0.4)) this.#blockScalar(value, at);
    else {
      this.#text += this.#scalar(value, false);
      this.#span(at.pointer, from, { isFlow: false, isTagged });
      this.#endLine();
      return;
    }
    this.#span(at.pointer, from, { isFlow: false, isTagged });
  }

  #blockScalar(value: string, { column }: At): void {
    const content = value.replace(/\n$/, '');
    const isFolded = !content.includes('\n') && this.#chance(0.5);
    const chomping = value.endsWith('\n') ? '' : '-';
    const width = this.#pick([1, 2, 4]);
    const digit = this.#chance(0.2) ? String(width) : '';
    this.#text += (isFolded ? '>' : '|') + digit + chomping;
    this.#endLine();
    const lines = isFolded && this.#chance(0.5) ? content.split(/(?<=\S) (?=\S)/) : content.split('\n');
    for (const line of lines) this.#line(line === '' ? '' : ' '.repeat(column + width) + line);
  }

  #flow(value: JsonValue, pointer: string, isSpread: boolean, column = 0): void {
    if (this.#alias(value, pointer)) return;
    const from = this.#text.length;
    const [open, close] = isJsonArray(value) ? ['[', ']'] : ['{', '}'];
    if (!isJsonArray(value) && !isJsonObject(value)) this.#text += this.#scalar(value, true);
    else {
      const entries = Object.entries(value);
      this.#text += open;
      const isWide = isSpread && entries.length > 0;
      const padding = this.#chance(0.5) ? ' ' : '';
      const hasLastComma = entries.length > 0 && this.#chance(0.3);
      for (const [index, [name, member]] of entries.entries()) {
        if (isWide) this.#flowLine(column + this.#indent, index === 0);
        else this.#text += index === 0 ? padding : this.#pick([' ', ' ', '']);
        if (!isJsonArray(value)) this.#text += `${this.#key(name)}: `;
        const path = name.replaceAll('~', '~0').replaceAll('/', '~1');
        this.#flow(member as JsonValue, `${pointer}/${path}`, this.#chance(0.1) && isWide, column + this.#indent);
        if (index < entries.length - 1 || hasLastComma) this.#text += ',';
      }
      if (isWide) {
        this.#endLine();
        this.#text += ' '.repeat(column + 1);
      } else this.#text += padding;
      this.#text += close;
    }
    this.#span(pointer, from, { isFlow: true });
  }

  /** The end of a line in brackets, and the beginning of the next one. */
  #flowLine(column: number, isFirst: boolean): void {
    if (isFirst) this.#line('');
    else this.#endLine();
    if (this.#chance(0.1)) this.#line(`${' '.repeat(column)}${this.#comment()}`);
    this.#text += ' '.repeat(column);
  }

  #scalar(value: JsonValue, isFlow: boolean): string {
    if (value === null) return this.#pick(['null', '~', 'Null']);
    if (typeof value === 'boolean') return this.#pick([String(value), String(value).toUpperCase()]);
    if (typeof value !== 'string') {
      if (!isJsonNumber(value)) throw new Error('Not a single value.');
      const isWhole = typeof value === 'number' && Number.isSafeInteger(value) && value > 0;
      return isWhole && this.#chance(0.1) ? `0x${value.toString(16)}` : String(value);
    }
    if (isPlain(value) && this.#chance(0.6)) return value;
    const isSimple = !/[^\x20-\x7e]/.test(value);
    if (isSimple && this.#chance(0.5)) return `'${value.replaceAll("'", "''")}'`;
    if (!isFlow && /^[a-z]+[/:][^\s#,]*[a-z]$/i.test(value) && this.#chance(0.5)) return value;
    return JSON.stringify(value);
  }

  #span(pointer: string, from: number, { isFlow, isTagged = false }: { isFlow: boolean; isTagged?: boolean }): void {
    this.#spans.set(pointer, { value: [from, this.#text.length], isFlow, isTagged });
  }
}

function isPlain(text: string): boolean {
  return /^[a-z@]?[a-z][a-z0-9 _.-]*[a-z0-9]$/i.test(text) && !/^(true|false|null|\.nan|@.*|.* )$/i.test(text);
}

/** Whether a block scalar in its simplest forms says the string. */
function isParagraph(text: string): boolean {
  return /^[^\s]/.test(text) && !/[^\n\x20-\x7e]/.test(text) && !/ (\n|$)|\n\n$|\n[ ]|^#/.test(text);
}
