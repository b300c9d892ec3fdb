/** The two forms of a write of access: entries (2023), each with an id, and levels of a role or of everyone (docs/service.md, "Role access of 2023"). */

import { defined } from '../../base/optional.ts';
import type { Impossible, Write } from '../../engine/writer.ts';
import type { ServiceClient } from '../service-client.ts';
import { EDITOR, heldAccess } from './access.ts';
import { EVERYONE, levelAfter, levelBefore, levelOf, type RevokeEntry, type RoleChange, subjectOf } from './change.ts';

export function prepareEntry(change: RoleChange, flagId: number, client: ServiceClient): Write | Impossible {
  if (change.action === 'grant' && levelAfter(change) === EDITOR) return grant(change.role.id, flagId, client);
  if (change.action === 'revoke' && 'entry_id' in change) return revoke(change, client);
  return {
    impossible: {
      code: 'access_unsupported',
      message: 'The service has no levels of access, only roles that can edit a flag.',
    },
  };
}

/** Some services refuse a duplicate, others answer 500. */
function grant(role: string, flagId: number, client: ServiceClient): Write {
  const send = async (): Promise<number> => (await client.createRoleAccess(flagId, role)).id;
  return {
    send,
    lookUpAfter: 'key_taken',
    repeatRefused: true,
    lookUp: async () => {
      const entries = await client.listRoleAccess(flagId);
      const entry = entries.find((candidate) => candidate.role.id === role);
      return entry === undefined ? { kind: 'unwritten', send } : { kind: 'in_effect', id: entry.id };
    },
  };
}

/** A 404 is looked up, since it may also mean that the project or the path is out of reach. */
function revoke({ id: flagId, entry_id: id }: RevokeEntry, client: ServiceClient): Write {
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

/**
 * Access as today's service has it: a PUT of one level for a role or for everyone (docs/service.md, "Access rules").
 *
 * The same PUT sent twice does no harm, but it would also replace what another user set in between.
 */
export function prepareLevel(change: RoleChange, flagId: number, client: ServiceClient): Write {
  const [subject, level, before] = [subjectOf(change), levelAfter(change), levelBefore(change)];
  const send = async (): Promise<number> => {
    await client.setAccess(flagId, { role: subject === EVERYONE ? null : subject, level });
    return flagId;
  };
  return {
    send,
    lookUpAfter: 'not_found',
    repeatRefused: false,
    lookUp: async () => {
      const held = heldAccess(await client.getAccess(flagId), undefined);
      const found = held === undefined ? null : levelOf(change, held);
      if (found === level) return { kind: 'in_effect', id: flagId };
      if (found === before) return { kind: 'unwritten', send };
      const values = defined({ before: before ?? undefined, after: found ?? undefined });
      return { kind: 'changed', moved: [{ path: `/access/${subject}`, ...values }] };
    },
  };
}
