/** Reads the cohorts of a project, where a run needs them, and what became of declared ones that are not found. */

import type { JsonObject } from '../../base/json.ts';
import { pages, type Round } from '../../engine/forecast.ts';
import type { Trace } from '../../engine/trace.ts';
import { nameOfCohort } from '../cohort/changes.ts';
import type { Cohort } from '../cohort/cohort.ts';
import { createFinder } from '../cohort/match.ts';
import { holdersIn, type LoggedHolder } from '../flag/traces.ts';
import type { SoughtCohort } from '../retired.ts';
import type { WantedState } from '../wanted.ts';
import type { ServiceClient } from './client.ts';
import { findCohort } from './find-cohort.ts';
import { findFormerHolders, type FindRecorded } from './find-traces.ts';

export interface ReadCohorts {
  /** `undefined` where none was wanted. */
  readonly cohorts?: readonly Cohort[];
  /** Absent where every declared cohort is found. */
  readonly traces?: readonly Trace[];
}

/** Every listed cohort, those with wanted ids that the list leaves out, and those to which a trace leads. */
export async function readCohorts(
  client: ServiceClient,
  { cohorts, cohortIds = [], declaredCohorts = [] }: WantedState,
  findRecorded?: FindRecorded,
): Promise<ReadCohorts> {
  if (cohorts !== true) return {};
  const listed = await client.listCohorts();
  const known = new Set(listed.map(({ id }) => id));
  const unlisted = [...new Set(cohortIds)].filter((id) => !known.has(id));
  const found = await Promise.all(unlisted.map((id) => findCohort(client, id)));
  const read = [...listed, ...found.filter((cohort) => cohort !== undefined)];
  const find = createFinder(read);
  // Those that are declared without an id, and of which no live cohort has a name.
  const missing = declaredCohorts.filter(
    (one) => one.kind === 'declared' && one.id === undefined && find(one).length === 0,
  );
  const traced = await traceCohorts(client, missing, { listed: read, ...(findRecorded && { findRecorded }) });
  return {
    cohorts: [...read, ...traced.found],
    ...(traced.traces.length === 0 ? {} : { traces: traced.traces }),
  };
}

const ENTRIES_PER_PAGE = 100;

/** What became of cohorts that have none of their names. */
export async function traceCohorts(
  client: ServiceClient,
  missing: readonly SoughtCohort[],
  { listed, findRecorded }: { readonly listed: readonly Cohort[]; readonly findRecorded?: FindRecorded },
): ReturnType<typeof findFormerHolders<Cohort>> {
  const names = new Map(missing.map((cohort) => [cohort.key, cohort.names]));
  const aliases = [...names.keys()];
  const ids = aliases.length === 0 ? undefined : await findRecorded?.(aliases.map(nameOfCohort));
  return findFormerHolders(aliases, {
    listed,
    recorded: new Map(aliases.flatMap((alias) => toEntry(alias, ids?.get(nameOfCohort(alias))))),
    find: (id) => findCohort(client, id),
    readPage: (page) => client.projectCohortActivity({ limit: ENTRIES_PER_PAGE, page }),
    holdersIn: (entries: readonly JsonObject[], alias: string): readonly LoggedHolder[] =>
      (names.get(alias) ?? []).flatMap((name) => holdersIn(entries, name, 'name')),
  });
}

function toEntry(alias: string, id: number | undefined): [string, number][] {
  return id === undefined ? [] : [[alias, id]];
}

/** The requests of `readCohorts` in rounds, where one page lists all cohorts and no wanted one is deleted. */
export function predictCohorts({ cohorts }: WantedState): readonly Round[] {
  return [pages(cohorts === true ? 1 : 0)];
}
