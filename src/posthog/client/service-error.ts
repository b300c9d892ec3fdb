/** The error that every operation of the client throws. */

import { reasonFor, summarize, type Callee } from './failure-table.ts';
import type { Failure } from './failure.ts';

/** The failure, and the call that failed. */
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
  readonly #facts: ServiceErrorFacts;

  constructor(facts: ServiceErrorFacts) {
    super(
      `${facts.operation} failed: ${summarize(facts.failure)}`,
      facts.cause === undefined ? undefined : { cause: facts.cause },
    );
    this.#facts = facts;
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
    return new ServiceError({ ...this.#facts, flag });
  }
}

export function isNotFound(error: unknown): boolean {
  return error instanceof ServiceError && error.failure.kind === 'not_found';
}

/** What a call reads; `undefined` where the service has none. */
export async function unlessNotFound<Read>(call: Promise<Read>): Promise<Read | undefined> {
  try {
    return await call;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
