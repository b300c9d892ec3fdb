/** Reads the argument of a call that is the key of a flag. */

import { KEY_NAMES } from './sdk-calls.ts';

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
  const [first, last] = findInsertions(content, opening);
  const at = opening.length;
  if (first !== undefined && last !== undefined) {
    return { kind: 'built', prefix: content.slice(0, first), suffix: content.slice(last), at };
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

/** Where the first part that is filled in at run time begins, and where the last one ends. */
function findInsertions(content: string, opening: string): readonly number[] {
  const found = [...content.matchAll(insertionsOf(opening))];
  const [first, last] = [found[0], found.at(-1)];
  return first === undefined || last === undefined ? [] : [first.index, last.index + last[0].length];
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
