/** The words to look for in code, and what each may mean. */

import { OWN_NAMES } from '../generate/sdks.ts';
import { nameApart, nameFlags } from '../generate/identifiers.ts';
import { anyCasings, isPlainWord, otherCasings, splitPattern, type KeyPattern } from './casings.ts';
import { hasParts, partsOf, partWords, type KeyParts } from './parts.ts';
import { addTo } from './reference.ts';
import { ROUTE_WORDS, SDK_CALLS, SDK_COMPONENTS, SDK_NAMES, type MethodOwner, type SdkCall } from './sdk-calls.ts';
import { wordSet, type WordSet } from './tokens.ts';

export type Meaning =
  | { readonly kind: 'key'; readonly key: string; readonly isPlain: boolean }
  /** The key in another casing. */
  | { readonly kind: 'constant'; readonly key: string; readonly isPlain: boolean }
  /** The words of the key in a casing that no language has. */
  | { readonly kind: 'casing'; readonly key: string; readonly isPlain: boolean }
  /** `before` and `after`: what has to be around the word. */
  | { readonly kind: 'accessor'; readonly key: string; readonly before: string; readonly after: string }
  | { readonly kind: 'pattern'; readonly key: string; readonly before: string; readonly after: string }
  | { readonly kind: 'call'; readonly call: SdkCall }
  | { readonly kind: 'sdk'; readonly sdk: Exclude<MethodOwner, 'flags'> }
  | { readonly kind: 'route' }
  | { readonly kind: 'component'; readonly attribute: string };

export interface Names {
  readonly keys: ReadonlySet<string>;
  readonly parts: KeyParts;
  readonly words: WordSet;
  readonly meaningsOf: (word: string) => readonly Meaning[];
}

/**
 * `keys`: of all flags; each consists of letters, digits, `_` and `-`. `accessors`: the keys that a generated module names; its names depend on
 * nothing but them.
 */
export function nameKeys(keys: readonly string[], options: NamingOptions): Names {
  const steps = namingKeys(keys, options);
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

interface NamingOptions {
  readonly accessors: readonly string[];
  readonly patterns: readonly KeyPattern[];
}

/** The same as `nameKeys`, in many steps: for hundreds of thousands of keys it takes seconds. */
export function* namingKeys(
  keys: readonly string[],
  { accessors, patterns }: NamingOptions,
): Generator<undefined, Names> {
  const meanings = new Map<string, Meaning[]>();
  const add = (word: string, meaning: Meaning): void => addTo(meanings, word, meaning);
  const inLower = new Map<string, CasingMeaning[]>();
  for (const [index, key] of keys.entries()) {
    if (index % KEYS_IN_A_STEP === 0) yield;
    const isPlain = isPlainWord(key);
    add(key, { kind: 'key', key, isPlain });
    for (const name of otherCasings(key)) add(name, { kind: 'constant', key, isPlain });
    for (const pattern of patterns) {
      const { word, before, after } = splitPattern(pattern, key);
      add(word, { kind: 'pattern', key, before, after });
    }
    for (const word of anyCasings(key)) addTo(inLower, word, { kind: 'casing', key, isPlain });
  }
  // A flag that is no longer declared had an accessor once.
  for (const [key, name] of new Map([...nameApart(keys, OWN_NAMES), ...nameFlags(accessors, OWN_NAMES).byKey])) {
    // `$` is in names of accessors, and in no word.
    const word = name.split('$').toSorted((one, other) => other.length - one.length)[0] ?? '';
    const at = name.indexOf(word);
    add(word, { kind: 'accessor', key, before: name.slice(0, at), after: name.slice(at + word.length) });
  }
  for (const call of SDK_CALLS) add(call.name, { kind: 'call', call });
  for (const [name, sdk] of SDK_NAMES) add(name, { kind: 'sdk', sdk });
  for (const word of ROUTE_WORDS) add(word, { kind: 'route' });
  for (const [name, attribute] of SDK_COMPONENTS) add(name, { kind: 'component', attribute });
  yield;
  const joined = keys.filter(hasParts);
  const parts = partsOf(joined);
  yield;
  return {
    keys: new Set(keys),
    parts,
    words: wordSet(meanings.keys(), { parts: joined.flatMap(partWords), anyCasing: inLower.keys() }),
    meaningsOf: (word) => {
      const own = meanings.get(word) ?? [];
      const others = inLower.get(word.toLowerCase()) ?? [];
      return [...own, ...others.filter(({ key }) => !own.some((one) => 'key' in one && one.key === key))];
    },
  };
}

const KEYS_IN_A_STEP = 1000;

type CasingMeaning = Meaning & { readonly kind: 'casing' };
