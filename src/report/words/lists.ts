/** Lists in a sentence: keys of flags, ids of experiments. */

import type { Quote } from '../../engine/labels.ts';
import { quoteShort } from '../escape.ts';

const MOST_KEYS = 5;

export function keysText(keys: readonly string[], quote: Quote = quoteShort): string {
  const shown = keys.slice(0, MOST_KEYS).map((key) => quote(key));
  const hidden = keys.length - shown.length;
  return [...shown, ...(hidden === 0 ? [] : [`${hidden} more`])].join(', ');
}

/** `experiment 30`, `experiments 30, 31`. */
export function experimentsText(ids: readonly number[]): string {
  return `${ids.length === 1 ? 'experiment' : 'experiments'} ${ids.join(', ')}`;
}
