/** Finds where code may put keys together at run time: parts of keys beside what is filled in, and the words of a key one after the other. */

import { wordsIn } from './casings.ts';
import { JOINS } from './key-argument.ts';
import { isOtherString, type Occurrence } from './occurrence.ts';
import type { IndirectRead } from './reference.ts';

/** What a key may begin and end with. `at`: the position of the part. */
type MadeKey = Omit<IndirectRead, 'place'> & { readonly at: number };

/** The words that a part of the key consists of, or that stand in it between `-`. Each is a whole run of letters, digits and `_`. */
export function partWords(key: string): readonly string[] {
  const words = wordsIn(key);
  if (words.length < 2) return [];
  if (!/_|[a-z0-9][A-Z]/.test(key)) return words;
  const [first = '', last = ''] = [words[0], words.at(-1)];
  const lengths = Array.from({ length: key.length - 1 }, (_, index) => index + 1);
  const heads = lengths.filter((length) => length > first.length).map((length) => key.slice(0, length));
  const tails = lengths.filter((length) => length > last.length).map((length) => key.slice(-length));
  const afterLetters = tails.filter((tail) => tail.startsWith('_')).flatMap((tail) => [...CONVERSIONS].map((c) => c + tail));
  return [...words, ...words.slice(1, -1).map((word) => `_${word}_`), ...heads, ...tails, ...afterLetters];
}

/** The letters of `%s`, `%d` and their like. */
const CONVERSIONS = 'sdviu';

/** `keys`: those of several words. */
export function keysMadeAt(occurrence: Occurrence, keys: readonly string[]): readonly MadeKey[] {
  const run = runAround(occurrence);
  const { text } = occurrence.source;
  const { start, end, word } = run;
  const fixed = fixedAfterInsertion(text, run);
  const isFollowed = (/[-_]$/.test(word) ? INSERTION : CLEAR_INSERTION).test(text.slice(end, end + 8));
  const { isHead, isTail } = wholeParts(run);
  const head = isFollowed || isHead ? word : '';
  const tail = isTail ? word : (fixed ?? '');
  return [
    ...(isPart(head) && keys.some((key) => key.length > head.length && key.startsWith(head))
      ? [{ at: start, prefix: head }]
      : []),
    ...(isPart(tail) && keys.some((key) => key.length > tail.length && key.endsWith(tail))
      ? [{ at: end - tail.length, suffix: tail }]
      : []),
    ...(isFollowed && fixed !== undefined && isPart(fixed) ? keysAround(fixed, keys, start) : []),
  ];
}

/** With `-`, which joins words. */
function runAround({ source, start, end }: Occurrence): Occurrence {
  const { text } = source;
  let [from, to] = [start, end];
  while (start - from < LONGEST && JOINED.test(text[from - 1] ?? ' ')) from -= 1;
  while (to - end < LONGEST && JOINED.test(text[to] ?? ' ')) to += 1;
  return { source, word: text.slice(from, to), start: from, end: to };
}

const JOINED = /[\w-]/;
const LONGEST = 400;

/** `${x}`, `#{x}`, `{x}`, `{{ x }}`, `$x`, `%s`, `<%= x %>`, `\(x)`, the end of a line that goes on, an escaped separator, and any characters of a pattern. */
const INSERTION = /^(?:[#$@]?\{|\$[\w({]|%|<%|\\\(|\\\r?\n|\\u00|\\x[25]|&#|\*)/;

/** Behind a part that is no whole word. */
const CLEAR_INSERTION = /^(?:[#$]\{|\\\(|\\u00(?:2[dD]|5[fF])|\\x(?:2[dD]|5[fF])|%(?:2[dD]|5[fF]|s\b)|&#(?:45|x2[dD]|95|x5[fF]);)/;

/** What stands in the run behind something that is filled in. */
function fixedAfterInsertion(text: string, { word, start, end }: Occurrence): string | undefined {
  const before = text.slice(Math.max(0, start - 40), start);
  if (before.endsWith('$')) return /-.*$/.exec(word)?.[0];
  if (/%(?:\([^()]*\)|[-+#.0-9]*)$/.test(before)) return word.replace(/^[\d.]*[A-Za-z]/, '');
  if (/\}$|%@$|%>$/.test(before)) return word;
  return before.endsWith(')') && /["'`]/.test(text[end] ?? '') ? word : undefined;
}

/** A string that begins or ends with a separator is there to be joined, and so is one beside an operator. */
function wholeParts(run: Occurrence): { readonly isHead: boolean; readonly isTail: boolean } {
  const { source, word, start, end } = run;
  const { text } = source;
  const after = text.slice(end + 1, end + 80);
  const before = text.slice(Math.max(0, start - 80), start - 1);
  const isHead = /[-_]$/.test(word);
  const isTail = /^[-_]/.test(word);
  const [opening = ' ', closing = ' '] = [text[start - 1], text[end]];
  if (opening === '^') return { isHead, isTail: false };
  if (!QUOTE.test(opening) || opening !== closing) {
    const isScalar = source.isData && /[:=]\s*$|^\s*- $/.test(source.before(start)) && /^\s*(?:#|$)/.test(source.from(end));
    return { isHead: isScalar && isHead, isTail: isScalar && isTail };
  }
  const joins = JOINS.test(after) || /^\s*["'`]/.test(after);
  const isJoined = /(?:\+|<>|\|\||\.\.|\s\.|["'`]\s+)\s*$/.test(before);
  const isOther = isOtherString(run);
  return { isHead: joins || (isHead && !isOther), isTail: isJoined || (isTail && !isOther) };
}

const QUOTE = /["'`]/;

/** More than a word: any text may have that. */
function isPart(text: string): boolean {
  return text.length > 1 && /[-_]|[a-z0-9][A-Z]/.test(text);
}

/** Of a part in the middle. */
function keysAround(part: string, keys: readonly string[], at: number): readonly MadeKey[] {
  return keys.flatMap((key) => {
    const index = key.indexOf(part, 1);
    const end = index + part.length;
    return index === -1 || end >= key.length ? [] : [{ at, prefix: key.slice(0, end), suffix: key.slice(end) }];
  });
}

/** A word that stands between quotes, or beside what is filled in. */
export interface LooseWord {
  readonly word: string;
  readonly at: number;
}

export function isApart({ source: { text }, start, end }: Occurrence): boolean {
  return /["'`}]/.test(text[start - 1] ?? '') && /["'`$#{]/.test(text[end] ?? '');
}

/** The keys of several words by the first one. */
export type KeysByWord = ReadonlyMap<string, readonly { readonly key: string; readonly words: readonly string[] }[]>;

export function keysByWord(keys: readonly string[]): KeysByWord {
  const found = new Map<string, { key: string; words: readonly string[] }[]>();
  for (const key of keys) {
    const words = wordsIn(key);
    const [first = ''] = words;
    if (words.length > 1) found.set(first, [...(found.get(first) ?? []), { key, words }]);
  }
  return found;
}

/** `['new', 'checkout'].join('-')`: the words of a key one after the other. `loose`: in the order of the file. */
export function keysOfWords(loose: readonly LooseWord[], keys: KeysByWord): readonly MadeKey[] {
  return loose.flatMap(({ word, at }, index) =>
    (keys.get(word) ?? []).flatMap(({ key, words }) => {
      let [next, end] = [1, at + word.length];
      for (let other = index + 1; other < loose.length && next < words.length; other += 1) {
        const one = loose[other] as LooseWord;
        if (one.at - end > GAP) break;
        if (one.word !== words[next]) continue;
        next += 1;
        end = one.at + one.word.length;
      }
      return next < words.length ? [] : [{ at, prefix: word, suffix: key.slice(word.length) }];
    }),
  );
}

/** The most characters between two words of a key. */
const GAP = 60;
