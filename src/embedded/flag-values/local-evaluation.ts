/** `local_evaluation`: what an SDK needs to evaluate flags by itself, in the form of each profile. */

import type { Answer, Call, ServiceContext } from '../handler/call.ts';
import { definitions } from './definitions.ts';
import { withoutCohort } from './expand-cohort.ts';
import { projectFlags } from '../evaluation/flags.ts';
import { oldMinimalFlag } from './minimal-flag.ts';

/** Inactive flags are in it, deleted ones are not; there are no pages. */
export function localEvaluation(service: ServiceContext, { projectId }: Call): Answer {
  const { store, rules } = service;
  if (rules.evaluatedFlags === 'minimal') return { status: 200, body: definitions(service, projectId) };
  const cohorts = new Map(store.cohorts.list(projectId).map((cohort) => [cohort.id, cohort]));
  const flags = projectFlags(service, projectId).map((flag) => ({ ...flag, filters: withoutCohort(flag, cohorts) }));
  return {
    status: 200,
    body: { flags: flags.map(oldMinimalFlag), group_type_mapping: store.groups.types(projectId) },
  };
}
