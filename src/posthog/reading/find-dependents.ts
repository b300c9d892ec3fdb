/** Reads flags related by dependency: the active ones that depend on a flag, and those that its conditions name. */

import { dependencyIds } from '../live-selection.ts';
import type { Flag } from '../flag/model/flag.ts';
import type { ServiceClient } from '../service-client.ts';
import { findFlag } from '../flag/find-traces.ts';
import { unlessNotFound } from '../client/service-error.ts';

interface FlagName {
  readonly id: number;
  readonly key: string;
}

/** `undefined`: unknown, since the service does not list them and the list of flags was not read. */
export async function findDependents(
  client: ServiceClient,
  { id }: Pick<Flag, 'id'>,
  all: readonly Flag[] | undefined,
): Promise<readonly FlagName[] | undefined> {
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

function isOn({ active, deleted }: Flag): boolean {
  return active !== false && deleted !== true;
}

/** The flags that conditions of these name, one request for each. */
export async function readNamedFlags(client: ServiceClient, flags: readonly Flag[]): Promise<readonly Flag[]> {
  const known = new Set(flags.map(({ id }) => id));
  const ids = [...new Set(flags.flatMap(dependencyIds))].filter((id) => !known.has(id));
  const read = await Promise.all(ids.map((id) => findFlag(client, id)));
  return read.filter((flag) => flag !== undefined);
}
