/** Finds what became of cohorts that have none of their names. */

import type { JsonObject } from '../../base/json.ts';
import type { ResourceId } from '../../engine/snapshot.ts';
import type { Cohort } from './cohort.ts';
import type { Sought, ToTrace, Traced } from '../family.ts';
import { holdersIn, type LoggedHolder } from '../flag/traces.ts';
import { nameResource } from '../resource-name.ts';
import type { ServiceClient } from '../client/client.ts';
import { findCohort } from './create.ts';
import { findFormerHolders } from '../client/find-traces.ts';

const ENTRIES_PER_PAGE = 100;

export async function traceCohorts(
  client: ServiceClient,
  missing: readonly Sought[],
  { listed, findRecorded }: ToTrace<Cohort>,
): Promise<Traced<Cohort>> {
  const names = new Map(missing.map((cohort) => [cohort.key, cohort.names ?? []]));
  const aliases = [...names.keys()];
  const recordedName = (alias: string): string => nameResource('cohort', alias);
  const ids = aliases.length === 0 ? undefined : await findRecorded?.(aliases.map(recordedName));
  return findFormerHolders(aliases, {
    listed,
    recorded: new Map(aliases.flatMap((alias) => toEntry(alias, ids?.get(recordedName(alias))))),
    find: (id) => findCohort(client, Number(id)),
    readPage: (page) => client.projectCohortActivity({ limit: ENTRIES_PER_PAGE, page }),
    holdersIn: (entries: readonly JsonObject[], alias: string): readonly LoggedHolder[] =>
      (names.get(alias) ?? []).flatMap((name) => holdersIn(entries, name, 'name')),
  });
}

function toEntry(alias: string, id: ResourceId | undefined): [string, ResourceId][] {
  return id === undefined ? [] : [[alias, id]];
}
