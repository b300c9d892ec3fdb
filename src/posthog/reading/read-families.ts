/** Reads the resources of further families, if a run needs them, and traces declared ones that are not found. */

import { pages, type RequestRound } from '../../engine/forecast.ts';
import type { ResourceId } from '../../engine/snapshot.ts';
import type { Trace } from '../../engine/trace.ts';
import { FURTHER_FAMILIES, type OwnFamily } from '../families.ts';
import type { FamilyName, FamilyTypes, FurtherFamily } from '../kind-types.ts';
import type { LiveState } from '../live.ts';
import type { SelectedResources, LiveSelection } from '../live-selection.ts';
import type { ServiceClient } from '../service-client.ts';
import type { FindRecorded } from '../flag/find-traces.ts';

/** The resources of each selected family, and the traces of declared ones that are not found. */
export type ReadFamilies = Pick<LiveState, FurtherFamily | 'traces'>;

export async function readFamilies(
  client: ServiceClient,
  selection: LiveSelection,
  findRecorded?: FindRecorded,
): Promise<ReadFamilies> {
  const parts = await Promise.all(
    FURTHER_FAMILIES.flatMap((family) => {
      const ofFamily: SelectedOfFamily | undefined = selection[family.section];
      return ofFamily === undefined ? [] : [readFamily(client, family, { ...ofFamily, findRecorded })];
    }),
  );
  const traced = parts.filter(({ traces }) => traces.length > 0);
  return {
    ...Object.fromEntries(parts.map(({ section, live }) => [section, live])),
    ...(traced.length === 0
      ? {}
      : { traces: Object.fromEntries(traced.map(({ section, traces }) => [section, traces])) }),
  };
}

type SelectedOfFamily = SelectedResources<FamilyTypes[FurtherFamily]['desired']>;

interface ReadFamily {
  readonly section: FamilyName;
  readonly live: readonly unknown[];
  readonly traces: readonly Trace[];
}

/** Reads every listed resource, those with selected ids that the list leaves out, and those that a trace leads to. */
async function readFamily(
  client: ServiceClient,
  family: OwnFamily,
  { ids = [], declared = [], findRecorded }: SelectedOfFamily & { readonly findRecorded: FindRecorded | undefined },
): Promise<ReadFamily> {
  const listed = await family.list(client);
  const known = new Set<ResourceId>(listed.map(({ id }) => id));
  const unlisted = [...new Set(ids)].filter((id) => !known.has(id));
  const found = await Promise.all(unlisted.map((id) => family.find(client, id)));
  const read = [...listed, ...found.filter((one) => one !== undefined)];
  const traced = await family.trace(client, family.findMissing(declared, read), { listed: read, findRecorded });
  return { section: family.section, live: [...read, ...traced.found], traces: traced.traces };
}

/** Predicts the rounds of requests of `readFamilies`, assuming one page for each family and no deleted resource among the selected. */
export function predictFamilies(selection: LiveSelection): readonly RequestRound[] {
  return FURTHER_FAMILIES.map(({ section }) => pages(selection[section] === undefined ? 0 : 1));
}
