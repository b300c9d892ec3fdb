/** From the bytes of a file to its text: UTF-8, with or without a byte order mark, or the offset that is not. */

export type Decoded = { readonly text: string } | { readonly invalidAt: number };

export function decodeUtf8(bytes: Uint8Array): Decoded {
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch {
    return { invalidAt: firstInvalid(bytes) };
  }
}

// The decoder does not say where it stopped, so the longest good prefix is found by bisection.
function firstInvalid(bytes: Uint8Array): number {
  let good = 0;
  let bad = bytes.length;
  while (bad - good > 1) {
    const middle = Math.floor((good + bad) / 2);
    if (isGoodPrefix(bytes.subarray(0, middle))) good = middle;
    else bad = middle;
  }
  return good;
}

function isGoodPrefix(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}
