/** From the bytes of a file to its text: UTF-8, with or without a byte order mark, or the offset that is not. */

/** `encoding` is told where the first bytes of a file that is not UTF-8 say which one it has. */
export type Decoded = { readonly text: string } | { readonly invalidAt: number; readonly encoding?: string };

export function decodeUtf8(bytes: Uint8Array): Decoded {
  // Without a byte order mark UTF-16 may be valid UTF-8, of which every other character is NUL.
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
  return encoding === undefined ? { offset: invalidAt } : { offset: invalidAt, encoding };
}

function isUtf16([first, second, third, fourth]: Uint8Array): boolean {
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) return true;
  return (first === 0) !== (second === 0) && (third === 0) !== (fourth === 0) && (first === 0) === (third === 0);
}

// The decoder does not say where it stopped, so the longest prefix that it takes is found by bisection.
// A prefix may end within a character; what was decoded of it shows where that one begins.
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
