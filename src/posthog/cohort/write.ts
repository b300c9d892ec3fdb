/**
 * How a cohort is written. The service has no lock, so a cohort, or the name that one gets, is read once more right before the
 * write, and read back afterwards.
 */

import type { FieldChange } from '../../engine/change.ts';
import { diff } from '../../engine/diff.ts';
import { pages, singles } from '../../engine/forecast.ts';
import { remainderOf, type Remainder } from '../../engine/remainder.ts';
import type { Finding, ReadBack, Standing, Write } from '../../engine/writer.ts';
import type { ServiceClient } from '../client/client.ts';
import { findCohort } from './find.ts';
import type { KindWriter, RunState } from '../run-state.ts';
import { canonicalCohort } from './canonical.ts';
import type { CohortChange, CreateCohort } from './change.ts';
import { comparableCohort, compareCohort } from './comparison.ts';
import type { Cohort } from './cohort.ts';
import { createCohort, namesakesOf, readNamesakes, type CreateTarget } from './create.ts';
import { effectOf, hasEffect } from './invert.ts';
import { missingCohort } from './missing.ts';
import { cohortsIn, leavesOf, withCohortIds } from './references.ts';

export const cohortWriter: KindWriter<CohortChange> = {
  needsRefresh: () => true,
  needsConfirming: ({ action }) => action === 'create',
  refresh: async (change, { cohorts }, client) => {
    if (change.action !== 'create') await refreshLive(change, cohorts, client);
    else if (!cohorts.isTaken(change.key)) cohorts.meet(change.key, await readNamesakes(change, client));
  },
  inspect,
  findEffect,
  prepare: (change, state, client) => {
    const body = withCohortIds(change.body, state.cohorts.idOf);
    const missing = cohortsIn(leavesOf(body['filters'])).find((reference) => typeof reference === 'string');
    if (missing !== undefined) return missingCohort(missing);
    return change.action === 'create'
      ? createCohort(change, { state, client, body })
      : update(change, { state, client, body });
  },
  readBack,
  countReadBack: (changes) => (changes.length > 1 ? [pages(1)] : [singles(changes.length)]),
};

type LiveChange = Exclude<CohortChange, CreateCohort>;

/** A name that another cohort had when the plan was made is the plan's own affair: it may be given up in the same run. */
async function refreshLive(change: LiveChange, cohorts: RunState['cohorts'], client: ServiceClient): Promise<void> {
  const { id, key, body } = change;
  if (body['name'] === undefined) return cohorts.see(id, await findCohort(client, id));
  const all = await client.listCohorts();
  cohorts.see(id, all.find((one) => one.id === id) ?? (await findCohort(client, id)));
  const others = namesakesOf(change, all).filter((one) => one.id !== id);
  const isNew = (one: Cohort): boolean => namesakesOf(change, [cohorts.find(one.id) ?? { id: one.id }]).length === 0;
  if (others.some(isNew)) cohorts.loseName(key);
}

function update(change: LiveChange, { state, client, body }: CreateTarget): Write {
  const { id, key } = change;
  const send = async (): Promise<number> => {
    state.cohorts.keep(key, await client.updateCohort(id, body));
    return id;
  };
  return {
    send,
    lookUpAfter: 'conflict',
    repeatRefused: true,
    lookUp: async (): Promise<Finding> => {
      const now = await findCohort(client, id);
      if (now !== undefined && hasEffect(change, now, state.cohorts)) {
        state.cohorts.keep(key, now);
        return { kind: 'in_effect', id };
      }
      const moved = findMoved(change, now);
      return moved.length > 0 ? { kind: 'changed', moved } : { kind: 'unwritten', send };
    },
  };
}

function inspect(change: CohortChange, state: RunState): Standing {
  const moved =
    change.action === 'create'
      ? findNamesake(change, state)
      : [...findMoved(change, state.cohorts.find(change.id)), ...findLostName(change, state)];
  if (moved.length === 0) return { kind: 'as_planned' };
  const id = findEffect(change, state);
  return id === undefined ? { kind: 'moved', moved } : { kind: 'in_effect', id };
}

/** Two cohorts with one name could not be told apart by it. */
function findNamesake({ key, body }: CreateCohort, { cohorts }: RunState): readonly FieldChange[] {
  const { name = null } = body;
  return cohorts.isTaken(key) ? [{ path: '/name', after: name }] : [];
}

function findLostName({ key, body }: LiveChange, { cohorts }: RunState): readonly FieldChange[] {
  const { name = null } = body;
  return cohorts.hasLostName(key) ? [{ path: '/name', after: name }] : [];
}

function findMoved({ base }: LiveChange, cohort: Cohort | undefined): readonly FieldChange[] {
  if (cohort === undefined) return [{ path: '', before: base.cohort }];
  return diff(canonicalCohort(base.cohort), comparableCohort(cohort));
}

function findEffect(change: CohortChange, state: RunState): number | undefined {
  const id = change.action === 'create' ? state.cohorts.idOf(change.key) : change.id;
  const cohort = id === undefined ? undefined : state.cohorts.find(id);
  return cohort !== undefined && hasEffect(change, cohort, state.cohorts) ? id : undefined;
}

async function readBack(
  changes: readonly CohortChange[],
  { client, state }: ReadBack<RunState, ServiceClient>,
): Promise<readonly Remainder[]> {
  const cohorts = await readCohorts(changes, client, state);
  return changes.flatMap((change): Remainder[] => {
    const cohort = cohorts.get(idOf(change, state) ?? Number.NaN);
    const exists = cohort !== undefined && cohort.deleted !== true;
    if (change.action === 'delete') {
      return exists ? [remainderOf(change, { path: '/deleted', before: false, after: true })] : [];
    }
    if (!exists) return [{ ref: change.ref, key: change.key, path: '', reason: 'not_found' }];
    const differences = compareCohort(effectOf(change, state.cohorts), cohort);
    return differences.map((difference) => remainderOf(change, difference));
  });
}

/** One is read by itself, several as the list, which leaves out deleted ones. */
async function readCohorts(
  changes: readonly CohortChange[],
  client: ServiceClient,
  state: RunState,
): Promise<ReadonlyMap<number, Cohort>> {
  const ids = [...new Set(changes.flatMap((change) => idOf(change, state) ?? []))];
  if (ids.length === 0) return new Map();
  const read =
    ids.length === 1 ? await Promise.all(ids.map((id) => findCohort(client, id))) : await client.listCohorts();
  return new Map(read.flatMap((cohort) => (cohort === undefined ? [] : [[cohort.id, cohort]])));
}

function idOf(change: CohortChange, { cohorts }: RunState): number | undefined {
  return change.action === 'create' ? cohorts.idOf(change.key) : change.id;
}
