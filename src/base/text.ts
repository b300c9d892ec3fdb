/** Helpers for strings that more than one stage needs. */

import { distance } from 'fastest-levenshtein';

/** The first character that the service cannot store, as `U+0000`: NUL, or half of a surrogate pair. */
export function unstorableCharacter(text: string): string | undefined {
  const [found] = /\0|\p{Surrogate}/u.exec(text) ?? [];
  return found && `U+${(found.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, '0')}`;
}

/** Longer names are not compared: that takes quadratic time. */
const MOST_CHARACTERS = 100;

/**
 * The candidate most similar to `written`, else the only one that it abbreviates; `undefined` if each differs in more than one of
 * three characters.
 */
export function nearest(written: string, candidates: Iterable<string>): string | undefined {
  if (written.length > MOST_CHARACTERS) return undefined;
  let best: string | undefined;
  let bestDistance = Infinity;
  const abbreviated: string[] = [];
  for (const candidate of candidates) {
    if (written.length >= SHORTEST_ABBREVIATION && candidate.toLowerCase().startsWith(written.toLowerCase()))
      abbreviated.push(candidate);
    const limit = Math.floor(Math.max(written.length, candidate.length) / 3);
    if (Math.abs(candidate.length - written.length) > limit) continue;
    const far = slips(written.toLowerCase(), candidate.toLowerCase());
    if (far <= limit && far < bestDistance) [best, bestDistance] = [candidate, far];
  }
  return best ?? (abbreviated.length === 1 ? abbreviated[0] : undefined);
}

/** The candidates, those most similar to `written` first. */
export function nearestFirst(written: string, candidates: readonly string[]): readonly string[] {
  if (written.length > MOST_CHARACTERS) return candidates;
  const far = new Map(candidates.map((one) => [one, slips(written.toLowerCase(), one.toLowerCase())]));
  return candidates.toSorted((a, b) => (far.get(a) ?? 0) - (far.get(b) ?? 0));
}

/** `prod` for production. */
const SHORTEST_ABBREVIATION = 3;

// Swapping two neighboring characters is one slip, which the distance counts as two.
function slips(written: string, candidate: string): number {
  const far = distance(written, candidate);
  if (far !== 2 || written.length !== candidate.length) return far;
  const first = Array.from(written, (_, index) => index).find((index) => written[index] !== candidate[index]) ?? 0;
  const swapped = written[first] === candidate[first + 1] && written[first + 1] === candidate[first];
  return swapped ? 1 : far;
}

/**
 * Control characters, and characters that reorder or hide the text around them: a reviewer must see what a string contains. Joiners are
 * kept: scripts and emoji need them.
 */
const INVISIBLE = /(?![\n\u{200c}\u{200d}])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;
const EACH_INVISIBLE = new RegExp(INVISIBLE, 'gu');

/** Whether only a quoted string can show all characters of a text. */
export function hasInvisible(text: string): boolean {
  return INVISIBLE.test(text);
}

/** Escapes characters inside double quotes: the `yaml` library escapes only what JSON must. */
export function escapeInvisible(yaml: string): string {
  // Most texts have plain characters only, and are long.
  if (!/[^\n -~]/.test(yaml)) return yaml;
  return yaml.replace(EACH_INVISIBLE, (character) => {
    const code = (character.codePointAt(0) as number).toString(16);
    return code.length > 4 ? `\\U${code.padStart(8, '0')}` : `\\u${code.padStart(4, '0')}`;
  });
}

/** The candidate that was probably meant; `undefined` if none is similar, or the run has reached its limit. */
export type Suggest = (written: string, candidates: Iterable<string>) => string | undefined;

/** Candidates that one run compares: a hundred wrong names against ten thousand keys, about a second of CPU. */
const MOST_CANDIDATES = 1_000_000;

/** Results are cached by the identity of `candidates`. */
export function createSuggest(): Suggest {
  const known = new Map<Iterable<string>, Map<string, string | undefined>>();
  let left = MOST_CANDIDATES;
  function* counted(candidates: Iterable<string>): Generator<string> {
    for (const candidate of candidates) {
      if (left <= 0) return;
      left -= 1;
      yield candidate;
    }
  }
  return (written, candidates) => {
    if (left <= 0) return known.get(candidates)?.get(written);
    const before = known.get(candidates) ?? new Map<string, string | undefined>();
    known.set(candidates, before);
    if (!before.has(written)) before.set(written, nearest(written, counted(candidates)));
    return before.get(written);
  };
}

export function upperFirst(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

export function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

/** A message as a part of another sentence. */
export function withoutFullStop(message: string): string {
  return message.replace(/\.$/, '');
}
