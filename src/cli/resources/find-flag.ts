/** Finds a flag by its key or its id. */

import { FlagwrightError } from '../../base/errors.ts';
import type { ServiceClient } from '../../posthog/service-client.ts';
import type { Flag } from '../../posthog/flag/model/flag.ts';

/** Looks up a string of digits by id: one request. Other strings are keys: as many pages as it takes. */
export async function findFlag(client: ServiceClient, flag: string): Promise<Flag> {
  if (isId(flag)) return client.getFlag(Number(flag));
  // Services since 2026 hide archived flags from the list (docs/service.md, "Flag list").
  for (const query of [{ key: flag }, { key: flag, archived: true }]) {
    for await (const candidate of client.pageFlags(query)) if (candidate.key === flag) return candidate;
  }
  throw new FlagwrightError('service_refused', `The project lists no flag with the key ${flag}.`, {
    remedy: 'flagwright flags list shows the keys. A soft-deleted flag can only be found by its id.',
  });
}

/** The flag, or its id alone where that is what the user named: no request. */
export async function findFlagOrId(client: ServiceClient, flag: string): Promise<Flag | Pick<Flag, 'id'>> {
  return isId(flag) ? { id: Number(flag) } : findFlag(client, flag);
}

export async function flagId(client: ServiceClient, flag: string): Promise<number> {
  return isId(flag) ? Number(flag) : (await findFlag(client, flag)).id;
}

function isId(flag: string): boolean {
  return /^\d{1,15}$/.test(flag);
}
