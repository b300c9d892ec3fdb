/** Finds what keeps its order when a list is rearranged. */

/** The indices of `former` that keep their order: a longest increasing part, so that as few elements as possible move. */
export function keptInOrder(former: readonly (number | undefined)[]): ReadonlySet<number> {
  /** The smallest last element of an increasing part of each length; each points to the one before it. */
  const tails: Tail[] = [];
  for (const index of former) {
    if (index === undefined) continue;
    const at = countBelow(tails, index);
    tails[at] = { index, before: tails[at - 1] };
  }
  const kept = new Set<number>();
  for (let tail = tails.at(-1); tail !== undefined; tail = tail.before) kept.add(tail.index);
  return kept;
}

interface Tail {
  readonly index: number;
  readonly before: Tail | undefined;
}

function countBelow(tails: readonly Tail[], index: number): number {
  let low = 0;
  let high = tails.length;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if ((tails[middle]?.index ?? 0) < index) low = middle + 1;
    else high = middle;
  }
  return low;
}
