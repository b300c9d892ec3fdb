/**
 * Writes a cohort. The service has no lock, so a cohort, or the name that one gets, is read once more right before the write, and read back
 * afterwards.
 */

import { findEffect, findRemainders, idIn, inspect, rewrite, type BodyKind } from '../../engine/body-kind.ts';
import type { FieldChange } from '../../engine/change.ts';
import { diff, remainderOf } from '../../engine/diff.ts';
import { pages, singles } from '../../engine/forecast.ts';
import type { Write } from '../../engine/writer.ts';
import type { ServiceClient } from '../service-client.ts';
import { missingReference } from '../flag/model/references.ts';
import type { KindWriter } from '../run-state.ts';
import { canonicalCohort, comparableCohort, compareCohort } from './canonical.ts';
import type { CohortChange, CreateCohort } from './change.ts';
import { namesakesOf, namingOf, type Cohort } from './cohort.ts';
import { createCohort, findCohort, readNamesakes, type CreateTarget } from './create.ts';
import { effectOf, hasEffect } from './invert.ts';
import { cohortsIn, leavesOf, withCohortIds } from '../flag/model/cohort-filters.ts';
import type { CohortRun } from './run-state.ts';

export const cohortWriter: KindWriter<CohortChange> = {
  needsRefresh: () => true,
  needsConfirming: ({ action }) => action === 'create',
  refresh: async (change, { cohorts }, client) => {
    if (change.action !== 'create') await refreshLive(change, cohorts, client);
    else if (!cohorts.isTaken(change.key)) cohorts.meet(change.key, await readNamesakes(change, client));
  },
  inspect: (change, { cohorts }) => inspect(change, cohorts, BODY),
  findEffect: (change, { cohorts }) => findEffect(change, cohorts, BODY),
  prepare: (change, state, client) => {
    const body = withCohortIds(change.body, state.cohorts.idOf);
    const missing = cohortsIn(leavesOf(body['filters'])).find((reference) => typeof reference === 'string');
    if (missing !== undefined) return missingReference({ cohort: missing });
    return change.action === 'create'
      ? createCohort(change, { state, client, body })
      : update(change, { state, client, body });
  },
  readBack: async (changes, { client, state: { cohorts: run } }) =>
    findRemainders(changes, await readCohorts(changes, client, run), { run, kind: BODY }),
  countReadBack: (changes) => (changes.length > 1 ? [pages(1)] : [singles(changes.length)]),
};

type LiveChange = Exclude<CohortChange, CreateCohort>;

/** A name that another cohort had when the plan was made is the plan's own affair: it may be given up in the same run. */
async function refreshLive(change: LiveChange, cohorts: CohortRun, client: ServiceClient): Promise<void> {
  const { id, key, base } = change;
  const naming = namingOf(change, base.cohort);
  if (naming['name'] === undefined) return cohorts.see(id, await findCohort(client, id));
  const all = await client.listCohorts();
  cohorts.see(id, all.find((one) => one.id === id) ?? (await findCohort(client, id)));
  const known = new Set([id, ...(base.namesakes ?? [])]);
  if (namesakesOf(naming, all).some((one) => !known.has(one.id))) cohorts.loseName(key);
}

const BODY: BodyKind<CohortChange, Cohort, CohortRun> = {
  hasEffect,
  findMoved: (change, cohort, run) => {
    if (change.action === 'create') return findNamesake(change, run);
    if (cohort === undefined) return [{ path: '', before: change.base.cohort }];
    return [...diff(canonicalCohort(change.base.cohort), comparableCohort(cohort)), ...findLostName(change, run)];
  },
  findRemainder: (change, cohort, run) =>
    compareCohort(effectOf(change, run), cohort).map((difference) => remainderOf(change, difference)),
};

function update(change: LiveChange, { state: { cohorts: run }, client, body }: CreateTarget): Write {
  const { id, key } = change;
  const send = async (): Promise<number> => {
    run.keep(key, await client.updateCohort(id, body));
    return id;
  };
  const read = async (): Promise<Cohort | undefined> => findCohort(client, id);
  return rewrite<CohortChange & { readonly id: number }, Cohort, CohortRun>(
    change,
    { run, kind: BODY, sendOver: () => send, read },
    { hidesDeleted: false },
  );
}

/** Two cohorts with one name could not be told apart by it. */
function findNamesake({ key, body }: CreateCohort, { isTaken }: CohortRun): readonly FieldChange[] {
  const { name = null } = body;
  return isTaken(key) ? [{ path: '/name', after: name }] : [];
}

function findLostName(change: LiveChange, { hasLostName }: CohortRun): readonly FieldChange[] {
  const { name = null } = namingOf(change, change.base.cohort);
  return hasLostName(change.key) ? [{ path: '/name', after: name }] : [];
}

/** One is read by itself, several as the list, which leaves out deleted ones. */
async function readCohorts(
  changes: readonly CohortChange[],
  client: ServiceClient,
  state: CohortRun,
): Promise<ReadonlyMap<number, Cohort>> {
  const ids = [...new Set(changes.flatMap((change) => idIn(change, state) ?? []))];
  if (ids.length === 0) return new Map();
  const read =
    ids.length === 1 ? await Promise.all(ids.map((id) => findCohort(client, id))) : await client.listCohorts();
  return new Map(read.flatMap((cohort) => (cohort === undefined ? [] : [[cohort.id, cohort]])));
}
