/**
 * Writes a cohort. The service has no lock, so a cohort, or the name that one gets, is read once more right before the write, and read back
 * afterwards.
 */

import type { JsonObject } from '../../base/json.ts';
import {
  findEffect,
  findRemainders,
  idIn,
  inspect,
  rewrite,
  shownFields,
  type BodyKind,
} from '../../core/engine/body-kind.ts';
import { diff, remainderOf } from '../../core/engine/diff.ts';
import { compareFields } from '../../core/engine/field-kind.ts';
import { pages, singles } from '../../core/engine/forecast.ts';
import type { Write, Confirmation } from '../../core/engine/writer.ts';
import { unlessNotFound } from '../client/service-error.ts';
import { cohortsIn, leavesOf, withCohortIds } from '../flag/model/cohort-filters.ts';
import { missingReference } from '../flag/model/references.ts';
import type { KindWriter } from '../run-state.ts';
import type { ServiceClient } from '../service-client.ts';
import type { CohortChange, CreateCohort } from './change.ts';
import { canonicalCohort, COHORT_COMPARISON, comparableCohort, namesakesOf, namingOf, type Cohort } from './cohort.ts';
import { findMissing } from './find-changes.ts';

/** A run's knowledge of the cohorts that it writes: as they were read, and what its own writes changed. */
export interface CohortRun {
  /** The id of a cohort that the plan names by alias, once it exists. */
  readonly idOf: (alias: string) => number | undefined;
  /** The cohort as it was read, or as the service answered to a write of this run. */
  readonly find: (id: number) => Cohort | undefined;
  readonly see: (id: number, cohort: Cohort | undefined) => void;
  readonly keep: (alias: string, cohort: Cohort) => void;
  /** Keeps which cohorts have the name of one that the plan creates: a single one is the created cohort; several prove nothing. */
  readonly meet: (alias: string, namesakes: readonly Cohort[]) => void;
  /** Whether any has. */
  readonly isTaken: (alias: string) => boolean;
  /** Keeps that another cohort got the name which the plan gives to an existing one. */
  readonly loseName: (alias: string) => void;
  readonly hasLostName: (alias: string) => boolean;
}

/** A cohort that the plan creates exists already where one has its name: an earlier run, or another user, made it. */
export function openCohorts(live: readonly Cohort[], changes: readonly CohortChange[]): CohortRun {
  const seen = new Map<number, Cohort | undefined>(live.map((cohort) => [cohort.id, cohort]));
  const ids = new Map<string, number>();
  const shared = new Set<string>();
  const lost = new Set<string>();
  const keep = (alias: string, cohort: Cohort): void => {
    seen.set(cohort.id, cohort);
    ids.set(alias, cohort.id);
  };
  const meet = (alias: string, [first, ...others]: readonly Cohort[]): void => {
    if (others.length > 0) shared.add(alias);
    else if (first !== undefined) keep(alias, first);
  };
  for (const change of changes) {
    if (change.action === 'create') meet(change.key, namesakesOf(change.body, live));
    else ids.set(change.key, change.id);
  }
  return {
    idOf: (alias) => ids.get(alias),
    find: (id) => seen.get(id),
    see: (id, cohort) => void seen.set(id, cohort),
    keep,
    meet,
    isTaken: (alias) => ids.has(alias) || shared.has(alias),
    loseName: (alias) => void lost.add(alias),
    hasLostName: (alias) => lost.has(alias),
  };
}

export const cohortWriter: KindWriter<CohortChange> = {
  needsRefresh: () => true,
  needsConfirming: ({ action }) => action === 'create',
  refresh: async (change, { cohorts }, client) => {
    if (change.action !== 'create') await refreshLive(change, cohorts, client);
    else if (!cohorts.isTaken(change.key)) cohorts.meet(change.key, await readNamesakes(change, client));
  },
  inspect: (change, { cohorts }) => inspect(change, cohorts, BODY),
  findEffect: (change, { cohorts }) => findEffect(change, cohorts, BODY),
  prepare: (change, { cohorts: run }, client) => {
    const body = withCohortIds(change.body, run.idOf);
    const missing = cohortsIn(leavesOf(body['filters'])).find((reference) => typeof reference === 'string');
    if (missing !== undefined) return missingReference({ cohort: missing });
    return change.action === 'create' ? create(change, { run, client, body }) : update(change, { run, client, body });
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
  findWritten: (change, { idOf }) => {
    const seen = change.action === 'create' ? shownFields(change) : change.base.cohort;
    const compared = { ...COHORT_COMPARISON, comparable: canonicalCohort };
    return compareFields(withCohortIds(change.body, idOf), withCohortIds(seen, idOf), compared);
  },
  findMoved: (change, cohort, run) => {
    // Two cohorts with one name could not be told apart by it.
    if (change.action === 'create') {
      return run.isTaken(change.key) ? [{ path: '/name', after: change.body['name'] ?? null }] : [];
    }
    const { cohort: seen } = change.base;
    if (cohort === undefined) return [{ path: '', before: seen }];
    const lost = run.hasLostName(change.key) ? [{ path: '/name', after: namingOf(change, seen)['name'] ?? null }] : [];
    return [...diff(canonicalCohort(seen), comparableCohort(cohort)), ...lost];
  },
  findRemainder: (change, cohort, run) =>
    findMissing(change, cohort, run).map((difference) => remainderOf(change, difference)),
};

interface Target {
  readonly run: CohortRun;
  readonly client: ServiceClient;
  /** References other cohorts by id. */
  readonly body: JsonObject;
}

function update(change: LiveChange, { run, client, body }: Target): Write {
  const { id, key } = change;
  const send = async (): Promise<number> => {
    run.keep(key, await client.updateCohort(id, body));
    return id;
  };
  return rewrite<CohortChange & { readonly id: number }, Cohort, CohortRun>(
    change,
    { run, kind: BODY, sendOver: () => send, read: async () => findCohort(client, id) },
    { hidesDeleted: false },
  );
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

/**
 * The service accepts any number of cohorts with one name, so the name is looked up right before and right after the create. If two processes
 * create one each at the same time, the one with the lower id stays: both processes can see which it is.
 */
function create(change: CreateCohort, { run, client, body }: Target): Write {
  const send = async (): Promise<number> => {
    const cohort = await client.createCohort(body);
    run.keep(change.key, cohort);
    return cohort.id;
  };
  return {
    send,
    lookUpAfter: 'conflict',
    repeatRefused: false,
    // The name was free right before, so a single cohort with it is this create, unless another process was faster with the same.
    lookUp: async () => {
      const [cohort, ...others] = namesakesOf(change.body, await client.listCohorts());
      if (cohort === undefined) return { kind: 'unwritten', send };
      if (others.length > 0 || findMissing(change, cohort, run).length > 0) return { kind: 'changed' };
      run.keep(change.key, cohort);
      return { kind: 'in_effect', id: cohort.id };
    },
    confirm: async (id: number) => confirm(change, id, { run, client }),
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

async function confirm(change: CreateCohort, id: number, { run, client }: Omit<Target, 'body'>): Promise<Confirmation> {
  const found = namesakesOf(change.body, await client.listCohorts());
  const own = found.find((one) => one.id === id);
  const [first] = found;
  if (own !== undefined && first !== undefined && first !== own) {
    const isTwin = [first, own].every((one) => findMissing(change, one, run).length === 0);
    if (!isTwin || !(await removeTwin(own, client))) return doubled(found);
    run.keep(change.key, first);
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
  return unlessNotFound(client.getCohort(id));
}
