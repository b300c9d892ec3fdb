/** Live cohorts as one value, and the aliases by which manifests and plans name them. */

import type { LiveResource } from '../../engine/snapshot.ts';
import type { NamedIds } from '../family.ts';
import { snapshotFlags } from '../flag/snapshot.ts';
import type { ProjectSnapshot } from '../snapshot.ts';
import type { Cohort } from './cohort.ts';

/** A live cohort under the alias of the declaration that it is matched with. */
export interface LiveCohort extends LiveResource {
  readonly id: number;
  readonly cohort: Cohort;
}

export interface CohortSnapshot {
  /** The cohorts that were read, also deleted ones. */
  readonly all: readonly Cohort[];
  readonly byId: (id: number) => Cohort | undefined;
  readonly idOf: (alias: string) => number | undefined;
  readonly aliasOf: (id: number) => string | undefined;
}

export function snapshotCohorts(
  all: readonly Cohort[],
  aliases: ReadonlyMap<string, number> = new Map(),
): CohortSnapshot {
  const byId = new Map(all.map((cohort) => [cohort.id, cohort]));
  const aliasById = new Map([...aliases].map(([alias, id]) => [id, alias]));
  return {
    all,
    byId: (id) => byId.get(id),
    idOf: (alias) => aliases.get(alias),
    aliasOf: (id) => aliasById.get(id),
  };
}

/** The same live state, in which cohorts have aliases, with their ids. Conditions of flags name them so, too. */
export function nameCohorts(snapshot: ProjectSnapshot, aliases: NamedIds): ProjectSnapshot {
  if (aliases.length === 0) return snapshot;
  const { flags, cohorts, ...others } = snapshot;
  const named = snapshotCohorts(cohorts.all, new Map(aliases.map(([alias, id]) => [alias, Number(id)])));
  return { flags: snapshotFlags({ ...flags, cohortIdOf: named.idOf }), cohorts: named, ...others };
}
