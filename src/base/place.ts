/** A place in a file where a value is written, kept with the value from reading to reporting; and the places of offsets in a text. */

import { fromPointer } from './json-pointer.ts';

/** A place in a file: `file` relative to the configuration's folder, `line` and `column` counted from 1. */
export interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** The places of a value and of everything in it. An array's elements are the children `0`, `1` …. */
export interface PlaceTree {
  readonly place: Place;
  readonly children?: { readonly [segment: string]: PlaceTree };
}

/** The place of the value at a pointer, or of the nearest value around it that has one. */
export function placeAt(tree: PlaceTree, pointer: string): Place {
  let current = tree;
  for (const segment of fromPointer(pointer)) {
    const children = current.children;
    const child = children && Object.hasOwn(children, segment) ? children[segment] : undefined;
    if (child === undefined) break;
    current = child;
  }
  return current.place;
}

export type Placer = (offset: number) => Place;

/** Returns a function from offset to place; lines and columns (UTF-16 units) count from 1. A byte order mark takes no column. */
export function createPlacer(file: string, text: string): Placer {
  const starts = lineStarts(text);
  let line = 0;
  return (offset) => {
    // Most offsets are in the same line as the one before, or soon after it.
    if ((starts[line] as number) > offset) line = 0;
    if (offset - (starts[line] as number) > 1000) line = findLine(starts, offset);
    while ((starts[line + 1] ?? Infinity) <= offset) line++;
    return { file, line: line + 1, column: Math.max(offset - (starts[line] as number), 0) + 1 };
  };
}

function lineStarts(text: string): number[] {
  const starts = [text.startsWith('\u{feff}') ? 1 : 0];
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
