/** The operation that reads the definitions of flags with which SDKs evaluate locally. */

import type { JsonObject } from '../../../base/json.ts';
import type { Operations } from '../request-spec.ts';
import { readObject } from '../shape.ts';

export interface DefinitionsOperations {
  /** `token`: the public one of the project. Throws `not_found` if a service has no such path. */
  getDefinitions(token: string): Promise<JsonObject>;
}

export function definitionsOperations({ send, apiPath }: Operations): DefinitionsOperations {
  return {
    getDefinitions: (token) =>
      send({
        operation: 'getDefinitions',
        method: 'GET',
        path: `${apiPath.slice(0, -'/api'.length)}/flags/definitions`,
        query: { token },
        repeat: 'freely',
        read: (body) => readObject(body),
      }),
  };
}
