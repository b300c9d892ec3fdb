/** Keys of flags as a list in a sentence. */

import { quoteShort } from '../escape.ts';

const MOST_KEYS = 5;

export function keysText(keys: readonly string[]): string {
  const shown = keys.slice(0, MOST_KEYS).map((key) => quoteShort(key));
  const hidden = keys.length - shown.length;
  return [...shown, ...(hidden === 0 ? [] : [`${hidden} more`])].join(', ');
}
