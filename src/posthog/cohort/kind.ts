/** Cohorts as a kind of resource. */

import { defined } from '../../base/optional.ts';
import type { KindOf, Reads } from '../model.ts';
import { assessCohorts } from './assess.ts';
import { canonicalCohort } from './canonical.ts';
import type { CohortChange } from './change.ts';
import { changeCohort, leaveCohort, nameOfCohort } from './changes.ts';
import type { DesiredCohort } from './desired.ts';
import { COHORTS } from './family.ts';
import { invertCohortChange } from './invert.ts';
import { findCohortNeeds } from './needs.ts';
import { cohortsIn, leavesOf } from '../filter-tree.ts';
import { cohortWriter } from './write.ts';

/** The list leaves out deleted cohorts, which are read by id. */
const READS: Reads<CohortChange, DesiredCohort> = {
  toPlan: ({ id }) => ({ cohorts: { ids: id === undefined ? [] : [id] } }),
  toApply: ({ id }) => ({ cohorts: { ids: id === undefined ? [] : [id] } }),
  toUndo: ({ id }, answered) => ({ cohorts: { ids: [id ?? answered].filter((one) => typeof one === 'number') } }),
};

export const COHORT: KindOf<'cohort'> = {
  name: 'cohort',
  family: COHORTS,
  keyless: true,
  actions: ['create', 'update', 'delete', 'restore'],

  compare: (match, { cohorts }) => changeCohort(match, cohorts),
  dependencies: (desired, snapshot) => {
    if (desired.kind === 'retired') return [];
    const used = cohortsIn(leavesOf(desired.fields['filters']));
    const aliases = used.flatMap((one) => (typeof one === 'string' ? one : (snapshot?.cohorts.aliasOf(one) ?? [])));
    return aliases.map(nameOfCohort);
  },
  findNeeds: findCohortNeeds,

  parts: ({ fields }) => fields,
  leave: (given, { cohorts }) => leaveCohort(given, cohorts),
  effects: ({ action }) => (action === 'delete' ? ['delete'] : action === 'update' ? ['update'] : []),
  liveKey: ({ key }) => nameOfCohort(key),
  assess: assessCohorts,

  invert: (applied, { cohorts }) => invertCohortChange(applied, cohorts),
  rename: (change) => change,

  isLeftWhole: true,
  // The service has a list of persons for a static cohort, and the manifests declare a definition.
  findLeftOutParts: (warning) => {
    if (warning.code === 'cohort_static') return [{ key: warning.key, isOutOfPlan: true }];
    if (warning.code !== 'cohort_name_shared') return [];
    return [warning.key, ...warning.held].map((key) => ({ key, isOutOfPlan: true }));
  },

  definition: (change) => {
    const before = change.action === 'create' ? undefined : change.base.cohort;
    const after = change.action === 'delete' ? undefined : canonicalCohort({ ...before, ...change.body });
    return defined({ before, after });
  },

  reads: READS,
  writer: cohortWriter,
};
