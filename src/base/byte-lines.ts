/** The lines of a text of any size, of which only one line at a time is held. */

export type ByteLine = { readonly number: number } & (
  { readonly text: string } | { readonly fault: 'not_utf8' | 'too_long' }
);

/** A line has no line end, which is LF or CRLF; a byte order mark at the start is left out. Numbers begin at 1. */
export async function* splitLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<ByteLine> {
  let [number, held] = [1, emptyLine()];
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, start)) {
      yield readLine(number, hold(held, chunk.subarray(start, end)));
      [start, number, held] = [end + 1, number + 1, emptyLine()];
    }
    hold(held, chunk.subarray(start));
  }
  if (held.length > 0) yield readLine(number, held);
}

const LINE_FEED = 10;

/** Longer lines are not held. */
const LONGEST_LINE = 16 * 1024 * 1024;

interface Held {
  parts: Uint8Array[];
  length: number;
}

function emptyLine(): Held {
  return { parts: [], length: 0 };
}

function hold(held: Held, part: Uint8Array): Held {
  held.length += part.length;
  if (held.length > LONGEST_LINE) held.parts = [];
  // A copy, since the reader may use its memory again.
  else if (part.length > 0) held.parts.push(part.slice());
  return held;
}

function readLine(number: number, { parts, length }: Held): ByteLine {
  if (length > LONGEST_LINE) return { number, fault: 'too_long' };
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: number > 1 }).decode(join(parts, length));
    return { number, text: text.endsWith('\r') ? text.slice(0, -1) : text };
  } catch {
    return { number, fault: 'not_utf8' };
  }
}

function join(parts: readonly Uint8Array[], length: number): Uint8Array {
  const [first] = parts;
  if (parts.length === 1 && first !== undefined) return first;
  const whole = new Uint8Array(length);
  let offset = 0;
  for (const part of parts) {
    whole.set(part, offset);
    offset += part.length;
  }
  return whole;
}
