/** `local_evaluation`: the flag definitions for local evaluation, in each profile's form. */

import type { Answer, Call, ServiceContext } from '../handler/call.ts';
import { definitions } from './definitions.ts';
import { withoutCohort } from './expand-cohort.ts';
import { projectFlags } from '../evaluation/flags.ts';
import { oldMinimalFlag } from './minimal-flag.ts';

/** Includes inactive flags, not deleted ones; has no pages. */
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
