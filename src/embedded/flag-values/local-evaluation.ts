/** `local_evaluation`: the flag definitions for local evaluation, in each profile's form. */

import { reach } from '../../base/graph.ts';
import type { JsonObject } from '../../base/json.ts';
import { allProperties } from '../filters/conditions.ts';
import { cohortIds, listLeaves } from '../filters/cohort-tree.ts';
import type { Answer, Call, ServiceContext } from '../handler/call.ts';
import type { StoredCohort } from '../store/cohorts.ts';
import type { StoredFlag } from '../store/flag.ts';
import { definitions } from './definitions.ts';
import { withoutCohort } from './expand-cohort.ts';
import { projectFlags } from '../evaluation/flags.ts';
import { oldMinimalFlag } from './minimal-flag.ts';

/** Includes inactive flags, not deleted ones; has no pages. */
export function localEvaluation(service: ServiceContext, call: Call): Answer {
  return { status: 200, body: localDefinitions(service, call) };
}

/** The same object until something changes. The mere presence of `send_cohorts` counts, whatever its value. */
export function localDefinitions(service: ServiceContext, { projectId, query }: Call): JsonObject {
  const { store, rules } = service;
  if (rules.evaluatedFlags === 'minimal') return definitions(service, projectId);
  const hasCohorts = query.has('send_cohorts');
  return store.remember(`old definitions of ${projectId}, ${hasCohorts ? 'with' : 'without'} cohorts`, () =>
    hasCohorts ? oldDefinitionsWithCohorts(service, projectId) : oldDefinitions(service, projectId),
  );
}

/** For SDKs that know no cohorts. */
function oldDefinitions(service: ServiceContext, projectId: string): JsonObject {
  const cohorts = findCohorts(service, projectId);
  const flags = projectFlags(service, projectId).map((flag) => ({ ...flag, filters: withoutCohort(flag, cohorts) }));
  return { flags: flags.map(oldMinimalFlag), group_type_mapping: service.store.groups.types(projectId) };
}

function oldDefinitionsWithCohorts(service: ServiceContext, projectId: string): JsonObject {
  const flags = projectFlags(service, projectId);
  return {
    flags: flags.map(oldMinimalFlag),
    group_type_mapping: service.store.groups.types(projectId),
    cohorts: namedCohorts(flags, findCohorts(service, projectId)),
  };
}

type StoredCohorts = ReadonlyMap<number, StoredCohort>;

function findCohorts({ store }: ServiceContext, projectId: string): StoredCohorts {
  return new Map(store.cohorts.list(projectId).map((cohort) => [cohort.id, cohort]));
}

/** The filters of the dynamic cohorts that flags name, directly or through other cohorts, by id. */
function namedCohorts(flags: readonly StoredFlag[], cohorts: StoredCohorts): JsonObject {
  const ids = flags.flatMap(({ filters }) => cohortIds(allProperties(filters)));
  const within = (id: number): number[] => cohortIds(listLeaves(cohorts.get(id)?.properties ?? {}));
  const named = [...new Set([...ids, ...reach(ids, within)])].toSorted((a, b) => a - b);
  const dynamic = named.flatMap((id) => {
    const properties = cohorts.get(id)?.properties ?? null;
    return properties === null ? [] : [[String(id), properties] as const];
  });
  return Object.fromEntries(dynamic);
}
