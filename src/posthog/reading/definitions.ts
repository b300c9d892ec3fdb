/** Reads the definitions for SDKs, and from them how a project compares values with true and false, which only they tell. */

import type { LocalEvaluation } from '../client/operations/flag-insight.ts';
import { ServiceError } from '../client/service-error.ts';
import type { ServiceClient } from '../service-client.ts';

type DefinitionsClient = Pick<ServiceClient, 'getProject' | 'getDefinitions'>;

/** Services before 2026 have them below the project, and answer today's path with 404 or with a login page. */
export async function readDefinitions(
  client: DefinitionsClient & Pick<ServiceClient, 'localEvaluation'>,
): Promise<LocalEvaluation> {
  const token = await readToken(client);
  try {
    if (token !== undefined) return await client.getDefinitions(token);
  } catch (error) {
    if (!(error instanceof ServiceError && ['not_found', 'redirected'].includes(error.failure.kind))) throw error;
  }
  return client.localEvaluation();
}

/** `undefined` where the key or the service does not tell. SDKs take an absent version for the older one. */
export async function readMatchingVersion(client: DefinitionsClient): Promise<1 | 2 | undefined> {
  try {
    const token = await readToken(client);
    if (token === undefined) return undefined;
    return (await client.getDefinitions(token))['property_matching_version'] === 2 ? 2 : 1;
  } catch (error) {
    if (error instanceof ServiceError && error.failure.kind !== 'aborted') return undefined;
    throw error;
  }
}

async function readToken(client: DefinitionsClient): Promise<string | undefined> {
  const { api_token: token } = await client.getProject();
  return typeof token === 'string' && token !== '' ? token : undefined;
}
