/** Fits entries into a number of bytes: as many as possible are named, then the first ones get their details. */

export interface FittedEntry {
  readonly full: readonly string[];
  readonly brief: string;
}

export type Fit = 'full' | 'brief' | 'hidden';

/** Chooses how each entry is shown; `space` counts line breaks too. */
export function fitEntries(entries: readonly FittedEntry[], space: number): readonly Fit[] {
  const named = countFitting(entries, space);
  let left = space - lengthOf(entries.slice(0, named).map(({ brief }) => brief));
  return entries.map(({ full, brief }, index): Fit => {
    if (index >= named) return 'hidden';
    const extra = lengthOf(full) - lengthOf([brief]);
    if (extra > left) return 'brief';
    left -= extra;
    return 'full';
  });
}

function countFitting(entries: readonly FittedEntry[], space: number): number {
  let used = 0;
  const beyond = entries.findIndex(({ brief }) => {
    used += lengthOf([brief]);
    return used > space;
  });
  return beyond === -1 ? entries.length : beyond;
}

function lengthOf(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0);
}
