/** When access that differs was given: the service does not log it, but an entry or a rule has its own time. */

import type { JsonObject } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import { type Attribution, wasWrittenAt, type OwnWrite } from '../authors/attribution.ts';
import { isEntries, isListed, isRefused, type FlagAccess } from './access.ts';
import { EVERYONE, levelAfter, subjectOf, type RoleChange } from './change.ts';

/** `access`: to the flag, as it was read. Who revoked access is known nowhere. */
export function attributeAccess(
  change: RoleChange,
  access: FlagAccess | undefined,
  writes: readonly OwnWrite[],
): Attribution {
  if (change.action === 'grant' || change.id === undefined) return { kind: 'unknown', reason: 'not_logged' };
  return attributeHeld({ subject: subjectOf(change), flagId: change.id }, access, writes);
}

/** When the access that a role, or everyone, has to the flag was given. */
export function attributeHeld(
  { subject, flagId }: { readonly subject: string; readonly flagId: number },
  access: FlagAccess | undefined,
  writes: readonly OwnWrite[],
): Attribution {
  const held = access && heldBy(subject, access);
  const at = [held?.['updated_at'], held?.['added_at'], held?.['created_at']].find((time) => typeof time === 'string');
  if (held === undefined || at === undefined) return { kind: 'unknown', reason: 'not_logged' };
  // The write that gave the subject the level that it has. Entries of 2023 have no level.
  const level = held['access_level'];
  const run = writes.find((write) => {
    const { change, id } = write;
    if (change.resource !== 'role_access' || id !== flagId || subjectOf(change) !== subject) return false;
    const given = levelAfter(change);
    return given !== null && (level === undefined || given === level) && wasWrittenAt(write, at);
  })?.run;
  return { kind: 'known', at, via: run === undefined ? 'web_or_key' : 'apply', ...defined({ run }) };
}

function heldBy(subject: string, access: FlagAccess): JsonObject | undefined {
  if (isEntries(access)) return access.find(({ role }) => role.id === subject);
  if (isRefused(access) || isListed(access)) return undefined;
  const ofRoles = access.access_controls.filter(({ organization_member: member }) => member === null);
  return ofRoles.find(({ role }) => (role ?? EVERYONE) === subject);
}
