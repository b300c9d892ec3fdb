/** The repository around a folder. */

export interface Repository {
  /** Absolute folder of the checkout. */
  readonly top: string;
  /** From the top of the checkout to the folder, `/` between folders; empty for the top. */
  readonly prefix: string;
  /** A clone with a part of the history. */
  readonly shallow: boolean;
}

/** `detail`: git's own words. */
export type OpenedRepository =
  | { readonly kind: 'open'; readonly repository: Repository }
  /** No checkout: no repository, or a bare one. */
  | { readonly kind: 'none' }
  | { readonly kind: 'git_missing' }
  | { readonly kind: 'refused'; readonly detail: string };
