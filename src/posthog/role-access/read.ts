/** Reads role access: one request for each flag whose access is wanted, in the form that its service has. */

import type { ServiceClient } from '../client/client.ts';
import { ServiceError } from '../client/errors.ts';
import type { Flag } from '../flag/flag.ts';
import { wireOf, type FlagAccess, type Wire } from './access.ts';
import type { LiveState } from '../live.ts';
import type { WantedState } from '../wanted.ts';

type Wanted = Pick<WantedState, 'roleAccessOf' | 'roleAccessOfIds'>;

export async function readRoleAccess(
  client: ServiceClient,
  flags: readonly Flag[],
  wanted: Wanted,
): Promise<LiveState['roleAccess']> {
  const read = await Promise.all(
    selectAccess(flags, wanted).map(async (flag) => [String(flag.id), await readAccess(client, flag)] as const),
  );
  return Object.fromEntries(read);
}

/** The requests of `readRoleAccess`. */
export function countRoleReads(flags: readonly Flag[], wanted: Wanted): number {
  return selectAccess(flags, wanted).length;
}

export function selectAccess(flags: readonly Flag[], { roleAccessOf, roleAccessOfIds }: Wanted): readonly Flag[] {
  const keys = new Set(roleAccessOf);
  const ids = new Set(roleAccessOfIds);
  return flags.filter(({ key, id }) => keys.has(key) || ids.has(id));
}

/** Access to a flag, as the service holds it. Errors name the flag. */
export async function readAccess(client: ServiceClient, flag: Flag): Promise<FlagAccess> {
  const wire = wireOf(flag);
  try {
    return await readWire(client, flag.id, wire);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const { failure } = error;
    // Between 2023 and today, flags gained the member that shows the wire before the service gained the path.
    if (failure.kind === 'not_found') return readOtherWire(client, flag, error.about(flag.key));
    if (failure.kind === 'forbidden' && wire === 'levels') return { refused: failure.detail };
    throw error.about(flag.key);
  }
}

export async function readWire(client: ServiceClient, flagId: number, wire: Wire): Promise<FlagAccess> {
  return wire === 'entries' ? client.listRoleAccess(flagId) : client.getAccess(flagId);
}

async function readOtherWire(client: ServiceClient, flag: Flag, first: ServiceError): Promise<FlagAccess> {
  try {
    return await readWire(client, flag.id, wireOf(flag) === 'entries' ? 'levels' : 'entries');
  } catch (error) {
    throw error instanceof ServiceError && error.failure.kind !== 'not_found' ? error.about(flag.key) : first;
  }
}
