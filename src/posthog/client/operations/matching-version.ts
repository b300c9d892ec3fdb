/** The operation that finds how a project compares values with true and false: only the definitions for SDKs say it. */

import type { JsonValue } from '../../../base/json.ts';
import type { Operations } from '../request-spec.ts';
import { filled, readObject } from '../shape.ts';
import { ServiceError } from '../service-error.ts';

export interface MatchingVersionOperations {
  /** `undefined` where the key or the service does not tell. */
  getMatchingVersion(): Promise<1 | 2 | undefined>;
}

export function matchingVersionOperations({ send, projectPath, apiPath }: Operations): MatchingVersionOperations {
  const readToken = async (): Promise<string | undefined> =>
    send({
      operation: 'getMatchingVersion',
      method: 'GET',
      path: `${projectPath}/`,
      repeat: 'freely',
      read: (body) => filled(readObject(body)['api_token']),
    });
  return {
    getMatchingVersion: async () => {
      try {
        const token = await readToken();
        if (token === undefined) return undefined;
        return await send({
          operation: 'getMatchingVersion',
          method: 'GET',
          path: `${apiPath.slice(0, -'/api'.length)}/flags/definitions`,
          query: { token },
          repeat: 'freely',
          read: readVersion,
        });
      } catch (error) {
        if (error instanceof ServiceError) return undefined;
        throw error;
      }
    },
  };
}

/** SDKs take an absent version for the older one. */
function readVersion(body: JsonValue | undefined): 1 | 2 {
  return readObject(body)['property_matching_version'] === 2 ? 2 : 1;
}
