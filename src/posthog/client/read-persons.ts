/** Reads the newest persons of a project, page by page, without keeping them. */

import type { ServiceClient } from './client.ts';
import type { PersonPage } from './operations/persons.ts';

/** The page size of the documented list: the service states no largest one. */
const PAGE_SIZE = 1000;

/** Pages with `most` persons in all, or fewer where the list ends. The last page has no `next` only where the list ends. */
export async function* readPersonPages(
  client: Pick<ServiceClient, 'pagePersons'>,
  most: number,
): AsyncGenerator<PersonPage> {
  let offset: number | undefined = 0;
  let left = most;
  while (offset !== undefined && left > 0) {
    const page: PersonPage = await client.pagePersons({ pageSize: Math.min(PAGE_SIZE, left), offset });
    // A service may return more than it was asked for.
    const persons = page.persons.slice(0, left);
    left -= persons.length;
    yield persons.length === page.persons.length ? page : { ...page, persons, next: offset + persons.length };
    offset = page.next;
  }
}
