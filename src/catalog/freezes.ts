/** When policies allow no changes: what the windows of `freeze` mean between two times. */

import { type Freeze, occurrencesOf, type TimeWindow } from '../review/policy/rules/freeze.ts';

export type FreezeRule = Freeze['options'];

/** A time without changes, in milliseconds since 1970. */
export interface FrozenTime {
  readonly from: number;
  /** The first moment after it; absent: none that is near. */
  readonly to?: number;
  /** Outside of these times changes are not allowed, or in them. */
  readonly windows: readonly TimeWindow[];
  readonly isOutside: boolean;
}

type Span = Readonly<Record<'start' | 'end', number>>;

/** Those that last or begin between the times, each as a whole. */
export function frozenTimes({ deny, allow }: FreezeRule, { start, end }: Span): readonly FrozenTime[] {
  const around = { start: start - WEEK, end: end + WEEK };
  const denied = deny.flatMap((window) =>
    joined([window], around).map((one) => ({ ...one, windows: [window], isOutside: false })),
  );
  const outside = allow === undefined ? [] : gapsBetween(joined(allow, around), around);
  const closed = outside.map((one) => ({ ...one, windows: allow ?? [], isOutside: true }));
  return [...denied, ...closed].filter(({ from, to = Infinity }) => from < end && to > start);
}

/** A weekly window begins in each. */
const WEEK = 8 * 86_400_000;

interface Stretch {
  readonly from: number;
  readonly to: number;
}

/** Sorted; those that touch are one, such as two days of a weekend. */
function joined(windows: readonly TimeWindow[], span: Span): readonly Stretch[] {
  const all = windows.flatMap((window) => occurrencesOf(window, span)).toSorted((a, b) => a.from - b.from);
  const found: Stretch[] = [];
  for (const { from, to } of all) {
    const last = found.at(-1);
    if (last === undefined || last.to < from) found.push({ from, to });
    else found[found.length - 1] = { from: last.from, to: Math.max(last.to, to) };
  }
  return found;
}

function gapsBetween(stretches: readonly Stretch[], { start, end }: Span): readonly Pick<FrozenTime, 'from' | 'to'>[] {
  const begins = [start, ...stretches.map(({ to }) => to)];
  return begins.flatMap((from, index) => {
    const to = stretches[index]?.from;
    if (to === undefined) return from < end ? [{ from }] : [];
    return from < to ? [{ from, to }] : [];
  });
}
