/** From the bytes of a file to its text: UTF-8, with or without a byte order mark, or the offset that is not. */

export type Decoded = { readonly text: string } | { readonly invalidAt: number };

export function decodeUtf8(bytes: Uint8Array): Decoded {
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch {
    return { invalidAt: firstInvalid(bytes) };
  }
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
