/** What a word of a file is there: a string, a name, or a part of text. */

import type { SourceText } from './source-text.ts';
import { FLAG_NAME } from './sdk-calls.ts';

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
const MARKUP = /\.(?:xml|html?|xhtml|plist|xaml)$/;

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
    /flag|feature[_ -]?(?:enabled|gate|toggle)|posthog/i.test(`${source.before(start)}\0${source.from(end)}`)
  );
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
