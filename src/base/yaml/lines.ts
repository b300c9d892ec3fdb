/** Converts an offset in a text to a place in its file. */

import type { Place } from '../place.ts';

export type Placer = (offset: number) => Place;

/** Returns a function from offset to place; lines and columns (UTF-16 units) count from 1. */
export function createPlacer(file: string, text: string): Placer {
  const starts = lineStarts(text);
  let line = 0;
  return (offset) => {
    // Most offsets are in the same line as the one before, or soon after it.
    if ((starts[line] as number) > offset) line = 0;
    if (offset - (starts[line] as number) > 1000) line = findLine(starts, offset);
    while ((starts[line + 1] ?? Infinity) <= offset) line++;
    return { file, line: line + 1, column: offset - (starts[line] as number) + 1 };
  };
}

function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}

// The last line that starts at or before an offset, by bisection.
function findLine(starts: readonly number[], offset: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((starts[middle] as number) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}
