// All entries of a list that the forge answers in pages.

import { Failure } from '../failure.mjs';

const SIZE = 100;

export async function listPages(call, path, options) {
  const all = [];
  for (let page = 1; ; page += 1) {
    const address = `${path}${path.includes('?') ? '&' : '?'}per_page=${SIZE}&page=${page}`;
    const { value } = await call('GET', address, options);
    if (!Array.isArray(value))
      throw new Failure(`GET ${path}: the answer is no list. Check the address of the interface.`);
    all.push(...value);
    if (value.length < SIZE) return all;
  }
}
