/** Globs over the keys of flags. A key is not a path: `/` and `.` are characters like any other. */

import {
  ANY,
  isLiteral,
  parseGlob,
  STAR,
  type CharacterClass,
  type GlobProblem,
  type Token,
} from './key-glob-parse.ts';

/**
 * Compiles a glob to a function that matches keys in bounded time. A key that equals the glob always matches, so a key can
 * be used as a glob. An invalid glob matches nothing else.
 */
export function keyGlob(glob: string): (key: string) => boolean {
  const parsed = parseGlob(glob);
  const alternatives = 'alternatives' in parsed ? parsed.alternatives : [];
  const literals = new Set([glob]);
  const patterns: (readonly Token[])[] = [];
  for (const tokens of alternatives) {
    if (isLiteral(tokens)) literals.add(tokens.join(''));
    else patterns.push(tokens);
  }
  return (key) => literals.has(key) || (patterns.length > 0 && matchesAny(patterns, key));
}

/** Why a glob is invalid, or `undefined` if it is valid. */
export function keyGlobProblem(glob: string): GlobProblem | undefined {
  const parsed = parseGlob(glob);
  return 'problem' in parsed ? parsed.problem : undefined;
}

// `?` and `[…]` match a whole code point, which takes two places of a string outside the basic plane.
function matchesAny(patterns: readonly (readonly Token[])[], key: string): boolean {
  const characters = /[\ud800-\udfff]/.test(key) ? Array.from(key) : key;
  return patterns.some((tokens) => matches(tokens, characters));
}

// After a mismatch only the last `*` takes another character, so the time is at most the product of both lengths.
function matches(tokens: readonly Token[], key: ArrayLike<string>): boolean {
  let [at, inKey] = [0, 0];
  let star: { readonly at: number; taken: number } | undefined;
  while (inKey < key.length) {
    const token = tokens[at];
    if (token === STAR) {
      star = { at, taken: inKey };
      at += 1;
    } else if (token !== undefined && fits(token, key[inKey] as string)) {
      at += 1;
      inKey += 1;
    } else if (star !== undefined) {
      at = star.at + 1;
      star.taken += 1;
      inKey = star.taken;
    } else return false;
  }
  return tokens.slice(at).every((token) => token === STAR);
}

function fits(token: string | typeof ANY | CharacterClass, character: string): boolean {
  if (token === ANY) return true;
  if (typeof token === 'string') return token === character;
  const point = character.codePointAt(0) as number;
  return token.negated !== token.ranges.some(([first, last]) => first <= point && point <= last);
}
