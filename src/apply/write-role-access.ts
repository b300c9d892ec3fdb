/** Grants and revokes one role, and reads the list again when the answer was lost: a duplicate grant is a server error. */

import type { RoleAccessEntry } from '../model/flag.ts';
import type { GrantRole, RevokeRole } from '../plan/plan.ts';
import type { ServiceClient } from '../service/client.ts';
import { isNotFound, isUncertain, outcomeOfError } from './outcome-of-error.ts';
import type { Outcome } from './result.ts';
import type { WriteContext } from './write-flag.ts';

const ATTEMPTS = 3;

export async function grantRole(change: GrantRole, context: WriteContext): Promise<Outcome> {
  const flagId = change.id ?? context.directory.idOf(change.key);
  if (flagId === undefined) {
    return { outcome: 'failed', error: { code: 'flag_missing', message: `The flag ${change.key} does not exist.` } };
  }
  for (let attempt = 1; ; attempt += 1) {
    try {
      await context.recorder.sending(change);
      const { id } = await context.client.createRoleAccess(flagId, change.role.id);
      return { outcome: 'applied', id };
    } catch (error) {
      const entries = isUncertain(error) ? await readEntries(flagId, context.client) : 'unreadable';
      if (entries === 'unreadable') return outcomeOfError(error);
      const entry = entries.find((candidate) => candidate.role.id === change.role.id);
      if (entry !== undefined) return { outcome: 'applied', id: entry.id };
      if (attempt === ATTEMPTS) return outcomeOfError(error);
    }
  }
}

export async function revokeRole(change: RevokeRole, { client, recorder }: WriteContext): Promise<Outcome> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await recorder.sending(change);
      await client.deleteRoleAccess(change.id, change.entry_id);
      return { outcome: 'applied', id: change.entry_id };
    } catch (error) {
      if (isNotFound(error)) return { outcome: 'applied', id: change.entry_id };
      const entries = isUncertain(error) ? await readEntries(change.id, client) : 'unreadable';
      if (entries === 'unreadable') return outcomeOfError(error);
      if (!entries.some((entry) => entry.id === change.entry_id)) return { outcome: 'applied', id: change.entry_id };
      if (attempt === ATTEMPTS) return outcomeOfError(error);
    }
  }
}

async function readEntries(flagId: number, client: ServiceClient): Promise<readonly RoleAccessEntry[] | 'unreadable'> {
  try {
    return await client.listRoleAccess(flagId);
  } catch {
    return 'unreadable';
  }
}
