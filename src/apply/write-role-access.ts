/** Grants and revokes one role, and reads the list again when the answer was lost: a duplicate grant is a server error. */

import type { RoleAccessEntry } from '../posthog/flag/flag.ts';
import type { GrantRole, RevokeRole } from '../posthog/plan.ts';
import type { ServiceClient } from '../posthog/client/client.ts';
import {
  isKeyTaken,
  isNotFound,
  isUncertain,
  outcomeOfAttempts,
  outcomeOfEffect,
  outcomeOfError,
} from './outcome-of-error.ts';
import type { Outcome } from './result.ts';
import type { WriteContext } from './write-flag.ts';

const ATTEMPTS = 3;

export async function grantRole(change: GrantRole, context: WriteContext): Promise<Outcome> {
  const flagId = change.id ?? context.directory.idOf(change.key);
  if (flagId === undefined) {
    return { outcome: 'failed', error: { code: 'flag_missing', message: `The flag ${change.key} does not exist.` } };
  }
  const errors: unknown[] = [];
  for (;;) {
    try {
      await context.recorder.sending(change);
      const { id } = await context.client.createRoleAccess(flagId, change.role.id);
      return { outcome: 'applied', id };
    } catch (error) {
      errors.push(error);
      // Some services refuse a duplicate, others answer 500 (docs/service.md, "Role access").
      if (!isUncertain(error) && !isKeyTaken(error)) return outcomeOfAttempts(errors);
      const entries = await readEntries(flagId, context.client);
      if (entries === 'unreadable') return outcomeOfError(errors.find(isUncertain) ?? error);
      const entry = entries.find((candidate) => candidate.role.id === change.role.id);
      if (entry !== undefined) return outcomeOfEffect(entry.id, errors);
      if (errors.length === ATTEMPTS) return outcomeOfAttempts(errors);
    }
  }
}

export async function revokeRole(change: RevokeRole, { client, recorder }: WriteContext): Promise<Outcome> {
  const errors: unknown[] = [];
  for (;;) {
    try {
      await recorder.sending(change);
      await client.deleteRoleAccess(change.id, change.entry_id);
      return { outcome: 'applied', id: change.entry_id };
    } catch (error) {
      errors.push(error);
      // A 404 is looked into: a project or a path that is out of reach is answered like an entry that has gone.
      if (!isUncertain(error) && !isNotFound(error)) return outcomeOfAttempts(errors);
      const entries = await readEntries(change.id, client);
      if (entries === 'unreadable') return outcomeOfError(errors.find(isUncertain) ?? error);
      if (!entries.some((entry) => entry.id === change.entry_id)) return outcomeOfEffect(change.entry_id, errors);
      if (errors.length === ATTEMPTS) return outcomeOfAttempts(errors);
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
