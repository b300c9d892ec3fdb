/** "Did you mean" over names that a project may have thousands of, with a bound on the work of a whole run. */

import { nearest } from './text.ts';

/** The candidate that was probably meant, or `undefined` when none is near or the run has looked at enough. */
export type Suggest = (written: string, candidates: Iterable<string>) => string | undefined;

/** Candidates that one run looks at: some hundred wrong names among ten thousand keys, or a second of a processor. */
const MOST_CANDIDATES = 1_000_000;

/** The same name among the same candidates is looked for once. */
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
