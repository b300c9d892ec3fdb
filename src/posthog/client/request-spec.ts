/** A call to the service as an operation describes it. */

import type { JsonObject } from '../../base/json.ts';
import type { ReadAnswer } from './answer.ts';
import type { Repeat } from './retry.ts';

export interface RequestSpec<T> extends Call {
  readonly read: ReadAnswer<T>;
}

/** A call whose answer is not JSON and is handed on as it comes. */
export interface DownloadSpec extends Call {
  /** Media type, as in `Accept`; an answer of a type known to be another is not believed. */
  readonly accept: string;
}

interface Call {
  /** The client's method, for errors and events. */
  readonly operation: string;
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Path on the host. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly body?: JsonObject;
  readonly repeat: Repeat;
}

/** Sends one call. Rejects with `ServiceError` only. */
export type Send = <T>(spec: RequestSpec<T>) => Promise<T>;

/**
 * Sends one call when the first bytes are asked for, and reads no faster than they are used. Fails with `ServiceError`
 * only; once bytes came, nothing is repeated.
 */
export type Download = (spec: DownloadSpec) => AsyncIterable<Uint8Array>;

/** What the operations of one project share. */
export interface Operations {
  readonly send: Send;
  readonly download: Download;
  /** `/api/projects/5678`, after the path of the host where it has one. */
  readonly projectPath: string;
  /** Pages of one listing that are read at the same time. */
  readonly concurrency: number;
}
