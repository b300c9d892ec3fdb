/** A listing that is read page by page while it is used: memory holds one page, however long the listing is. */

/**
 * The first page is requested with the first entry, and each further page when the one before it is used up.
 * Each iteration reads the listing again.
 */
export interface Paged<T> extends AsyncIterable<T> {
  /** Page by page, as the service returns them; no page is empty. */
  pages(): AsyncIterable<readonly T[]>;
  /** All entries at once, for listings that are known to be short. */
  all(): Promise<readonly T[]>;
}

export interface PageOf<T, Position> {
  readonly results: readonly T[];
  /** The position of the next page; absent on the last one. */
  readonly next?: Position;
}

/** `read` gets the position that the previous page named. */
export function paged<T, Position>(
  first: Position,
  read: (position: Position) => Promise<PageOf<T, Position>>,
): Paged<T> {
  const pages = (): AsyncGenerator<readonly T[], void, undefined> => readPages(first, read);
  return {
    pages,
    all: async () => {
      const entries: T[] = [];
      for await (const page of pages()) entries.push(...page);
      return entries;
    },
    async *[Symbol.asyncIterator]() {
      for await (const page of pages()) yield* page;
    },
  };
}

async function* readPages<T, Position>(
  first: Position,
  read: (position: Position) => Promise<PageOf<T, Position>>,
): AsyncGenerator<readonly T[], void, undefined> {
  let position: Position | undefined = first;
  while (position !== undefined) {
    const page: PageOf<T, Position> = await read(position);
    if (page.results.length > 0) yield page.results;
    position = page.next;
  }
}
