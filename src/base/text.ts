/** Helpers for plain text that more than one stage needs. */

import { distance } from 'fastest-levenshtein';

/** The first character that the service cannot store, as `U+0000`: NUL, or a surrogate without its other half. */
export function unstorableCharacter(text: string): string | undefined {
  const [found] = /\0|\p{Surrogate}/u.exec(text) ?? [];
  return found && `U+${(found.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

/** Of a longer name nobody sees at a glance what is wrong with it, and comparing takes quadratic time. */
const MOST_CHARACTERS = 100;

/** The candidate that somebody who wrote `written` most likely meant, or `undefined` when none is near: one slip in three characters. */
export function nearest(written: string, candidates: Iterable<string>): string | undefined {
  if (written.length > MOST_CHARACTERS) return undefined;
  let best: string | undefined;
  let bestDistance = Infinity;
  for (const candidate of candidates) {
    const limit = Math.floor(Math.max(written.length, candidate.length) / 3);
    if (Math.abs(candidate.length - written.length) > limit) continue;
    const far = slips(written.toLowerCase(), candidate.toLowerCase());
    if (far <= limit && far < bestDistance) [best, bestDistance] = [candidate, far];
  }
  return best;
}

// Two neighbours that changed places are one slip, which the distance counts as two.
function slips(written: string, candidate: string): number {
  const far = distance(written, candidate);
  if (far !== 2 || written.length !== candidate.length) return far;
  const first = Array.from(written, (_, index) => index).find((index) => written[index] !== candidate[index]) ?? 0;
  const swapped = written[first] === candidate[first + 1] && written[first + 1] === candidate[first];
  return swapped ? 1 : far;
}
