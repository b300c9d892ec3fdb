/** Decodes a file as UTF-8, with or without a byte order mark, or finds the first invalid byte. */

import { defined } from '../optional.ts';

/** `encoding`: the actual one, when the first bytes of the file reveal it. */
export type Decoded = { readonly text: string } | { readonly invalidAt: number; readonly encoding?: string };

export function decodeUtf8(bytes: Uint8Array): Decoded {
  // UTF-16 without a byte order mark may be valid UTF-8 in which every other character is NUL.
  if (isUtf16(bytes)) return { invalidAt: 0, encoding: 'UTF-16' };
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch {
    return { invalidAt: firstInvalid(bytes) };
  }
}

/** The arguments of the diagnostic for a file that is not UTF-8. */
export function notUtf8({ invalidAt, encoding }: Extract<Decoded, { invalidAt: number }>): {
  readonly offset: number;
  readonly encoding?: string;
} {
  return { offset: invalidAt, ...defined({ encoding }) };
}

function isUtf16([first, second, third, fourth]: Uint8Array): boolean {
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) return true;
  return (first === 0) !== (second === 0) && (third === 0) !== (fourth === 0) && (first === 0) === (third === 0);
}

// The decoder does not report where it failed, so bisection finds the longest prefix that it accepts.
// A prefix may end within a character; the decoded part shows where that character begins.
function firstInvalid(bytes: Uint8Array): number {
  let good = 0;
  let bad = bytes.length;
  while (bad - good > 1) {
    const middle = Math.floor((good + bad) / 2);
    if (decodePrefix(bytes, middle) === undefined) bad = middle;
    else good = middle;
  }
  return new TextEncoder().encode(decodePrefix(bytes, good)).length;
}

function decodePrefix(bytes: Uint8Array, length: number): string | undefined {
  try {
    const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
    return decoder.decode(bytes.subarray(0, length), { stream: true });
  } catch {
    return undefined;
  }
}
