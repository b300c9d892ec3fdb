/** When access that differs was given: the service does not log it, but an entry or a rule has its own time. */

import type { JsonObject, JsonValue } from '../../base/json.ts';
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
  of: { readonly subject: string; readonly flagId: number },
  access: FlagAccess | undefined,
  writes: readonly OwnWrite[],
): Attribution {
  const held = access === undefined ? undefined : heldBy(of.subject, access);
  const at = held === undefined ? undefined : timeOf(held);
  if (held === undefined || at === undefined) return { kind: 'unknown', reason: 'not_logged' };
  const level = held['access_level'];
  const run = writes.find((write) => gave(write, { ...of, level }) && wasWrittenAt(write, at))?.run;
  return { kind: 'known', at, via: run === undefined ? 'web_or_key' : 'apply', ...defined({ run }) };
}

/** Whether the write gave the subject the level of access to the flag that it has. Entries of 2023 have no level. */
function gave(
  { change, id }: OwnWrite,
  {
    subject,
    flagId,
    level,
  }: { readonly subject: string; readonly flagId: number; readonly level: JsonValue | undefined },
): boolean {
  if (change.resource !== 'role_access' || id !== flagId || subjectOf(change) !== subject) return false;
  const given = levelAfter(change);
  return given !== null && (level === undefined || given === level);
}

function timeOf(held: JsonObject): string | undefined {
  const times = [held['updated_at'], held['added_at'], held['created_at']];
  return times.find((time): time is string => typeof time === 'string');
}

function heldBy(subject: string, access: FlagAccess): JsonObject | undefined {
  if (isEntries(access)) return access.find(({ role }) => role.id === subject);
  if (isRefused(access) || isListed(access)) return undefined;
  const ofRoles = access.access_controls.filter(({ organization_member: member }) => member === null);
  return ofRoles.find(({ role }) => (role ?? EVERYONE) === subject);
}
