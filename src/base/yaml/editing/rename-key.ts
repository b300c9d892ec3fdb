/** Writes another key of a mapping into YAML text, in the style that is there. */

import type { Place } from '../../place.ts';

export interface KeyAt {
  readonly place: Pick<Place, 'line' | 'column'>;
  readonly from: string;
  readonly to: string;
}

/** `undefined` if the key is written in an unsupported way, such as with escapes. */
export function renameKeyAt(text: string, { place, from, to }: KeyAt): string | undefined {
  const start = offsetOf(text, place);
  const quote = ["'", '"'].find((one) => text.startsWith(one + from + one, start)) ?? '';
  if (!text.startsWith(quote + from + quote, start)) return undefined;
  const safe = quote === '' && !/^[A-Za-z][A-Za-z0-9_-]{2,}$/.test(to) ? '"' : quote;
  const written = /^(?:yes|off|true|null|false)$/i.test(to) && safe === '' ? `"${to}"` : safe + to + safe;
  return text.slice(0, start) + written + text.slice(start + quote.length * 2 + from.length);
}

function offsetOf(text: string, { line, column }: KeyAt['place']): number {
  let start = 0;
  for (let count = 1; count < line; count += 1) start = text.indexOf('\n', start) + 1;
  return start + column - 1;
}
