/**
 * One behaviour of the service over HTTP: requests and each profile's answers, as data, so that it can be run against
 * any host.
 */

import type { JsonObject, JsonValue } from '../../../src/base/json.ts';
import type { Profile } from '../../src/index.ts';

export interface Behaviour {
  readonly name: string;
  /** The only profile with this behaviour; absent: both. */
  readonly only?: Profile;
  /** Whether it can run against a real project: it needs no seed and removes what it creates. */
  readonly real?: true;
  readonly steps: readonly Step[];
}

/** A behaviour of today's service only. */
export function today(name: string, steps: Behaviour['steps']): Behaviour {
  return { name, only: 'posthog', steps };
}

export interface Step {
  /**
   * `GET /feature_flags/`: relative to the project, unless it begins with two slashes. `{name}` is a value kept by an
   * earlier step.
   */
  readonly ask: string;
  readonly body?: JsonValue;
  readonly headers?: Readonly<Record<string, string>>;
  /** Replaces `body`, as sent over the wire. */
  readonly raw?: string;
  readonly expect: Expectation | Readonly<Record<Profile, Expectation>>;
  /** Values of the answer to keep: JSON pointers by name. */
  readonly keep?: Readonly<Record<string, string>>;
}

export interface Expectation {
  readonly status: number;
  /** Members that the body must have; lists must have the same length. */
  readonly body?: JsonValue;
  /** The names of all members of an object of the body, by the pointer to it. */
  readonly members?: Readonly<Record<string, readonly string[]>>;
  /** The text of a body that is not JSON; `''` for none. */
  readonly text?: string;
  /** Null: the header is absent. */
  readonly headers?: Readonly<Record<string, string | null>>;
}

/** The envelope of a refusal. */
export function refusal(status: number, code: string, attr?: string | null): Expectation {
  const type =
    status === 400
      ? code === 'parse_error'
        ? 'invalid_request'
        : 'validation_error'
      : status === 401 || status === 403
        ? 'authentication_error'
        : status === 429
          ? 'throttled_error'
          : status >= 500 || status === 409
            ? 'server_error'
            : 'invalid_request';
  const body: JsonObject = { type, code, ...(attr !== undefined && { attr }) };
  return { status, body };
}

export function ok(body?: JsonValue): Expectation {
  return { status: 200, ...(body !== undefined && { body }) };
}

/** Persons of the seed by distinct id, as a page lists them. */
export function people(...distinctIds: readonly string[]): JsonObject {
  return { results: distinctIds.map((id) => ({ distinct_ids: [id] })) };
}
