/**
 * Writes a cohort. The service has no lock, so a cohort, or the name that one gets, is read once more right before the write, and read back
 * afterwards.
 */

import type { JsonObject } from '../../base/json.ts';
import { findEffect, findRemainders, idIn, inspect, rewrite, type BodyKind } from '../../engine/body-kind.ts';
import type { FieldChange } from '../../engine/change.ts';
import { diff, remainderOf } from '../../engine/diff.ts';
import { pages, singles } from '../../engine/forecast.ts';
import type { Write, Confirmation, LookUpResult } from '../../engine/writer.ts';
import { ServiceError } from '../client/service-error.ts';
import { cohortsIn, leavesOf, withCohortIds } from '../flag/model/cohort-filters.ts';
import { missingReference } from '../flag/model/references.ts';
import type { KindWriter, RunState } from '../run-state.ts';
import type { ServiceClient } from '../service-client.ts';
import { canonicalCohort, comparableCohort, compareCohort } from './canonical.ts';
import type { CohortChange, CreateCohort } from './change.ts';
import { namesakesOf, namingOf, type Cohort } from './cohort.ts';
import { effectOf, findMissing } from './find-changes.ts';
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
  findMissing,
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

interface CreateTarget {
  readonly state: RunState;
  readonly client: ServiceClient;
  /** References other cohorts by id. */
  readonly body: JsonObject;
}

/**
 * The service accepts any number of cohorts with one name, so the name is looked up right before and right after the create. If two processes
 * create one each at the same time, the one with the lower id stays: both processes can see which it is.
 */
function createCohort(change: CreateCohort, target: CreateTarget): Write {
  const { state, client, body } = target;
  const send = async (): Promise<number> => {
    const cohort = await client.createCohort(body);
    state.cohorts.keep(change.key, cohort);
    return cohort.id;
  };
  return {
    send,
    lookUpAfter: 'conflict',
    repeatRefused: false,
    lookUp: async () => lookUp(change, { ...target, send }),
    confirm: async (id: number) => confirm(change, id, target),
  };
}

/** Milliseconds until another process has had the time to delete its later one. */
const WAITS: readonly number[] = [100, 400, 1500];

/** The cohorts with the name of one to create, as they are now. Several may be about to become one. */
export async function readNamesakes(change: CreateCohort, client: ServiceClient): Promise<readonly Cohort[]> {
  const look = async (): Promise<readonly Cohort[]> => namesakesOf(change.body, await client.listCohorts());
  let found = await look();
  for (const ms of WAITS) {
    if (found.length < 2 || !(await client.wait(ms))) break;
    found = await look();
  }
  return found;
}

/** The name was free right before, so a single cohort with it is this create, unless another process was faster with the same. */
async function lookUp(
  change: CreateCohort,
  { state, client, send }: CreateTarget & Pick<Write, 'send'>,
): Promise<LookUpResult> {
  const [cohort, ...others] = namesakesOf(change.body, await client.listCohorts());
  if (cohort === undefined) return { kind: 'unwritten', send };
  if (others.length > 0 || findMissing(change, cohort, state.cohorts).length > 0) return { kind: 'changed' };
  state.cohorts.keep(change.key, cohort);
  return { kind: 'in_effect', id: cohort.id };
}

async function confirm(change: CreateCohort, id: number, { state, client }: CreateTarget): Promise<Confirmation> {
  const found = namesakesOf(change.body, await client.listCohorts());
  const own = found.find((one) => one.id === id);
  const [first] = found;
  if (own !== undefined && first !== undefined && first !== own) {
    const isTwin = [first, own].every((one) => findMissing(change, one, state.cohorts).length === 0);
    if (!isTwin || !(await removeTwin(own, client))) return doubled(found);
    state.cohorts.keep(change.key, first);
    return { kind: 'in_effect', id: first.id, already: true };
  }
  const left = found.length > 1 ? await readNamesakes(change, client) : found;
  return left.length > 1 ? doubled(left) : { kind: 'in_effect', id };
}

/** Only this run knows the cohort yet. False if it may still exist. */
async function removeTwin({ id }: Cohort, client: ServiceClient): Promise<boolean> {
  try {
    return (await client.updateCohort(id, { deleted: true })).deleted === true;
  } catch {
    const left = await findCohort(client, id).catch(() => undefined);
    return left?.deleted === true;
  }
}

function doubled(found: readonly Cohort[]): Confirmation {
  const ids = found.map(({ id }) => id).join(', ');
  const message = `Another process created a cohort with the same name at the same time: now there are ${found.length} (ids ${ids}).`;
  return { kind: 'doubled', code: 'name_shared', message };
}

/** The cohort, even when it is soft-deleted; `undefined` if the project has none with the id. */
export async function findCohort(client: ServiceClient, id: number): Promise<Cohort | undefined> {
  try {
    return await client.getCohort(id);
  } catch (error) {
    if (error instanceof ServiceError && error.failure.kind === 'not_found') return undefined;
    throw error;
  }
}
