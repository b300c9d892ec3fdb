// All entries of a list that the forge answers in pages.

import { Failure } from '../failure.mjs';

const SIZE = 100;
/** A forge that answers the same page to each number would be asked forever. */
const MOST_PAGES = 200;

export async function listPages(call, path, options) {
  const all = [];
  for (let page = 1; page <= MOST_PAGES; page += 1) {
    const address = `${path}${path.includes('?') ? '&' : '?'}per_page=${SIZE}&page=${page}`;
    const { value } = await call('GET', address, options);
    if (!Array.isArray(value))
      throw new Failure(`GET ${path}: the answer is no list. Check the address of the interface.`);
    all.push(...value);
    if (value.length < SIZE) return all;
  }
  throw new Failure(
    `GET ${path}: the list has more than ${MOST_PAGES * SIZE} entries, or the forge does not turn its pages.`,
  );
}
