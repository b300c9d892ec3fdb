/** The operation on the API key itself: what it may do, and where. */

import { arrayOrEmpty, type JsonValue } from '../../../base/json.ts';
import { defined } from '../../../base/optional.ts';
import type { Operations } from '../request-spec.ts';
import { filled, readArray, readObject } from '../shape.ts';

export interface CurrentKey {
  /** The name that its owner gave it. */
  readonly label?: string;
  /** `feature_flag:read`; `*` for all. */
  readonly scopes: readonly string[];
  /** Ids of projects, as strings; empty for all. */
  readonly projects: readonly string[];
  /** Ids of organizations; empty for all. */
  readonly organizations: readonly string[];
  /** ISO 8601, where the service gives keys an end. */
  readonly expiresAt?: string;
}

export interface CurrentKeyOperations {
  /**
   * Reads the service's description of the API key, which needs no scope. Throws `not_found` if a service has no such path, and
   * `unauthorized` if the key is wrong or revoked.
   */
  getCurrentKey(): Promise<CurrentKey>;
}

export function currentKeyOperations({ send, apiPath }: Operations): CurrentKeyOperations {
  return {
    getCurrentKey: () =>
      send({
        operation: 'getCurrentKey',
        method: 'GET',
        path: `${apiPath}/personal_api_keys/@current/`,
        repeat: 'freely',
        read: readKey,
      }),
  };
}

function readKey(body: JsonValue | undefined): CurrentKey {
  const key = readObject(body);
  const { label, expires_at: expiresAt } = key;
  return {
    // An answer without scopes must not pass for a key without limits, nor for one that may do nothing.
    scopes: readArray(key['scopes'], ['scopes']).map(String),
    projects: arrayOrEmpty(key['scoped_teams']).map(String),
    organizations: arrayOrEmpty(key['scoped_organizations']).map(String),
    ...defined({ label: filled(label), expiresAt: filled(expiresAt) }),
  };
}
