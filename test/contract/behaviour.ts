/** One behaviour of the service over HTTP: what is asked, and what each profile answers. Data, so that any host can be asked. */

import type { JsonObject, JsonValue } from '../../src/base/json.ts';
import type { Profile } from '../../src/embedded/handler/profile.ts';

export interface Behaviour {
  readonly name: string;
  /** The only profile that it is about; absent: both. */
  readonly only?: Profile;
  /** Whether a real project may be asked too: needs no seed, and leaves nothing that is not removed. */
  readonly real?: true;
  readonly steps: readonly Step[];
}

export interface Step {
  /** `GET /feature_flags/`: below the project, unless it begins with two slashes. `{name}` is what an earlier step kept. */
  readonly ask: string;
  readonly body?: JsonValue;
  readonly headers?: Readonly<Record<string, string>>;
  /** In place of `body`, as it goes over the wire. */
  readonly raw?: string;
  readonly expect: Expectation | Readonly<Record<Profile, Expectation>>;
  /** Names for values of the answer: pointer into the body by name. */
  readonly keep?: Readonly<Record<string, string>>;
}

export interface Expectation {
  readonly status: number;
  /** What the body has at least; a list as long as it is. */
  readonly body?: JsonValue;
  /** The text of a body that is no JSON; `''` for none. */
  readonly text?: string;
  /** Null: the header is not there. */
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
          : status >= 500
            ? 'server_error'
            : 'invalid_request';
  const body: JsonObject = { type, code, ...(attr !== undefined && { attr }) };
  return { status, body };
}

export function ok(body?: JsonValue): Expectation {
  return { status: 200, ...(body !== undefined && { body }) };
}

/** Persons of the seed by their distinct ids, as a page lists them. */
export function people(...distinctIds: readonly string[]): JsonObject {
  return { results: distinctIds.map((id) => ({ distinct_ids: [id] })) };
}
