/** One page of a list, as GitHub and GitLab answer it: never more than 100 entries, with a header that says whether others follow. */

export interface Page {
  readonly status: number;
  readonly value: unknown;
  readonly headers: Readonly<Record<string, string>>;
}

export function githubPage(all: readonly unknown[], query: URLSearchParams): Page {
  const { value, next } = pageOf(all, query);
  // Without other pages there is no header.
  const link = next === '' ? {} : { link: `<https://api.github.com/x?page=${next}>; rel="next"` };
  return { status: 200, value, headers: link };
}

/** `isShown`: what the token may read. GitLab counts the others too, and leaves them out of their page. */
export function gitlabPage<T>(
  all: readonly T[],
  query: URLSearchParams,
  isShown: (one: T) => boolean = () => true,
): Page {
  const { value, next } = pageOf(all, query);
  return { status: 200, value: value.filter(isShown), headers: { 'x-next-page': next } };
}

function pageOf<T>(all: readonly T[], query: URLSearchParams): { readonly value: readonly T[]; readonly next: string } {
  const size = Math.min(100, Number(query.get('per_page') ?? 20));
  const page = Number(query.get('page') ?? 1);
  return { value: all.slice((page - 1) * size, page * size), next: page * size < all.length ? String(page + 1) : '' };
}
