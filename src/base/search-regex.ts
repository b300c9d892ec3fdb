/**
 * Searches with patterns from users under a time limit, so that no pattern blocks the process (docs/evaluation.md,
 * "Regular expressions").
 */

import { type Context, createContext, Script } from 'node:vm';

/** Whether the pattern occurs in the text; `undefined` when the search takes too long. */
export type SearchRegex = (regex: RegExp, text: string) => boolean | undefined;

/** The time limit for one string; a pattern that exceeds it is not tried again. */
const LONGEST_MS = 50;
const MOST_REMEMBERED = 1000;
/** A number of steps that takes a fraction of `LONGEST_MS`. */
const HARMLESS_STEPS = 1e7;

/** `test` gives up a pattern that takes too long, with `undefined`. */
export function createSearch(test: SearchRegex = testInTime): SearchRegex {
  const slow = new Set<string>();
  return (regex, text) => {
    if (isHarmless(regex, text)) return regex.test(text);
    const name = regex.toString();
    if (slow.has(name)) return undefined;
    const found = test(regex, text);
    if (found === undefined && slow.size < MOST_REMEMBERED) slow.add(name);
    return found;
  };
}

/** Each repetition multiplies the steps by at most the length of the text, unless a group is repeated. */
function isHarmless({ source }: RegExp, text: string): boolean {
  if (/\)[*+?{]/.test(source)) return false;
  const repetitions = source.replaceAll(/\\p\{/gi, '').match(/[*+{]/g)?.length ?? 0;
  return text.length ** (repetitions + 1) <= HARMLESS_STEPS;
}

export const searchRegex: SearchRegex = createSearch();

/** `undefined` when time runs out. Only a script of `node:vm` can be stopped. */
export function testInTime(regex: RegExp, text: string, longestMs: number = LONGEST_MS): boolean | undefined {
  stoppable ??= { script: new Script('regex.test(text)'), surroundings: createContext({}) };
  const { script, surroundings } = stoppable;
  Object.assign(surroundings, { regex, text });
  try {
    return script.runInContext(surroundings, { timeout: longestMs }) as boolean;
  } catch {
    return undefined;
  }
}

/** Made for the first pattern that needs it: most runs have none. */
let stoppable: { readonly script: Script; readonly surroundings: Context } | undefined;
