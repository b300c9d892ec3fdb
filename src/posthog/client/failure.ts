/** How a call to the service fails: a closed union with a member for each case that callers handle differently. */

import { defined } from '../../base/optional.ts';
import type { ChangeRequest } from '../../engine/change-request.ts';
import { reasonFor, summarize } from './failure-table.ts';
import type { Callee } from './failure-words.ts';

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
  /** 429, and the limit for waiting is reached. */
  | { readonly kind: 'rate_limited'; readonly detail: string | null; readonly retryAfterMs?: number }
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
  | { readonly kind: 'timeout'; readonly timeoutMs: number }
  | { readonly kind: 'too_large'; readonly limitBytes: number }
  /** A redirect that is not followed: of a write, to another origin, or one too many. */
  | { readonly kind: 'redirected'; readonly status: number; readonly location: string | null }
  /** The client's signal was aborted. */
  | { readonly kind: 'aborted'; readonly code: 'deadline' | 'interrupted' };

export type FailureKind = Failure['kind'];
export type FailureOf<Kind extends FailureKind> = Extract<Failure, { readonly kind: Kind }>;

/** The error that every operation of the client throws: the failure, and the call that failed. */
export interface ServiceErrorFacts {
  readonly failure: Failure;
  /** The client's method, `createFlag`. */
  readonly operation: string;
  readonly method: string;
  /** Path on the host, without the query. */
  readonly path: string;
  /** Requests that this call sent. */
  readonly attempts: number;
  /**
   * Whether the service may have executed a write that failed: it was sent, and the answer is no definite refusal.
   * Look it up before repeating it.
   */
  readonly mayHaveHappened: boolean;
  /** The service that the call addresses. */
  readonly callee?: Callee;
  /** The failure of the attempt before this one, if the call was ended while it waited to repeat it. */
  readonly last?: Failure;
  /** The error is already redacted. */
  readonly cause?: Error;
  /** Key of the flag that the call is about, where the caller knows it. */
  readonly flag?: string;
}

/** Thrown by every operation of the client. No member ever holds the API key. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly failure: Failure;
  readonly operation: string;
  readonly method: string;
  readonly path: string;
  readonly attempts: number;
  readonly mayHaveHappened: boolean;
  readonly callee: Callee | undefined;
  readonly last: Failure | undefined;
  readonly flag: string | undefined;

  constructor(facts: ServiceErrorFacts) {
    super(
      `${facts.operation} failed: ${summarize(facts.failure)}`,
      facts.cause === undefined ? undefined : { cause: facts.cause },
    );
    this.failure = facts.failure;
    this.operation = facts.operation;
    this.method = facts.method;
    this.path = facts.path;
    this.attempts = facts.attempts;
    this.mayHaveHappened = facts.mayHaveHappened;
    this.callee = facts.callee;
    this.last = facts.last;
    this.flag = facts.flag;
  }

  /** The message of the service or the network, without the operation, the status and the code. */
  get said(): string {
    return reasonFor(this.failure);
  }

  /** The same error with the key of the flag that the call is about. */
  about(flag: string): ServiceError {
    const { failure, operation, method, path, attempts, mayHaveHappened, callee, last, cause } = this;
    const call = { failure, operation, method, path, attempts, mayHaveHappened };
    const facts = { ...call, ...defined({ callee, last }), flag };
    return new ServiceError(cause instanceof Error ? { ...facts, cause } : facts);
  }
}
