/** The one comparison of strings: by code unit, so that an order is the same on every machine and in every locale. */

export function compareStrings(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** A comparison of values by one string of each: `flags.toSorted(comparing(({ key }) => key))`. */
export function comparing<Item>(read: (item: Item) => string): (a: Item, b: Item) => number {
  return (a, b) => compareStrings(read(a), read(b));
}
