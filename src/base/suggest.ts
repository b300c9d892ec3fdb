/** "Did you mean" suggestions from thousands of names, with a limit on the work of a whole run. */

import { nearest } from './text.ts';

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
