/**
 * Creates a cohort. The service accepts any number of cohorts with one name, so the name is looked up right before and right after the
 * create. If two processes create one each at the same time, the one with the lower id stays: both processes can see which it is.
 */

import type { JsonObject } from '../../base/json.ts';
import type { Confirmation, LookUpResult, Write } from '../../engine/writer.ts';
import type { ServiceClient } from '../service-client.ts';
import { ServiceError } from '../client/service-error.ts';
import type { RunState } from '../run-state.ts';
import type { CreateCohort } from './change.ts';
import { namesakesOf, type Cohort } from './cohort.ts';
import { hasEffect } from './invert.ts';

export interface CreateTarget {
  readonly state: RunState;
  readonly client: ServiceClient;
  /** References other cohorts by id. */
  readonly body: JsonObject;
}

export function createCohort(change: CreateCohort, target: CreateTarget): Write {
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
  if (others.length > 0 || !hasEffect(change, cohort, state.cohorts)) return { kind: 'changed' };
  state.cohorts.keep(change.key, cohort);
  return { kind: 'in_effect', id: cohort.id };
}

async function confirm(change: CreateCohort, id: number, { state, client }: CreateTarget): Promise<Confirmation> {
  const found = namesakesOf(change.body, await client.listCohorts());
  const own = found.find((one) => one.id === id);
  const [first] = found;
  if (own !== undefined && first !== undefined && first !== own) {
    const isTwin = [first, own].every((one) => hasEffect(change, one, state.cohorts));
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
