/** How code writes the key of a flag in other cases, and patterns of the configuration that say how the code of a house names flags. */

type Casing = 'camelCase' | 'PascalCase' | 'snake_case' | 'UPPER_CASE' | 'kebab-case';

/** Each joins lower-case words. The names are those that patterns of the configuration use. */
const CASINGS: Readonly<Record<Casing, (words: readonly string[]) => string>> = {
  camelCase: (words) => words.map((word, index) => (index === 0 ? word : capital(word))).join(''),
  PascalCase: (words) => words.map(capital).join(''),
  snake_case: (words) => words.join('_'),
  UPPER_CASE: (words) => words.join('_').toUpperCase(),
  'kebab-case': (words) => words.join('-'),
};

export function inCasing(key: string, casing: Casing): string {
  return CASINGS[casing](wordsOf(key));
}

/** Further ways to write the words: a program may turn them into the key. */
const VARIANTS: readonly ((words: readonly string[]) => string)[] = [
  (words) => words.join('-').toUpperCase(),
  (words) => words.map(capital).join('-'),
  (words) => words.map(capital).join('_'),
  (words) => words.join(''),
  (words) => words.join('').toUpperCase(),
];

/** The key in every casing but its own. */
export function otherCasings(key: string): ReadonlySet<string> {
  const words = wordsOf(key);
  const names = new Set([...Object.values(CASINGS), ...VARIANTS].map((join) => join(words)));
  names.delete(key);
  return names;
}

/** The key and its words in lower case: a program may ignore casing. */
export function anyCasings(key: string): ReadonlySet<string> {
  const words = wordsOf(key);
  return new Set([key.toLowerCase(), ...['', '-', '_'].map((between) => words.join(between))]);
}

/** Each use of a key asks for its words, one key after the other. */
let last: { readonly key: string; readonly words: readonly string[] } = { key: '', words: [] };

/** `new-checkout_v2` and `newCheckoutV2`: new, checkout, v2. A digit begins no word. */
export function wordsOf(key: string): readonly string[] {
  if (last.key !== key) last = { key, words: splitWords(key) };
  return last.words;
}

function splitWords(key: string): readonly string[] {
  // The words of the key as they are written.
  return key
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replaceAll(/([A-Z])([A-Z][a-z])/g, '$1-$2')
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== '')
    .map((word) => word.toLowerCase());
}

/** A key of one word, such as `new` or `test`, is an ordinary word of code too. */
export function isPlainWord(key: string): boolean {
  return wordsOf(key).length < 2;
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

export interface KeyPattern {
  readonly before: string;
  /** `key`: as it is. */
  readonly casing: Casing | 'key';
  readonly after: string;
}

const NAMES: readonly string[] = ['key', ...Object.keys(CASINGS)];
const PLACE = new RegExp(`\\{(${NAMES.join('|')})\\}`, 'g');

/** `flags.{camelCase}`. `undefined`: not exactly one place for the key. */
export function parsePattern(text: string): KeyPattern | undefined {
  const [found, ...others] = text.matchAll(PLACE);
  if (found === undefined || others.length > 0) return undefined;
  return {
    before: text.slice(0, found.index),
    casing: found[1] as KeyPattern['casing'],
    after: text.slice(found.index + found[0].length),
  };
}

/** The whole word that the key is a part of, and what is around it: in `FLAG_{UPPER_CASE}` that is `FLAG_NEW_CHECKOUT`. */
export function splitPattern(
  { before, casing, after }: KeyPattern,
  key: string,
): { readonly word: string; readonly before: string; readonly after: string } {
  const name = casing === 'key' ? key : inCasing(key, casing);
  const [first = ''] = /[\w-]*$/.exec(before) ?? [];
  const [last = ''] = /^[\w-]*/.exec(after) ?? [];
  return {
    word: `${first}${name}${last}`,
    before: before.slice(0, before.length - first.length),
    after: after.slice(last.length),
  };
}
