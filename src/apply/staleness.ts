/** Has a flag moved since the plan saw it? Compared field by field, so that the answer says what moved. */

import type { JsonObject } from '../base/json.ts';
import { KNOWN_FIELDS } from '../posthog/flag/fields.ts';
import { withDeclaredSecrecy } from '../posthog/flag/encrypted-payloads.ts';
import type { Flag } from '../posthog/flag/flag.ts';
import type { LiveState } from '../posthog/live.ts';
import { comparableFlag, type KeyOfFlag } from '../posthog/flag/comparison.ts';
import { diff } from '../engine/diff.ts';
import type { Change, FieldChange, FlagBase, RoleChange } from '../posthog/plan.ts';

/** Live state as it was just read, found by id and by key. */
export interface LiveIndex {
  /** As they were read, or as the service answered to a write of this run. */
  readonly flagsById: Map<number, Flag>;
  /** The keys that a create would collide with. */
  readonly takenKeys: ReadonlySet<string>;
  readonly roleAccess: LiveState['roleAccess'];
  /** Refs of what an earlier run may have done (`role_access:KEY:ROLE-ID`): no sign that somebody else moved the list. */
  readonly expectedToMove: ReadonlySet<string>;
}

/** `resumed`: the changes of a run that broke off and is being finished. */
export function indexLive(live: LiveState, resumed: readonly Change[] = []): LiveIndex {
  return {
    flagsById: new Map(live.flags.map((flag) => [flag.id, flag])),
    takenKeys: new Set(live.flags.flatMap((flag) => (flag.deleted === true ? [] : [flag.key]))),
    roleAccess: live.roleAccess,
    expectedToMove: new Set(resumed.map(({ ref }) => ref)),
  };
}

/** What is different now from what the plan saw of this change's flag or role access list; empty when nothing moved. */
export function movedSince(change: Change, live: LiveIndex, keyOfFlag: KeyOfFlag): readonly FieldChange[] {
  if (change.resource === 'role_access') return movedRoles(change, live);
  if (change.action === 'create') return live.takenKeys.has(change.key) ? [{ path: '/key', after: change.key }] : [];
  return movedFlag(change.base, live.flagsById.get(change.id), keyOfFlag);
}

/** `flag` is absent when the service no longer lists it: it was deleted, or hidden from this key. */
export function movedFlag(base: FlagBase, flag: Flag | undefined, keyOfFlag: KeyOfFlag): readonly FieldChange[] {
  if (flag === undefined) return [{ path: '', before: base.flag }];
  const seen = comparableFlag(withDeclaredSecrecy(flag, base.flag), keyOfFlag);
  return diff(base.flag, withoutNewFields(seen, base.flag));
}

/** A field unknown to us and absent from the plan's base moves with traffic or came with a release: it is no edit. */
function withoutNewFields(flag: JsonObject, seen: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(flag).filter(([field]) => KNOWN_FIELDS.has(field) || Object.hasOwn(seen, field)),
  );
}

function movedRoles(change: RoleChange, live: LiveIndex): readonly FieldChange[] {
  if (change.id === undefined) return [];
  const entries = live.roleAccess[String(change.id)];
  if (entries === undefined) return [{ path: '', before: change.key }];
  const ofOthers = (role: string): boolean => !live.expectedToMove.has(`role_access:${change.key}:${role}`);
  const roles = [...new Set(entries.map((entry) => entry.role.id))].sort();
  return diff(change.base.roles.filter(ofOthers), roles.filter(ofOthers), ['role_access']);
}
