/** What a run knows of the project that it writes to: live state as it was read, and what its own writes changed. */

import type { Writer } from '../engine/writer.ts';
import type { ServiceClient } from './client/client.ts';
import type { Cohort } from './cohort/cohort.ts';
import { namesakesOf } from './cohort/create.ts';
import type { Flag } from './flag/flag.ts';
import type { FlagNames } from './flag/names.ts';
import type { LiveState } from './live.ts';
import type { Change } from './plan.ts';
import { takeSnapshot } from './snapshot.ts';

/** How a kind of resource is written to this service. */
export type KindWriter<Change> = Writer<Change, RunState, ServiceClient, Flag>;

/** Names flags by the keys that they have once the plan is applied, as the plan's canonical forms do. */
export interface RunState extends FlagNames {
  /** Requests name dependencies by id. */
  readonly idOf: (key: string) => number | undefined;
  /** The flag as it was read, or as the service answered to a write of this run. */
  readonly findFlag: (id: number) => Flag | undefined;
  /** Keeps what a later read found; `undefined` where the flag is gone. */
  readonly seeFlag: (id: number, flag: Flag | undefined) => void;
  /** Keeps the service's answer to a write, under the key that the plan gives the flag. */
  readonly keepFlag: (key: string, flag: Flag) => void;
  /** Whether a flag had the key when live state was read, so that a create collides with it. */
  readonly isTaken: (key: string) => boolean;
  readonly roleAccess: LiveState['roleAccess'];
  readonly cohorts: CohortState;
  /** Whether the run only turns flags off, for which today's service has an action of its own. */
  readonly switchesOff: boolean;
  /** Whether an earlier run may have made the change, by ref: its effect is no sign that another user changed anything. */
  readonly isExpected: (ref: string) => boolean;
}

/** The cohorts that a run knows. */
interface CohortState {
  /** The id of a cohort that the plan names by alias, once it exists. */
  readonly idOf: (alias: string) => number | undefined;
  /** The cohort as it was read, or as the service answered to a write of this run. */
  readonly find: (id: number) => Cohort | undefined;
  readonly see: (id: number, cohort: Cohort | undefined) => void;
  readonly keep: (alias: string, cohort: Cohort) => void;
  /** Keeps which cohorts have the name of one that the plan creates: a single one is it, several tell nothing. */
  readonly meet: (alias: string, namesakes: readonly Cohort[]) => void;
  /** Whether any has. */
  readonly isTaken: (alias: string) => boolean;
  /** Keeps that another cohort got the name which the plan gives to an existing one. */
  readonly loseName: (alias: string) => void;
  readonly hasLostName: (alias: string) => boolean;
}

export interface RunOptions {
  /** The run finishes one that was cut off. */
  readonly resumed: boolean;
  /** The plan is one of `off`. */
  readonly switchesOff?: boolean;
}

export function openRun(
  live: LiveState,
  changes: readonly Change[],
  { resumed, switchesOff = false }: RunOptions,
): RunState {
  const { flags, roleAccess } = takeSnapshot(live);
  const seen = new Map<number, Flag | undefined>();
  const keys = new Map(flags.all.map(({ id, key }) => [id, key]));
  for (const change of changes) {
    if (change.resource === 'flag' && change.id !== undefined) keys.set(change.id, change.key);
  }
  const ids = new Map([...keys].map(([id, key]) => [key, id]));
  const expected = new Set(resumed ? changes.map(({ ref }) => ref) : []);
  const cohorts = openCohorts(live.cohorts ?? [], changes);
  return {
    cohorts,
    cohortIdOf: cohorts.idOf,
    idOf: (key) => ids.get(key),
    keyOf: (id) => keys.get(id),
    findFlag: (id) => (seen.has(id) ? seen.get(id) : flags.byId(id)),
    seeFlag: (id, flag) => void seen.set(id, flag),
    keepFlag: (key, flag) => {
      seen.set(flag.id, flag);
      keys.set(flag.id, key);
      ids.set(key, flag.id);
    },
    isTaken: (key) => {
      const flag = flags.byKey(key);
      return flag !== undefined && flag.deleted !== true;
    },
    roleAccess,
    switchesOff,
    isExpected: (ref) => expected.has(ref),
  };
}

/** A cohort that the plan creates exists already where one has its name: an earlier run, or another user, made it. */
function openCohorts(live: readonly Cohort[], changes: readonly Change[]): CohortState {
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
    if (change.resource !== 'cohort') continue;
    if (change.action === 'create') meet(change.key, namesakesOf(change, live));
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
