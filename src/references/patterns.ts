/** Patterns of the configuration: how the code of a house names flags, with the key in braces. */

import { CASINGS, inCasing, type Casing } from './casings.ts';

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
