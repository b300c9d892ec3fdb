/** A word of a command that a reader pastes into a shell. */

import { escapeLine } from '../escape.ts';

/** Never shortened. Quoted where a shell would read more than the word. */
export function shellWord(text: string): string {
  const shown = escapeLine(text);
  return /^[\w.:@%+,/=-]+$/.test(shown) ? shown : `'${shown.replaceAll("'", String.raw`'\''`)}'`;
}
