/**
 * Finds where code may build keys at run time: parts of keys next to something that is filled in, and the words of a key one after the
 * other.
 */

import { compareStrings } from '../../base/compare-strings.ts';
import { isPlainWord, wordsOf } from './casings.ts';
import { isListed, isOtherString, JOINS, type Occurrence } from './occurrence.ts';
import type { IndirectRead } from './reference.ts';

/** What a key may begin and end with. `at`: the position of the part. */
export type MadeKey = Omit<IndirectRead, 'place'> & { readonly at: number };

/** What may stand between `-` and `_` where the key is put together, in lower case. */
export function partWords(key: string): readonly string[] {
  return key.split(/[-_]+/).flatMap((part) => {
    const cuts = [...part.matchAll(/(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Za-z])(?=\d+$)/g)].map(({ index }) => index);
    return [
      part.toLowerCase(),
      ...wordsOf(part),
      ...cuts.flatMap((cut) => [part.slice(0, cut), part.slice(cut)].map((one) => one.toLowerCase())),
    ];
  });
}

/** Keys that may be put together from parts: those of several words, and a word with a number. */
export function hasParts(key: string): boolean {
  return !isPlainWord(key) || /^\w+[A-Za-z]\d+$/.test(key);
}

/** What is looked for of keys of several words. */
export interface KeyParts {
  /** All keys, each on a line of its own. */
  readonly text: string;
  /** Whether a key that is made at run time may begin with it. */
  readonly isHead: (word: string) => boolean;
  readonly isTail: (word: string) => boolean;
  /** The keys by their words in lower case, with `-` between. */
  readonly bySpelling: ReadonlyMap<string, readonly string[]>;
  readonly byWords: WordNode;
}

/** The keys whose words, in lower case, lead here, and the words that go on to longer keys. */
interface WordNode {
  readonly keys: string[];
  readonly next: Map<string, WordNode>;
}

export function partsOf(keys: readonly string[]): KeyParts {
  // Single words, which are parts only at a capital letter or before a number.
  const [heads, tails] = [new Set<string>(), new Set<string>()];
  const bySpelling = new Map<string, string[]>();
  const byWords: WordNode = { keys: [], next: new Map() };
  for (const key of keys) {
    const words = wordsOf(key);
    const spelling = words.join('-');
    bySpelling.set(spelling, [...(bySpelling.get(spelling) ?? []), key]);
    let node = byWords;
    for (const word of words) {
      const next = node.next.get(word) ?? { keys: [], next: new Map<string, WordNode>() };
      node.next.set(word, next);
      node = next;
    }
    node.keys.push(key);
    for (const { index } of key.matchAll(CAPITAL_OR_NUMBER)) {
      heads.add(key.slice(0, index));
      if (/^[A-Z]/.test(key.slice(index))) tails.add(key.slice(index));
    }
  }
  const begins = prefixFinder(keys);
  const ends = prefixFinder(keys.map(reversed));
  return {
    text: `\n${keys.join('\n')}\n`,
    isHead: (word) => heads.has(word) || (isPart(word) && begins(word)),
    isTail: (word) => tails.has(word) || (isPart(word) && ends(reversed(word))),
    bySpelling,
    byWords,
  };
}

const CAPITAL_OR_NUMBER = /(?<!^)(?:(?=[A-Z])|(?=\d+$))/g;

/** @returns Whether any of the texts is longer and begins so. */
function prefixFinder(texts: readonly string[]): (prefix: string) => boolean {
  const sorted = texts.toSorted(compareStrings);
  return (prefix) => {
    let [low, high] = [0, sorted.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compareStrings(sorted[middle] as string, prefix) <= 0) low = middle + 1;
      else high = middle;
    }
    return sorted[low]?.startsWith(prefix) === true;
  };
}

function reversed(text: string): string {
  let turned = '';
  for (let at = text.length - 1; at >= 0; at -= 1) turned += text[at];
  return turned;
}

/** More than a word: any text may have that. */
function isPart(text: string): boolean {
  return text.length > 1 && /[-_]|[a-z0-9][A-Z]/.test(text);
}

/** `run`: all that stands together, with `-`. */
export function keysMadeAt(run: Occurrence, { text: keys, ...parts }: KeyParts): readonly MadeKey[] {
  const { text } = run.source;
  const { start, end, word } = run;
  const fixed = fixedAfterInsertion(text, run);
  const [mayBegin, mayEnd] = [parts.isHead(word), parts.isTail(word)];
  if (!mayBegin && !mayEnd && fixed === undefined) return [];
  const isFollowed = (/[-_]$/.test(word) ? INSERTION : CLEAR_INSERTION).test(text.slice(end, end + 8));
  const { isHead, isTail } = wholeParts(run);
  const tail = isTail ? word : (fixed ?? '');
  return [
    ...(mayBegin && (isFollowed || isHead) ? [{ at: start, prefix: word }] : []),
    ...(parts.isTail(tail) ? [{ at: end - tail.length, suffix: tail }] : []),
    ...(isFollowed && fixed !== undefined && isPart(fixed) && isInMiddle(fixed, keys)
      ? [{ at: start, part: fixed }]
      : []),
  ];
}

/** `${x}`, `#{x}`, `{x}`, `{{ x }}`, `$x`, `%s`, `<%= x %>`, `\(x)`, and any characters of a pattern. */
const INSERTION = /^(?:[#$@]?\{|\$[\w({]|%|<%|\\\(|\*)/;

/** An insertion that also follows a part that is no whole word. */
const CLEAR_INSERTION = /^(?:[#$]\{|\\\(|%s\b)/;

/** What stands in the run behind something that is filled in. */
function fixedAfterInsertion(text: string, { word, start, end }: Occurrence): string | undefined {
  if (!ENDS.test(text[start - 1] ?? '')) return undefined;
  const before = text.slice(Math.max(0, start - 40), start);
  if (before.endsWith('$')) return /-.*$/.exec(word)?.[0];
  if (/%(?:\([^()]*\)|[-+#.0-9]*)$/.test(before)) return word.replace(/^[\d.]*[A-Za-z]/, '');
  if (/\}$|%@$|%>$/.test(before)) return word;
  return before.endsWith(')') && /["'`$/]/.test(text[end] ?? '') ? word : undefined;
}

const ENDS = /[$%)}>@\d.#+-]/;

/** A string that begins or ends with a separator is there to be joined, and so is one beside an operator. */
function wholeParts(run: Occurrence): { readonly isHead: boolean; readonly isTail: boolean } {
  const { source, word, start, end } = run;
  const { text } = source;
  const isHead = /[-_]$/.test(word);
  const isTail = /^[-_]/.test(word);
  const [opening = ' ', closing = ' '] = [text[start - 1], text[end]];
  if (opening === '^') return { isHead, isTail: false };
  if (!QUOTE.test(opening) || opening !== closing) {
    const isScalar =
      source.isData && /[:=]\s*$|^\s*- $/.test(source.before(start)) && /^\s*(?:#|$)/.test(source.from(end));
    return { isHead: isScalar && isHead, isTail: isScalar && isTail };
  }
  const after = text.slice(end + 1, end + 80);
  const before = text.slice(Math.max(0, start - 80), start - 1);
  const joins = JOINS.test(after) || /^\s*["'`]/.test(after);
  const isJoined = /(?:\+|<>|\|\||\.\.|\s\.|["'`]\s+)\s*$/.test(before);
  const isOther = isOtherString(run);
  return { isHead: joins || (isHead && !isOther), isTail: isJoined || (isTail && !isOther) };
}

const QUOTE = /["'`]/;

/** `keys`: as in `KeyParts`. */
function isInMiddle(part: string, keys: string): boolean {
  for (let at = keys.indexOf(part); at !== -1; at = keys.indexOf(part, at + 1)) {
    if (keys[at - 1] !== '\n' && keys[at + part.length] !== '\n') return true;
  }
  return false;
}

/** The keys whose words are all that stands between quotes, in any casing, with something else between them: `New Checkout`, `new.checkout`. */
export function keysSpelledAt({ source: { text }, start }: Occurrence, { bySpelling }: KeyParts): readonly string[] {
  const quote = text[start - 1] ?? '';
  const string = text.slice(start, start + LONGEST);
  const end = QUOTE.test(quote) ? string.indexOf(quote) : -1;
  return bySpelling.get(string.slice(0, Math.max(end, 0)).replaceAll(BETWEEN, '-').toLowerCase()) ?? [];
}

const BETWEEN = /[-_ ./:]+/g;
const LONGEST = 600;

/** A word that stands by itself, or beside what is filled in; in lower case. */
export interface LooseWord {
  readonly word: string;
  readonly at: number;
}

export function isApart(run: Occurrence): boolean {
  const { source, start, end } = run;
  if (/["'`}]/.test(source.text[start - 1] ?? '') && /["'`$#{]/.test(source.text[end] ?? '')) return true;
  if (!source.isData) return isListed(run);
  return /(?:^\s*(?:- +)?|[:=.[{,]\s*)$/.test(source.before(start)) && /^\s*(?:[:=.,\]}#]|$)/.test(source.from(end));
}

/**
 * `['new', 'checkout'].join('-')`: the words of a key one after the other, with the first place for each key. `loose`: in the order of the file.
 */
export function keysOfWords(loose: readonly LooseWord[], { byWords }: KeyParts): Iterable<MadeKey> {
  const found = new Map<string, MadeKey>();
  for (const [index, { word, at }] of loose.entries()) {
    for (const key of keysAfter(byWords.next.get(word), loose, index)) {
      if (found.has(key)) continue;
      found.set(key, { at, prefix: key.slice(0, word.length), suffix: key.slice(word.length) });
    }
  }
  return found.values();
}

/** The keys that later words complete. The first occurrence of each word that is near enough counts. */
function keysAfter(node: WordNode | undefined, loose: readonly LooseWord[], index: number): readonly string[] {
  const last = loose[index];
  if (node === undefined || last === undefined) return [];
  const keys = new Map<string, readonly string[]>();
  for (let other = index + 1; other < loose.length; other += 1) {
    const { word, at } = loose[other] as LooseWord;
    if (at - last.at - last.word.length > GAP) break;
    const next = node.next.get(word);
    if (next !== undefined && !keys.has(word)) keys.set(word, [...next.keys, ...keysAfter(next, loose, other)]);
  }
  return [...keys.values()].flat();
}

/** The most characters between two words of a key. */
const GAP = 60;
