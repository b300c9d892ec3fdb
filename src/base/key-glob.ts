/** Globs over the keys of flags, in time that nobody who writes one can stretch. */

import picomatch from 'picomatch';

/** Matches keys; `undefined` for a glob that is none, or that could take forever: see `isBounded`. */
export function keyGlob(glob: string, options: picomatch.PicomatchOptions): ((key: string) => boolean) | undefined {
  if (!isBounded(glob)) return undefined;
  try {
    const general = picomatch(glob, options);
    if (!/^[\w*?-]+$/.test(glob)) return (key) => general(key);
    // Slashes and dots mean something to the library; keys hardly ever have them.
    return (key) => (/[/.]/.test(key) ? general(key) : matchesWildcards(glob, key));
  } catch {
    return undefined;
  }
}

const MOST_WILDCARDS = 3;
const MOST_CHOICES = 4;

/**
 * The library makes a regular expression, which tries all ways to share a key among wildcards and choices. Wildcards
 * alone are matched without one and may be as many as wanted.
 */
function isBounded(glob: string): boolean {
  if (/^[\w*?-]+$/.test(glob)) return true;
  const count = (what: RegExp): number => glob.match(what)?.length ?? 0;
  return count(/\*+/g) <= MOST_WILDCARDS && count(/[{[]/g) <= MOST_CHOICES && !glob.includes('(');
}

/** `*` for any text, `?` for one character. After a mismatch only the last `*` takes one character more. */
function matchesWildcards(glob: string, key: string): boolean {
  let [at, inKey] = [0, 0];
  let star: { readonly at: number; taken: number } | undefined;
  while (inKey < key.length) {
    const wanted = glob[at];
    if (wanted === '*') {
      star = { at, taken: inKey };
      at += 1;
    } else if (wanted === '?' || wanted === key[inKey]) {
      at += 1;
      inKey += 1;
    } else if (star !== undefined) {
      at = star.at + 1;
      star.taken += 1;
      inKey = star.taken;
    } else return false;
  }
  return /^\**$/.test(glob.slice(at));
}
