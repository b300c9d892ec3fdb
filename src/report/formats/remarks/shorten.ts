/** The part of a long list that a reader takes: the gravest, in their order, and how many of each sort it leaves out. */

export interface Room<Sort extends string> {
  /** The gravest first. */
  readonly sorts: readonly Sort[];
  /** Most items of all sorts. */
  readonly total: number;
  /** Most items of each sort; absent: as many as of all. */
  readonly ofSort?: number;
}

export interface Shortened<Item, Sort extends string> {
  readonly shown: readonly Item[];
  /** The gravest first; nothing where all are shown. */
  readonly hidden: readonly { readonly sort: Sort; readonly count: number }[];
}

export function shorten<Item, Sort extends string>(
  items: readonly Item[],
  sortOf: (item: Item) => Sort,
  { sorts, total, ofSort = total }: Room<Sort>,
): Shortened<Item, Sort> {
  const room = new Map<Sort, number>();
  const hidden: { sort: Sort; count: number }[] = [];
  let left = total;
  for (const sort of sorts) {
    const amount = items.reduce((sum, item) => (sortOf(item) === sort ? sum + 1 : sum), 0);
    const shown = Math.min(amount, ofSort, left);
    room.set(sort, shown);
    left -= shown;
    if (shown < amount) hidden.push({ sort, count: amount - shown });
  }
  if (hidden.length === 0) return { shown: items, hidden };
  const shown = items.filter((item) => {
    const more = room.get(sortOf(item)) ?? 0;
    room.set(sortOf(item), more - 1);
    return more > 0;
  });
  return { shown, hidden };
}
