/** A call to the service as an operation describes it. */

import type { JsonObject } from '../../base/json.ts';
import type { ReadAnswer } from './answer.ts';
import type { Callee } from './failure-table.ts';

export interface RequestSpec<T> extends OperationCall {
  readonly read: ReadAnswer<T>;
}

/** A call whose answer is not JSON and is streamed. */
export interface DownloadSpec extends OperationCall {
  /** Media type, as in `Accept`; an answer of a known other type is refused. */
  readonly accept: string;
}

interface OperationCall {
  /** The client's method, for errors and events. */
  readonly operation: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path on the host. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly body?: JsonObject;
  readonly repeat: Repeat;
}

/**
 * When a request may be sent again.
 * - `freely`: it changes nothing.
 * - `unless_sent`: it writes; only when the service certainly did not execute it.
 * - `until_gone`: it removes; a second removal finds nothing and does no harm.
 */
export type Repeat = 'freely' | 'unless_sent' | 'until_gone';

/** Sends one call. Rejects only with `ServiceError`. */
export type Send = <T>(spec: RequestSpec<T>) => Promise<T>;

/**
 * Sends one call when the first bytes are requested, and reads no faster than they are used. Fails only with
 * `ServiceError`; after the first bytes the call is not repeated.
 */
export type Download = (spec: DownloadSpec) => AsyncIterable<Uint8Array>;

/** The name of the client in every request, by which the activity log identifies writes of flagwright. */
export const CLIENT_NAME = 'flagwright';

/** The parts that the operations of one project share. */
export interface Operations {
  readonly send: Send;
  readonly download: Download;
  /** `/api/projects/5678`, after the path of the host if it has one. */
  readonly projectPath: string;
  /** `/api`: for paths that belong to no project. */
  readonly apiPath: string;
  /** The path of an organization, by its id. */
  readonly organizationPath: (id: string) => string;
  /** Used in errors. */
  readonly callee: Callee;
  /** Pages of one listing that are read concurrently. */
  readonly concurrency: number;
}

/** The function that describes the request of each operation; an operation returns what its request reads. */
export type Specs<Operations> = {
  readonly [Name in keyof Operations]: Operations[Name] extends (...args: infer Args) => Promise<infer Result>
    ? (...args: Args) => RequestSpec<Result>
    : never;
};

/** The operations that send what the specs describe: one description of a call serves both its JSON and its CSV answer. */
export function sendEach<Operations>(specs: Specs<Operations>, send: Send): Operations {
  return mapSpecs(specs, send) as Operations;
}

/** The same functions with another result. The caller states its type. */
export function mapSpecs<Operations>(
  specs: Specs<Operations>,
  finish: (spec: RequestSpec<unknown>) => unknown,
): unknown {
  const makers = Object.entries<(...args: never[]) => RequestSpec<unknown>>(specs);
  return Object.fromEntries(makers.map(([name, make]) => [name, (...args: never[]) => finish(make(...args))]));
}
