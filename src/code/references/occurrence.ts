/** What a word of a file is there: a string, a name, or a part of text; and which argument of a call is the key of a flag. */

import type { SourceText } from './source-text.ts';
import { FLAG_NAME, KEY_NAMES } from './sdk-calls.ts';

export interface Occurrence {
  readonly source: SourceText;
  readonly word: string;
  readonly start: number;
  readonly end: number;
}

/** The word is all that stands between a pair of quotes. */
export function isQuoted({ source: { text }, start, end }: Occurrence): boolean {
  const quote = text[start - 1];
  if (quote !== '"' && quote !== "'" && quote !== '`') return false;
  return text[end] === quote || (text[end] === '\\' && text[end + 1] === quote && text[start - 2] === '\\');
}

/** The word is not a part of a longer one, in which `-` joins. */
export function isWholeRun({ source: { text }, start, end }: Occurrence): boolean {
  return !JOINED.test(text[start - 1] ?? ' ') && !JOINED.test(text[end] ?? ' ');
}

const JOINED = /[\w-]/;

/** The word stands for a name of a program. */
export function isName({ source: { text }, start, end }: Occurrence): boolean {
  if (text[start - 1] === '-' || text[start - 1] === '/') return false;
  return (text[end] !== '-' || text[end + 1] === '>') && text[end] !== '$' && text[end] !== '/';
}

/** A string without quotes: a symbol, a scalar in a file of data, or the content of an element. */
export function isUnquotedString(occurrence: Occurrence): boolean {
  const { source, start, end } = occurrence;
  const { text, file } = source;
  if (!isWholeRun(occurrence)) return false;
  if (SYMBOLS.test(file) && /(?:^|[^\w:"'`]):$/.test(text.slice(Math.max(0, start - 2), start))) return true;
  if (MARKUP.test(file) && text[start - 1] === '>' && text[end] === '<') return true;
  if (isListed(occurrence)) return true;
  const [before, after] = [source.before(start), source.from(end)];
  if (SHELL.test(file)) return /(?:^|\s)(?:export\s+)?\w+=$/.test(before) && /^(?:\s|;|$)/.test(after);
  if (!source.isData) return false;
  if (/^\s*(?:- +)?(?:[\w."'-]+ ?[:=] *)?$/.test(before)) return /^\s*(?:[:=]|#|$)/.test(after);
  return isInBrackets(before) && /^\s*(?:[,\]}]|:\s)/.test(after);
}

/** Whether an entry of a list or an object, or the heading of a section, begins behind the text. */
function isInBrackets(before: string): boolean {
  return /[[{,]\s*$/.test(before) && /(?:[:=-]\s*|^\s*\[?)[[{]/.test(sinceClosed(before));
}

/** One of the words of `%w[new-checkout search]`, `~w(…)`, `qw(…)`. */
export function isListed({ source, start, end }: Occurrence): boolean {
  if (!LISTS.test(source.file) || !/[\s\])}>]/.test(source.text[end] ?? ' ')) return false;
  return /(?:%[wWiI]|~w|\bqw)\s?[[({<]/.test(sinceClosed(source.before(start)));
}

/** What follows the last bracket that closes. */
function sinceClosed(text: string): string {
  const closed = [']', ')', '}', '>'].map((bracket) => text.lastIndexOf(bracket));
  return text.slice(Math.max(...closed) + 1);
}

/** Files of languages that have lists of words without quotes. */
export const LISTS: RegExp = /\.(?:rb|erb|haml|slim|rake|exs?|heex|eex|pl|pm)$/;
const SHELL = /\.(?:sh|bash|zsh)$|(?:^|\/)(?:Dockerfile|Makefile)[^/]*$/;

const SYMBOLS = /\.(?:rb|erb|haml|slim|rake|exs?|heex|eex|cljc?|cljs)$/;
const MARKUP = /\.(?:xml|plist|xaml)$/;

/** The object or type that the name is a member of; `undefined` if it is of none. */
export function ownerOf({ source, start }: Occurrence): string | undefined {
  return /([A-Za-z_$][\w$]*)(?:\(\)|\]|\))?\s*(?:\?\.\[?|!?\.|::|->|\[)["']?$/.exec(
    source.text.slice(Math.max(0, start - 80), start),
  )?.[1];
}

export function isOfFlags(occurrence: Occurrence): boolean {
  const owner = ownerOf(occurrence);
  return owner !== undefined && FLAG_NAME.test(owner);
}

/** The line or the name of the file says that it is about flags. */
export function isNearFlags({ source, start, end }: Occurrence): boolean {
  return (
    /flag/i.test(source.file.slice(source.file.lastIndexOf('/') + 1)) ||
    ABOUT_FLAGS.test(`${source.before(start)}\0${source.from(end)}`)
  );
}

/** In a file of data: what stands before it, a heading above it, or the name of the file says that it is about flags. */
export function isAboutFlags({ source, start }: Occurrence): boolean {
  if (ABOUT_FLAGS.test(source.file) || ABOUT_FLAGS.test(source.before(start))) return true;
  const [last = '', ...above] = source.text
    .slice(Math.max(0, start - MOST_ABOVE), start)
    .split('\n')
    .toReversed();
  let depth = indentation(last);
  let isElement = ELEMENT.test(last);
  for (const line of above) {
    const indent = indentation(line);
    const isSection = line.startsWith('[');
    // In YAML, the elements of a list may begin below its name.
    const isName = isElement && indent === depth && /:\s*$/.test(line) && !ELEMENT.test(line);
    if (line.trim() === '' || !(indent < depth || isName || isSection)) continue;
    if (ABOUT_FLAGS.test(line)) return true;
    if (isSection) return false;
    depth = indent;
    isElement = ELEMENT.test(line);
  }
  return false;
}

const ELEMENT = /^\s*-\s/;

const ABOUT_FLAGS = /flag|feature[_ -]?(?:enabled|gate|toggle)|posthog/i;

/** More than a section of a file of data has. */
const MOST_ABOVE = 20_000;

function indentation(line: string): number {
  return /^\s*/.exec(line)?.[0].length ?? 0;
}

/** A string with a meaning of its own: a class of CSS, a module, an address. */
export function isOtherString({ source, start }: Occurrence): boolean {
  return OTHERS.test(source.before(start).slice(0, -1));
}

const OTHERS =
  /(?:\b(?:className|class|id|href|src|htmlFor|rel|type|role|slot|to|path|icon|data-[\w-]+|aria-[\w-]+)=\{?|\b(?:import|from|require|describe|it|test|capture|track|getElementById|querySelector|createElement|emit|navigate|redirect)\b\(?)\s*$/;

export interface Binding {
  readonly name: string;
  /** Other files may use the name. */
  readonly isShared: boolean;
  /** The name is a member of an enumeration or an object, and is used after the name of that. */
  readonly isMember: boolean;
}

/** The name that the string becomes the value of. */
export function bindingOf({ source, start }: Occurrence): Binding | undefined {
  const before = source.before(start).replace(/[a-zA-Z@$]{0,2}["'`]$/, '');
  const patterns = source.file.endsWith('.go') ? [TYPED_IN_GO, ...BINDINGS] : BINDINGS;
  const found = patterns.map((pattern) => pattern.exec(before)).find((match) => match !== null);
  const name = found?.[1];
  if (name === undefined || NO_NAMES.test(name)) return undefined;
  const isConstant = /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/.test(name) || /^[A-Z][a-z0-9]+(?:[A-Z]\w*)+$/.test(name);
  const lead = before.slice(0, before.lastIndexOf(name));
  return {
    name,
    isShared: isConstant || /^\s*(?:export|public|global|pub)\b/.test(before),
    isMember: lead !== '' && !source.file.endsWith('.go') && !DECLARES.test(lead),
  };
}

/** The text before the name of a variable or a constant. */
const DECLARES = /\b(?:const|let|var|val|final|static|define|def|my|our|string|String|&str)\b[^{,]*$/;

/** Whether the name follows the name of an object or a type, which some languages omit. */
export function isMemberName({ source: { text }, start }: Occurrence): boolean {
  return /(?:\.|::|->|\[["'])$/.test(text.slice(Math.max(0, start - 2), start));
}

/** `NAME Type = "…"` */
const TYPED_IN_GO = /(?:^|\()\s*(?:const |var )?(?!(?:const|var) )([A-Za-z_]\w*)\s+[A-Za-z_][\w.]*\s*=\s*$/;

const BINDINGS: readonly RegExp[] = [
  // const NAME = '…', NAME: '…', 'NAME' => '…', const NAME: Type = '…', case name = "…"
  /([A-Za-z_$][\w$]*)["']?\]?\s*(?::\s*(?:&'static )?[\w&<>[\]." |]+)?\s*(?:=>|=|:=|:)\s*$/,
  // NAME("…") of an enumeration
  /(?:^|,)\s*([A-Z][A-Z0-9_]+)\(\s*$/,
];

/** Names that a member of any object may have. */
const NO_NAMES =
  /^(?:_?(?:key|name|flag|flags|feature|id|value|type|kind|slug|label|title|default|flagKey|flag_key|featureFlag|feature_flag|flagName|string|str|const|let|var|case|Key|Name|Flag|path|event|variant))$/;

export type KeyArgument =
  /** `at`: the position of the string's first character. */
  | { readonly kind: 'literal'; readonly text: string; readonly at: number }
  /** A string that is made at run time. */
  | { readonly kind: 'built'; readonly prefix: string; readonly suffix: string; readonly at: number }
  /** The last name of an expression. */
  | { readonly kind: 'name'; readonly name: string; readonly at: number }
  /** An expression without a name at its end. */
  | { readonly kind: 'expression' }
  /** No argument: a declaration, or a mention of the function. */
  | { readonly kind: 'none' };

const NONE: KeyArgument = { kind: 'none' };

/** `end`: where the name of the function ends. */
export function readKeyArgument(text: string, end: number, position: 0 | 1): KeyArgument {
  const window = text.slice(end, end + MOST);
  const opening = /^(?:["'`][\])])?[!?]?\s*(?:<[^()]{0,100}>)?\s*(?:\?\.|!)?\s*\(|^[!?]? (?=["':])/.exec(window);
  if (opening === null) return NONE;
  const from = opening[0].length + (position === 1 ? toSecond(window.slice(opening[0].length)) : 0);
  return shifted(readKey(window.slice(from)), end + from);
}

/** `text` begins where the key may begin, after a name of the argument. */
export function readKey(text: string): KeyArgument {
  const start = toKey(text);
  const rest = text.slice(start);
  const opening = /^[a-zA-Z@$]{0,2}["'`]/.exec(rest);
  if (start > 0 && TYPE.test(rest)) return NONE;
  if (opening !== null) return shifted(readString(rest, opening[0]), start);
  return shifted(readExpression(rest), start);
}

/** What follows the name of a parameter in a declaration. */
const TYPE = /^(?:string|str|any|unknown|keyof|typeof|readonly|[A-Z]|String|[A-Z]\w*Keys?)\b(?!\s*[.(])/;

/** More than the arguments before a key take. */
const MOST = 600;

function shifted(argument: KeyArgument, by: number): KeyArgument {
  return 'at' in argument ? { ...argument, at: argument.at + by } : argument;
}

/** The length of the first argument, with its comma. */
function toSecond(text: string): number {
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] as string;
    if ('([{'.includes(character)) depth += 1;
    else if (')]}'.includes(character)) depth -= 1;
    else if (character === ',' && depth === 0) return at + 1;
    if (depth < 0) return at;
  }
  return 0;
}

/** Passes over the name of the argument, and over an object or a structure around it. */
function toKey(text: string): number {
  const space = /^\s*/.exec(text)?.[0].length ?? 0;
  const rest = text.slice(space);
  const opened = /^(?:&?[\w.]*\s*\{|\w+\s*[:=]\s*)/.exec(rest);
  const inner = opened === null ? null : KEY_NAMES.exec(rest);
  return space + (inner === null ? 0 : inner.index + inner[0].length);
}

function readString(text: string, opening: string): KeyArgument {
  const quote = opening.at(-1) as string;
  const closing = endOfString(text, opening.length, quote);
  if (closing === -1) return { kind: 'expression' };
  const content = text.slice(opening.length, closing);
  const after = text.slice(closing + 1);
  // The parts that are filled in at run time.
  const inserted = [...content.matchAll(insertionsOf(opening))];
  const [first, last] = [inserted[0], inserted.at(-1)];
  const at = opening.length;
  if (first !== undefined && last !== undefined) {
    const suffix = content.slice(last.index + last[0].length);
    return { kind: 'built', prefix: content.slice(0, first.index), suffix, at };
  }
  if (JOINS.test(after)) return { kind: 'built', prefix: content, suffix: '', at };
  return mayBeOther(after) ? { kind: 'expression' } : { kind: 'literal', text: content, at };
}

/** `'a'.trim()`, `'a' if x else b`: the string may not be the key. `after`: what is behind it. */
function mayBeOther(after: string): boolean {
  const rest = after.slice(0, endOfArgument(after)).split('\n')[0] ?? '';
  if (/^\s*(?:\?\.|\.)\s*[A-Za-z]/.test(rest)) return true;
  return /^\s+(?:if|or|and)\b|^\s*(?:\?\?|\|\||&&|\?)/.test(rest) && !/["'`]\s*$/.test(rest);
}

/** What follows a string that is the beginning of a longer one. */
export const JOINS: RegExp = /^\s*(?:\+|<>|\|\||\.\.|\.\s|\.\$|\.concat\(|%)/;

function endOfString(text: string, from: number, quote: string): number {
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === quote) return at;
    else if (text[at] === '\n' && quote !== '`') return -1;
  }
  return -1;
}

function insertionsOf(opening: string): RegExp {
  if (opening.endsWith("'")) return /^[fF$]/.test(opening) ? /\{[^}]*\}/g : /%[sd]|\{\}/g;
  if (opening.endsWith('`')) return /\$\{[^}]*\}/g;
  return /^[fF$@]/.test(opening) ? /\{[^}]*\}/g : /[#$]\{[^}]*\}|\$[A-Za-z_]\w*|\\\([^)]*\)|%[sdv]|\{\d*\}/g;
}

function readExpression(text: string): KeyArgument {
  const expression = text.slice(0, endOfArgument(text));
  if (/^\s*$/.test(expression) || isDeclaration(expression)) return NONE;
  const built = /["'`]([\w-]+)["'`]\s*$/.exec(expression);
  if (built !== null && !/\?|\|\||\bor\b/.test(expression)) {
    const [found, suffix = ''] = built;
    return { kind: 'built', prefix: '', suffix, at: expression.length - found.length + 1 };
  }
  if (/["'`]/.test(expression)) return isChoice(expression) ? NONE : { kind: 'expression' };
  const [last = '', name = ''] =
    /([A-Za-z_$][\w$]*)(?:\.(?:value|key|rawValue|name|toString|stringValue)(?:\(\))?)?[!\s]*(?: as [\w.]+)?$/.exec(
      expression,
    ) ?? [];
  return name === '' ? { kind: 'expression' } : { kind: 'name', name, at: expression.length - last.length };
}

/** `a ? 'b' : 'c'`: every outcome is a string, which is found as such. */
function isChoice(expression: string): boolean {
  const outcomes = expression.replaceAll(/(["'`])[\w-]*\1/g, "''");
  return /^[^?:]*(?<!\?)\?(?![?.])\s*''\s*:(?:[^?:]*(?<!\?)\?(?![?.])\s*''\s*:)*\s*''[\s)]*$/.test(outcomes);
}

function endOfArgument(text: string): number {
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] as string;
    if ('([{'.includes(character)) depth += 1;
    else if (')]}'.includes(character)) depth -= 1;
    if (depth < 0 || (depth === 0 && (character === ',' || character === ';'))) return at;
  }
  return text.length;
}

/** A parameter with its type: `key: string`, `String key`, `_ key: String`. */
function isDeclaration(expression: string): boolean {
  return (
    /^\s*(?:readonly |_ |final |const )?\w+\??\s*:\s*[A-Za-z]/.test(expression) ||
    /^\s*(?!await |new |typeof |not )(?:final |const )?[\w.<>[\]&*]+\s+\$?\w+\s*$/.test(expression)
  );
}
