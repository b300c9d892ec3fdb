/** Tries patterns that somebody else wrote: no pattern may hold up the service (docs/evaluation.md, "Regular expressions"). */

import { createContext, Script } from 'node:vm';
import type { SearchRegex } from '../../evaluation/operators/regex.ts';

/** For one text; patterns that take longer are not tried again. */
const LONGEST_MS = 50;
const MOST_REMEMBERED = 1000;
/** Steps that take a fraction of `LONGEST_MS`. */
const HARMLESS_STEPS = 1e7;

export const searchRegex: SearchRegex = createSearch();

function createSearch(): SearchRegex {
  const slow = new Set<string>();
  return (regex, text) => {
    if (isHarmless(regex, text)) return regex.test(text);
    const name = regex.toString();
    if (slow.has(name)) return undefined;
    const found = testInTime(regex, text);
    if (found === undefined && slow.size < MOST_REMEMBERED) slow.add(name);
    return found;
  };
}

/** Each repetition multiplies the steps by the length of the text at most, unless a whole group is repeated. */
function isHarmless({ source }: RegExp, text: string): boolean {
  if (/\)[*+?{]/.test(source)) return false;
  const repetitions = source.match(/[*+{]/g)?.length ?? 0;
  return text.length ** (repetitions + 1) <= HARMLESS_STEPS;
}

const surroundings: { regex?: RegExp; text?: string } = createContext({});
const script = new Script('regex.test(text)');

/** `undefined` when time runs out. A script is the one place where the engine can be told to stop. */
function testInTime(regex: RegExp, text: string): boolean | undefined {
  Object.assign(surroundings, { regex, text });
  try {
    return script.runInContext(surroundings, { timeout: LONGEST_MS }) as boolean;
  } catch {
    return undefined;
  }
}
