/** How a call to the service fails: a closed union of what a caller treats differently. */

/** Texts of the service (`code`, `attr`, `detail`) are null where the answer did not give them. */
export type Failure =
  /** 401: no key, or one that the service does not accept. */
  | { readonly kind: 'unauthorized'; readonly detail: string | null }
  /** 403: the key's scopes, or its owner's rights, do not reach that far. */
  | { readonly kind: 'forbidden'; readonly detail: string | null }
  /** 404: the object, or the whole project. */
  | { readonly kind: 'not_found'; readonly detail: string | null }
  /** 400 or 422: the service understood and refused. `attr` names the field. */
  | {
      readonly kind: 'validation';
      readonly status: number;
      readonly code: string | null;
      readonly attr: string | null;
      readonly detail: string | null;
    }
  /** 409: somebody else changed the object, or an approval is needed first. */
  | {
      readonly kind: 'conflict';
      readonly code: string | null;
      readonly detail: string | null;
      readonly changeRequestId?: string;
    }
  /** 429, and waiting longer was not allowed. */
  | { readonly kind: 'rate_limited'; readonly detail: string | null; readonly retryAfterMs?: number }
  /** 5xx. `detail` is null when a proxy answered with a page of its own. */
  | { readonly kind: 'server'; readonly status: number; readonly detail: string | null }
  /** Any other status that is no success. */
  | {
      readonly kind: 'unexpected_status';
      readonly status: number;
      readonly code: string | null;
      readonly detail: string | null;
    }
  /** A success whose body cannot be understood. `at` is a JSON pointer into the body. */
  | {
      readonly kind: 'invalid_answer';
      readonly why: 'not_utf8' | 'not_json' | 'too_deep' | 'encoded' | 'shape' | 'listing_unstable';
      readonly at?: string;
      readonly expected?: string;
    }
  /** No answer, or only a part of it. `code` is Node's or undici's: `ECONNRESET`, `ENOTFOUND` …. */
  | { readonly kind: 'network'; readonly code: string }
  | { readonly kind: 'timeout'; readonly timeoutMs: number }
  | { readonly kind: 'too_large'; readonly limitBytes: number }
  /** A redirect that is not followed: of a write, to another origin, or one too many. */
  | { readonly kind: 'redirected'; readonly status: number; readonly location: string | null }
  /** The client's signal was aborted. */
  | { readonly kind: 'aborted'; readonly code: 'deadline' | 'interrupted' };

export interface ServiceErrorFacts {
  readonly failure: Failure;
  /** The client's method, `createFlag`. */
  readonly operation: string;
  readonly method: string;
  /** Path on the host, without the query. */
  readonly path: string;
  /** Requests that were tried for this call. */
  readonly attempts: number;
  /**
   * True when a write may have been carried out although it failed: it was sent, and no definite refusal came back.
   * Look before repeating it.
   */
  readonly mayHaveHappened: boolean;
  /** Already redacted. */
  readonly cause?: Error;
  /** Key of the flag that it was about, where the caller knew more of it than the id in the path. */
  readonly flag?: string;
}

/** Thrown by every operation of the client. No member of it ever holds the key. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly failure: Failure;
  readonly operation: string;
  readonly method: string;
  readonly path: string;
  readonly attempts: number;
  readonly mayHaveHappened: boolean;
  readonly flag: string | undefined;

  constructor(facts: ServiceErrorFacts) {
    super(
      `${facts.operation} failed: ${describeFailure(facts.failure)}`,
      facts.cause === undefined ? undefined : { cause: facts.cause },
    );
    this.failure = facts.failure;
    this.operation = facts.operation;
    this.method = facts.method;
    this.path = facts.path;
    this.attempts = facts.attempts;
    this.mayHaveHappened = facts.mayHaveHappened;
    this.flag = facts.flag;
  }

  /** What the service or the network said, without the operation, the status and the code. */
  get said(): string {
    return reasonOf(this.failure);
  }

  /** The same failure, with the key of the flag that it was about. */
  about(flag: string): ServiceError {
    const { failure, operation, method, path, attempts, mayHaveHappened, cause } = this;
    const facts = { failure, operation, method, path, attempts, mayHaveHappened, flag };
    return new ServiceError(cause instanceof Error ? { ...facts, cause } : facts);
  }
}

/** A few words for logs and library users; commands make their own from the facts. */
function describeFailure(failure: Failure): string {
  switch (failure.kind) {
    case 'unauthorized':
      return words('401 unauthorized', failure.detail);
    case 'forbidden':
      return words('403 forbidden', failure.detail);
    case 'not_found':
      return words('404 not found', failure.detail);
    case 'validation':
      return words(`${failure.status} ${[failure.code, failure.attr].filter(Boolean).join(' at ')}`, failure.detail);
    case 'conflict':
      return words(`409 ${failure.code ?? 'conflict'}`, failure.detail);
    case 'rate_limited':
      return words('429 rate limited', failure.detail);
    case 'server':
      return words(`the service answered ${failure.status}`, failure.detail);
    case 'unexpected_status':
      return words(`unexpected status ${failure.status}`, failure.detail);
    case 'invalid_answer':
      return words(`invalid answer (${failure.why})`, describeShape(failure.at, failure.expected));
    case 'network':
      return `network error ${failure.code}`;
    case 'timeout':
      return `no complete answer within ${failure.timeoutMs} ms`;
    case 'too_large':
      return `the answer is larger than ${failure.limitBytes} bytes`;
    case 'redirected':
      return words(`redirected with ${failure.status}`, failure.location);
    case 'aborted':
      return failure.code === 'deadline' ? 'the deadline has passed' : 'interrupted';
  }
}

function reasonOf(failure: Failure): string {
  switch (failure.kind) {
    case 'network':
      return 'the connection failed';
    case 'aborted':
      return failure.code === 'deadline' ? 'the deadline has passed' : 'it was broken off';
    case 'invalid_answer':
    case 'timeout':
    case 'too_large':
    case 'redirected':
      return describeFailure(failure);
    case 'unauthorized':
    case 'forbidden':
    case 'not_found':
    case 'validation':
    case 'conflict':
    case 'rate_limited':
    case 'server':
    case 'unexpected_status':
      return failure.detail === null || failure.detail === '' ? 'no reason was given' : failure.detail;
  }
}

function words(head: string, detail: string | null | undefined): string {
  return detail === null || detail === undefined || detail === '' ? head.trim() : `${head.trim()}: ${detail}`;
}

function describeShape(at: string | undefined, expected: string | undefined): string | undefined {
  if (expected === undefined) return undefined;
  return at === undefined ? expected : `expected ${expected} at '${at}'`;
}
