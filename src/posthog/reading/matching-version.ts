/** Reads how a project compares values with true and false, which only the definitions for SDKs tell. */

import { ServiceError } from '../client/service-error.ts';
import type { ServiceClient } from '../service-client.ts';

/** `undefined` where the key or the service does not tell. SDKs take an absent version for the older one. */
export async function readMatchingVersion(
  client: Pick<ServiceClient, 'getProject' | 'getDefinitions'>,
): Promise<1 | 2 | undefined> {
  try {
    const { api_token: token } = await client.getProject();
    if (typeof token !== 'string' || token === '') return undefined;
    return (await client.getDefinitions(token))['property_matching_version'] === 2 ? 2 : 1;
  } catch (error) {
    if (error instanceof ServiceError && error.failure.kind !== 'aborted') return undefined;
    throw error;
  }
}
