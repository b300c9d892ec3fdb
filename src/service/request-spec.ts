/** A call to the service as an operation describes it. */

import type { JsonObject, JsonValue } from '../base/json.ts';
import type { Repeat } from './retry.ts';

export interface RequestSpec<T> {
  /** The client's method, for errors and events. */
  readonly operation: string;
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Path on the host. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly body?: JsonObject;
  readonly repeat: Repeat;
  /** Makes the result from the body, which is `undefined` when it is empty; throws `UnexpectedShape`. */
  readonly read: (body: JsonValue | undefined) => T;
  /** The body of a success is not looked at. */
  readonly ignoresBody?: boolean;
}

/** Sends one call. Rejects with `ServiceError` only. */
export type Send = <T>(spec: RequestSpec<T>) => Promise<T>;

/** What the operations of one project share. */
export interface Operations {
  readonly send: Send;
  /** `/api/projects/5678`, after the path of the host where it has one. */
  readonly projectPath: string;
  /** Pages of one listing that are read at the same time. */
  readonly concurrency: number;
}
