/** Access to a flag in either form of the service, for tests that run against both. */

import type { ServiceClient } from '../../src/posthog/service-client.ts';
import { canEdit, heldAccess, type HeldAccess } from '../../src/posthog/role-access/access.ts';
import { readAccess } from '../../src/posthog/role-access/read.ts';

export async function accessOf(client: ServiceClient, flagId: number): Promise<HeldAccess> {
  const held = heldAccess(await readAccess(client, await client.getFlag(flagId)), undefined);
  if (held === undefined) throw new Error(`The access of flag ${flagId} cannot be read.`);
  return held;
}

/** The ids of the roles that can edit the flag, as the service lists them. */
export async function rolesOf(client: ServiceClient, flagId: number): Promise<string[]> {
  const { roles } = await accessOf(client, flagId);
  return roles.filter(({ level }) => canEdit(level)).map(({ role }) => role.id);
}

export async function grantRole(client: ServiceClient, flagId: number, role: string): Promise<void> {
  const { wire } = await accessOf(client, flagId);
  if (wire === 'entries') await client.createRoleAccess(flagId, role);
  else await client.setAccess(flagId, { role, level: 'editor' });
}

export async function revokeRole(client: ServiceClient, flagId: number, role: string): Promise<void> {
  const { wire, roles } = await accessOf(client, flagId);
  if (wire === 'levels') await client.setAccess(flagId, { role, level: null });
  const entry = roles.find((one) => one.role.id === role)?.entryId;
  if (entry !== undefined) await client.deleteRoleAccess(flagId, entry);
}
