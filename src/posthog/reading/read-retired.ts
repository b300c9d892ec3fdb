/** Reads what became of resources that manifests delete, where the base declared them and none is live under the name. */

import { FAMILIES } from '../families.ts';
import type { LiveState } from '../live.ts';
import { areNoneMissing, type MissingRetired, withTraced } from '../planning/base.ts';
import type { ServiceClient } from '../service-client.ts';
import type { FindRecorded } from '../flag/find-traces.ts';

/**
 * The same live state with their traces. Costs what a declared flag costs that is not listed; nothing where none is missing.
 * @throws {ServiceError} when a resource of a trace cannot be read.
 */
export async function readRetired(
  client: ServiceClient,
  live: LiveState,
  { missing, findRecorded }: { readonly missing: MissingRetired; readonly findRecorded?: FindRecorded },
): Promise<LiveState> {
  if (areNoneMissing(missing)) return live;
  const traced = await Promise.all(
    FAMILIES.map(async (family) => ({
      section: family.section,
      ...(await family.trace(client, missing[family.section], { listed: live[family.section] ?? [], findRecorded })),
    })),
  );
  return traced.reduce(withTraced, live);
}
