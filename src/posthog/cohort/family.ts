/** Cohorts as a family: how declared cohorts are matched, named, read and told apart. */

import { mixDeclared } from '../../engine/field-kind.ts';
import { findCohort } from './create.ts';
import { traceCohorts } from './trace.ts';
import type { Family, MatchedFamily, ToMatch } from '../family.ts';
import { COHORTS_AS_LIVE } from './as-live.ts';
import { inquireCohorts } from './attribution.ts';
import { nameOfCohort } from './changes.ts';
import { COMPARABLE_COHORTS } from './parity-values.ts';
import type { DesiredCohort } from './desired.ts';
import { EXPLAINED_COHORTS } from './explain.ts';
import { parseCohortPath } from './field-path.ts';
import { COHORT_FORM } from './form.ts';
import { aliasesOf, createFinder, findRetiredCohorts, matchAllCohorts, matchCohorts } from './match.ts';
import { openCohorts } from './run.ts';
import { warnOfShared } from './shared.ts';
import { nameCohorts, snapshotCohorts, type LiveCohort } from './snapshot.ts';

export const COHORTS: Family<'cohorts'> = {
  section: 'cohorts',
  refersTo: [],
  form: COHORT_FORM,

  takeSnapshot: ({ cohorts = [] }) => snapshotCohorts(cohorts),
  match,
  name: nameCohorts,
  warnOfShared,
  // Live state has ids where the run used aliases.
  namesToUndo: ({ change, id: answered }) => {
    const id = change.id ?? answered;
    return change.resource === 'cohort' && id !== undefined ? [[change.key, id]] : [];
  },

  knownNames: ({ key, id, names }) => {
    const named = [key, ...names.map((name) => name.trim())].map(nameOfCohort);
    // The name by id identifies one cohort, whatever its aliases are.
    return id === undefined ? named : [...named, `id ${id}`];
  },
  mix: mixDeclared,
  asLive: COHORTS_AS_LIVE,
  comparable: COMPARABLE_COHORTS,
  explained: EXPLAINED_COHORTS,
  inquire: inquireCohorts,
  findIds: ({ cohorts: declared }, live, shared) => {
    if (declared === undefined || live.cohorts === undefined) return {};
    const match = shared === 'refuse' ? matchAllCohorts : matchCohorts;
    return { cohorts: Object.fromEntries(aliasesOf(match({ cohorts: declared }, live))) };
  },

  parsePath: parseCohortPath,
  fieldsOf: ({ cohort }) => cohort,

  list: (client) => client.listCohorts(),
  find: (client, id) => findCohort(client, Number(id)),
  findMissing: (declared, live) => {
    const find = createFinder(live);
    return declared.filter((one) => one.kind === 'declared' && one.id === undefined && find(one).length === 0);
  },
  findRetired: findRetiredCohorts,
  trace: traceCohorts,

  openRun: ({ cohorts = [] }, changes) => openCohorts(cohorts, changes),
};

/** Unread state never counts as absent. */
function match({ desired, live, former }: ToMatch): MatchedFamily<DesiredCohort, LiveCohort> | undefined {
  const base = former && (former.cohorts ?? []);
  const isDeclared = desired.cohorts !== undefined || (base !== undefined && base.length > 0);
  if (!isDeclared || live.cohorts === undefined) return undefined;
  const { doubts, released, shared, formerReferences, ...matches } = matchCohorts(desired, live, base);
  return {
    matches,
    names: [...aliasesOf(matches)],
    ...(formerReferences === undefined ? {} : { formerNames: formerReferences }),
    warnings: doubts,
    shared,
    released,
  };
}
