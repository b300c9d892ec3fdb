/** Reads flags one by one, with the flags that they depend on and their role access. */

import { singles, type RequestRound } from '../../core/engine/forecast.ts';
import { dependencyIds, type LiveSelection } from '../live-selection.ts';
import type { Flag } from '../flag/model/flag.ts';
import type { LiveState } from '../live.ts';
import { countRoleReads, readRoleAccess } from '../role-access/read.ts';
import type { ServiceClient } from '../service-client.ts';
import type { FailureKind } from '../client/failure.ts';
import { findFlag } from '../flag/find-traces.ts';
import { predictFamilies, readFamilies } from './live-state.ts';
import { ServiceError } from '../client/service-error.ts';

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
