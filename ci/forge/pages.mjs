// All entries of a list that the forge answers in pages.

import { Failure } from '../failure.mjs';

const SIZE = 100;
/** A forge that answers the same page to each number would be asked forever. */
const MOST_PAGES = 200;

export async function listPages(call, path, options) {
  const all = [];
  for (let page = 1; page <= MOST_PAGES; page += 1) {
    const address = `${path}${path.includes('?') ? '&' : '?'}per_page=${SIZE}&page=${page}`;
    const { value, headers } = await call('GET', address, options);
    if (!Array.isArray(value))
      throw new Failure(`GET ${path}: the answer is not a list. Check the address of the interface.`);
    all.push(...value);
    if (isLast(headers, value.length)) return all;
  }
  throw new Failure(
    `GET ${path}: the list has more than ${MOST_PAGES * SIZE} entries, or the forge does not turn its pages.`,
  );
}

/** The entries of a list that may be long, newest first, page by page: GitHub names the next page by a cursor, GitLab by its number. */
export async function* walkPages(call, path, options) {
  let next = '';
  for (let page = 1; page <= MOST_PAGES; page += 1) {
    const { value, headers } = await call(
      'GET',
      `${path}${path.includes('?') ? '&' : '?'}per_page=${SIZE}${next}`,
      options,
    );
    if (!Array.isArray(value)) return;
    yield* value;
    const cursor = /[?&]after=([^&>]+)[^>]*>; rel="next"/.exec(headers.get('link') ?? '')?.[1];
    const number = headers.get('x-next-page');
    if (!cursor && !number) return;
    next = cursor ? `&after=${cursor}` : `&page=${Number(number)}`;
  }
}

/** GitLab leaves out what the token may not read, so a page may be short or empty though others follow. */
function isLast(headers, count) {
  const next = headers.get('x-next-page');
  if (next !== null) return next === '';
  const link = headers.get('link');
  return link === null ? count < SIZE : !link.includes('rel="next"');
}
