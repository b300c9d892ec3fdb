/** Helpers for plain text that more than one stage needs. */

import { distance } from 'fastest-levenshtein';

/** The candidate that somebody who wrote `written` most likely meant, or `undefined` when none is near. */
export function nearest(written: string, candidates: Iterable<string>): string | undefined {
  let best: string | undefined;
  let bestDistance = Math.max(2, Math.floor(written.length / 3)) + 1;
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - written.length) >= bestDistance) continue;
    const far = distance(written.toLowerCase(), candidate.toLowerCase());
    if (far < bestDistance) [best, bestDistance] = [candidate, far];
  }
  return best;
}
