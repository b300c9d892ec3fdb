/** A flag by what people call it. */

import { FlagwrightError } from '../../base/errors.ts';
import type { ServiceClient } from '../../posthog/client/client.ts';
import type { Flag } from '../../posthog/flag/flag.ts';

/** By key, or by id where the text is digits only. One request by id; by key as many pages as it takes to find it. */
export async function findFlag(client: ServiceClient, flag: string): Promise<Flag> {
  if (isId(flag)) return client.getFlag(Number(flag));
  // Services since 2026 hide archived flags from the list (docs/service.md, "Flag list").
  for (const query of [{ key: flag }, { key: flag, archived: true }]) {
    for await (const candidate of client.pageFlags(query)) if (candidate.key === flag) return candidate;
  }
  throw new FlagwrightError('service_refused', `The project lists no flag with the key ${flag}.`, {
    remedy: 'flagwright flags list shows the keys; a soft-deleted flag is found by its id only.',
  });
}

export async function flagId(client: ServiceClient, flag: string): Promise<number> {
  return isId(flag) ? Number(flag) : (await findFlag(client, flag)).id;
}

function isId(flag: string): boolean {
  return /^\d{1,15}$/.test(flag);
}
