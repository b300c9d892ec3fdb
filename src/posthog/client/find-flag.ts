/** One flag by id, where its absence is no error. */

import type { Flag } from '../flag/flag.ts';
import type { ServiceClient } from './client.ts';
import { ServiceError } from './errors.ts';

/** The flag, even when it is soft-deleted; `undefined` once a create with the same key has destroyed it. */
export async function findFlag(client: ServiceClient, id: number): Promise<Flag | undefined> {
  try {
    return await client.getFlag(id);
  } catch (error) {
    if (error instanceof ServiceError && error.failure.kind === 'not_found') return undefined;
    throw error;
  }
}
