/** How a call to the service fails: a closed union with a member for each case that callers handle differently. */

import type { ChangeRequest } from '../../core/engine/change-request.ts';

/** Strings of the service (`code`, `attr`, `detail`) are null if the answer has none. */
export type Failure =
  /** 401: no key, or one that the service does not accept. */
  | { readonly kind: 'unauthorized'; readonly detail: string | null }
  /** 403: the key's scopes or its owner's rights are not sufficient. */
  | { readonly kind: 'forbidden'; readonly detail: string | null }
  /** 404: the object, or the whole project. */
  | { readonly kind: 'not_found'; readonly detail: string | null }
  /** 400 or 422: the service understood the request and refused it. `attr` names the field. */
  | {
      readonly kind: 'validation';
      readonly status: number;
      readonly code: string | null;
      readonly attr: string | null;
      readonly detail: string | null;
    }
  /** 409: another user changed the object, or the change needs an approval. */
  | {
      readonly kind: 'conflict';
      readonly code: string | null;
      readonly detail: string | null;
      readonly changeRequest?: ChangeRequest;
    }
  /** 429, and the limit for waiting is reached. `until`: when the service takes requests again, in milliseconds since 1970. */
  | {
      readonly kind: 'rate_limited';
      readonly detail: string | null;
      readonly retryAfterMs?: number;
      readonly until?: number;
    }
  /** 5xx. `detail` is null when a proxy answered with its own page. */
  | { readonly kind: 'server'; readonly status: number; readonly detail: string | null }
  /** Any other status outside 2xx. */
  | {
      readonly kind: 'unexpected_status';
      readonly status: number;
      readonly code: string | null;
      readonly detail: string | null;
    }
  /** A success whose body cannot be read. `at` is a JSON pointer into the body. */
  | {
      readonly kind: 'invalid_answer';
      readonly why: 'not_utf8' | 'not_json' | 'too_deep' | 'encoded' | 'shape' | 'listing_unstable';
      readonly at?: string;
      readonly expected?: string;
    }
  /** No answer, or a truncated one. `code` is Node's or undici's: `ECONNRESET`, `ENOTFOUND` …. */
  | { readonly kind: 'network'; readonly code: string }
  /** The proxy did not connect to the service; `status` is its answer, 407 if it wants a user and a password. */
  | { readonly kind: 'proxy'; readonly status: number }
  | { readonly kind: 'timeout'; readonly timeoutMs: number }
  | { readonly kind: 'too_large'; readonly limitBytes: number }
  /** A redirect that is not followed: of a write, to another origin, or one too many. */
  | { readonly kind: 'redirected'; readonly status: number; readonly location: string | null }
  /** The client's signal was aborted. */
  | { readonly kind: 'aborted'; readonly code: 'deadline' | 'interrupted' };

export type FailureKind = Failure['kind'];
export type FailureOf<Kind extends FailureKind> = Extract<Failure, { readonly kind: Kind }>;
