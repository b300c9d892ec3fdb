/** The events of a working client, for progress and `-v`: facts, never the key or a body. */

import type { Failure } from './failure.ts';

export type ServiceEvent =
  | {
      readonly kind: 'request';
      readonly operation: string;
      readonly method: string;
      /** Path and query. */
      readonly path: string;
    }
  | {
      readonly kind: 'response';
      readonly operation: string;
      readonly method: string;
      readonly path: string;
      /** Absent when no answer arrived. */
      readonly status?: number;
      /** Bytes of the body. */
      readonly bytes: number;
      /** The time from sending to the end of the body. */
      readonly ms: number;
      /** The part of `ms` in which this process waited: an answer that arrives while it computes is not slow. */
      readonly waitedMs: number;
      /** The time of the service in milliseconds since 1970, cut to seconds, where it says it. */
      readonly serviceTime?: number;
    }
  /** One call is repeated after `waitMs`. */
  | {
      readonly kind: 'retry';
      readonly operation: string;
      readonly failure: Failure['kind'];
      readonly why: Failure;
      /** The number of the next attempt, counted from 1. */
      readonly attempt: number;
      /** The most attempts. */
      readonly attempts: number;
      readonly waitMs: number;
    }
  /** The service limits the rate (429): every call waits for `waitMs`. */
  | { readonly kind: 'pause'; readonly operation: string; readonly waitMs: number }
  /** So many requests of one operation follow, and the request budget lets the last one through in `waitMs`. */
  | { readonly kind: 'ahead'; readonly operation: string; readonly requests: number; readonly waitMs: number }
  /** The request budget is spent: a request is sent in `waitMs`. */
  | { readonly kind: 'budget'; readonly operation: string; readonly waitMs: number };

export type Emit = (event: ServiceEvent) => void;
