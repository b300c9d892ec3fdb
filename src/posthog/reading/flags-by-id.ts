/** Reads single flags: by id with those that they depend on and their role access, their dependents, and what became of deleted ones. */

import { singles, type RequestRound } from '../../core/engine/forecast.ts';
import { dependencyIds, type LiveSelection } from '../live-selection.ts';
import type { Flag } from '../flag/model/flag.ts';
import type { LiveState } from '../live.ts';
import { countRoleReads, readRoleAccess } from '../role-access/read.ts';
import type { ServiceClient } from '../service-client.ts';
import { ServiceError, unlessNotFound } from '../client/service-error.ts';
import { type FailureKind } from '../client/failure.ts';
import { findFlag, type FindRecorded } from '../flag/find-traces.ts';
import { predictFamilies, readFamilies } from './live-state.ts';
import { FAMILIES } from '../families.ts';
import { areNoneMissing, type MissingRetired, withTraced } from '../planning/base.ts';

/** Answers that may be about one flag or about the whole project. */
const OUT_OF_REACH: ReadonlySet<FailureKind> = new Set(['not_found', 'forbidden']);

/**
 * Costs one request for each flag, one for each other flag that they depend on, and one for each flag whose role access is selected.
 * Resolves to `undefined` if a flag is out of reach: only the list distinguishes a missing flag from a missing project.
 * @throws {ServiceError} when a part cannot be read for any other reason.
 */
export async function readFlagsById(
  client: ServiceClient,
  ids: readonly number[],
  selection: LiveSelection,
): Promise<LiveState | undefined> {
  const flags = await readWithDependencies(client, ids);
  if (flags === undefined) return undefined;
  // As in the list, soft-deleted flags are left out, unless they are selected by id.
  const visible = flags.filter(({ id, deleted }) => deleted !== true || selection.flags.ids?.includes(id));
  const [roleAccess, { traces: _, ...further }] = await Promise.all([
    readRoleAccess(client, visible, selection.roleAccess),
    readFamilies(client, selection),
  ]);
  return { flags: visible, roleAccess, ...further };
}

/** Predicts the rounds of requests of `readFlagsById` when `flags` are live. */
export function predictFlagsById(
  flags: readonly Flag[],
  ids: readonly number[],
  selection: LiveSelection,
): readonly RequestRound[] {
  const read = flags.filter(({ id }) => ids.includes(id));
  return [
    singles(ids.length),
    singles(findDependencies(read).length),
    ...(selection.roleAccess === undefined ? [] : [singles(countRoleReads(read, selection.roleAccess))]),
    ...predictFamilies(selection),
  ];
}

async function readWithDependencies(
  client: ServiceClient,
  ids: readonly number[],
): Promise<readonly Flag[] | undefined> {
  try {
    const flags = await Promise.all(ids.map((id) => client.getFlag(id)));
    const dependencies = await Promise.all(findDependencies(flags).map((id) => findFlag(client, id)));
    return [...flags, ...dependencies.filter((flag) => flag !== undefined)];
  } catch (error) {
    if (error instanceof ServiceError && OUT_OF_REACH.has(error.failure.kind)) return undefined;
    throw error;
  }
}

/** The ids of other flags that these name: the canonical form has their keys. */
function findDependencies(flags: readonly Flag[]): readonly number[] {
  const known = new Set(flags.map(({ id }) => id));
  return [...new Set(flags.flatMap(dependencyIds))].filter((id) => !known.has(id));
}

/** `undefined`: unknown, since the service does not list them and the list of flags was not read. */
export async function findDependents(
  client: ServiceClient,
  { id }: Pick<Flag, 'id'>,
  all: readonly Flag[] | undefined,
): Promise<readonly Pick<Flag, 'id' | 'key'>[] | undefined> {
  const isOn = ({ active, deleted }: Flag): boolean => active !== false && deleted !== true;
  if (all !== undefined) return all.filter((flag) => isOn(flag) && dependencyIds(flag).includes(id));
  return unlessNotFound(client.dependentFlags(id));
}

/** Includes the flags that depend on those; two requests for each if the list was not read. `undefined`: unknown. */
export async function readDependents(
  client: ServiceClient,
  flags: readonly Flag[],
  all: readonly Flag[] | undefined,
): Promise<readonly Flag[] | undefined> {
  const known = new Map(flags.map((flag) => [flag.id, flag]));
  let open = flags;
  while (open.length > 0) {
    const named = await Promise.all(open.map((flag) => findDependents(client, flag, all)));
    if (named.includes(undefined)) return undefined;
    const ids = [...new Set(named.flatMap((some) => some ?? []).map(({ id }) => id))].filter((id) => !known.has(id));
    open = await Promise.all(ids.map(async (id) => all?.find((flag) => flag.id === id) ?? client.getFlag(id)));
    for (const flag of open) known.set(flag.id, flag);
  }
  return [...known.values()].filter((flag) => !flags.includes(flag));
}

/** The flags that conditions of these name, one request for each. */
export async function readNamedFlags(client: ServiceClient, flags: readonly Flag[]): Promise<readonly Flag[]> {
  const known = new Set(flags.map(({ id }) => id));
  const ids = [...new Set(flags.flatMap(dependencyIds))].filter((id) => !known.has(id));
  const read = await Promise.all(ids.map((id) => findFlag(client, id)));
  return read.filter((flag) => flag !== undefined);
}

/**
 * The same live state with their traces. Costs what a declared flag costs that is not listed; nothing where none is missing.
 * @throws {ServiceError} when a resource of a trace cannot be read.
 */
export async function readRetired(
  client: ServiceClient,
  live: LiveState,
  { missing, findRecorded }: { readonly missing: MissingRetired; readonly findRecorded?: FindRecorded },
): Promise<LiveState> {
  if (areNoneMissing(missing)) return live;
  const traced = await Promise.all(
    FAMILIES.map(async (family) => ({
      section: family.section,
      ...(await family.trace(client, missing[family.section], { listed: live[family.section] ?? [], findRecorded })),
    })),
  );
  return traced.reduce(withTraced, live);
}
