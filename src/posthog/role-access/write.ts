/** How role access is granted and revoked. */

import type { GrantRole, RevokeRole, RoleChange } from '../plan.ts';
import type { Standing, Write } from '../../engine/writer.ts';
import type { ServiceClient } from '../client/client.ts';
import type { KindWriter, RunState } from '../run-state.ts';
import { findFlagId } from './flag-id.ts';
import { findMovedRoles } from './moved.ts';
import { countRoleReads, readBackRoles } from './read-back.ts';

export const roleAccessWriter: KindWriter<RoleChange> = {
  // A grant and a revoke concern one entry each: none overwrites what another user wrote.
  needsRefresh: () => false,
  refresh: () => Promise.resolve(),
  inspect,
  findEffect,
  prepare: (change, state, client) => {
    if (change.action === 'revoke') return revoke(change, client);
    const flagId = findFlagId(change, state);
    if (flagId !== undefined) return grant(change, flagId, client);
    return { impossible: { code: 'flag_missing', message: `The flag ${change.key} does not exist.` } };
  },
  readBack: readBackRoles,
  countReadBack: countRoleReads,
};

/** Some services refuse a duplicate, others answer 500 (docs/service.md, "Role access"). */
function grant({ role }: GrantRole, flagId: number, client: ServiceClient): Write {
  const send = async (): Promise<number> => (await client.createRoleAccess(flagId, role.id)).id;
  return {
    send,
    lookUpAfter: 'key_taken',
    repeatRefused: true,
    lookUp: async () => {
      const entries = await client.listRoleAccess(flagId);
      const entry = entries.find((candidate) => candidate.role.id === role.id);
      return entry === undefined ? { kind: 'unwritten', send } : { kind: 'in_effect', id: entry.id };
    },
  };
}

/** A 404 is looked up, since it may also mean that the project or the path is out of reach. */
function revoke({ id: flagId, entry_id: id }: RevokeRole, client: ServiceClient): Write {
  const send = async (): Promise<number> => {
    await client.deleteRoleAccess(flagId, id);
    return id;
  };
  return {
    send,
    lookUpAfter: 'not_found',
    repeatRefused: true,
    lookUp: async () => {
      const entries = await client.listRoleAccess(flagId);
      return entries.some((entry) => entry.id === id) ? { kind: 'unwritten', send } : { kind: 'in_effect', id };
    },
  };
}

/** The effect comes first: the plan saw no list of a flag that it creates, and a resumed run ignores its own entries. */
function inspect(change: RoleChange, state: RunState): Standing {
  const id = findEffect(change, state);
  if (id !== undefined) return { kind: 'in_effect', id };
  const moved = findMovedRoles(change, state);
  return moved.length > 0 ? { kind: 'moved', moved } : { kind: 'as_planned' };
}

function findEffect(change: RoleChange, state: RunState): number | undefined {
  const entries = state.roleAccess[String(findFlagId(change, state))];
  const entry = entries?.find(({ role }) => role.id === change.role.id);
  if (change.action === 'grant') return entry?.id;
  return entries !== undefined && entry === undefined ? change.entry_id : undefined;
}
