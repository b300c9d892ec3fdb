/** A request as it arrived, what answering it needs, and its record after the answer. */

import type { Call, ServiceContext } from '../handler/call.ts';
import type { ServiceClock } from '../handler/clock.ts';

/** A request as it arrived, read whole. */
export interface ServiceRequest {
  readonly method: string;
  /** Path and query as on the request line. */
  readonly target: string;
  /** `http://host`, as the caller addressed the service. */
  readonly origin: string;
  readonly authorization: string | undefined;
  readonly contentType: string | undefined;
  readonly contentEncoding?: string | undefined;
  readonly ifNoneMatch?: string | undefined;
  /** The header `X-PostHog-Client`. */
  readonly client?: string | undefined;
  /** The header `X-API-Key`. */
  readonly apiKey?: string | undefined;
  readonly body: Buffer;
}

/** One answered request; status 0 is one that a fault left without an answer. `error` is what was thrown where it is a 500. */
export interface RequestRecord {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly durationMs: number;
  readonly error?: unknown;
}

/** Resolves after `ms` milliseconds; the request is the one whose answer waits. */
export type Sleep = (ms: number, request: Pick<RequestRecord, 'method' | 'path'>) => Promise<void>;

export interface AnsweringOptions {
  readonly context: ServiceContext;
  readonly apiKeys: readonly string[] | undefined;
  /** Throws a 429 when the rate limit is exceeded. */
  readonly checkRate: () => void;
  /** Present if requests may move it. */
  readonly clock?: ServiceClock;
}

/** The target of a request, split. */
export interface RequestTarget extends Pick<Call, 'query' | 'url'> {
  readonly path: string;
}
