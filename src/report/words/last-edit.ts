/** Who edited a resource last, for people. */

import type { LastEdit } from '../../engine/change.ts';
import { quoteShort } from '../escape.ts';
import { timeText } from './time.ts';

/** `last edited by ada@example.org on 2026-01-31 12:00:00 UTC` */
export function lastEditText({ by, at }: LastEdit): string {
  const parts = [
    ...(by === undefined ? [] : [`by ${quoteShort(by)}`]),
    ...(at === undefined ? [] : [`on ${timeText(at)}`]),
  ];
  return `last edited ${parts.join(' ')}`;
}
