/** Items that have the same key, together. */

/** Groups are in the order of their first item; so are the items of each. */
export function groupBy<Item, Key>(
  items: readonly Item[],
  keyOf: (item: Item, index: number) => Key,
): ReadonlyMap<Key, readonly Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const [index, item] of items.entries()) {
    const key = keyOf(item, index);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}
