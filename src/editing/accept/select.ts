/** Selects the differences to take over: by key, by path, and by who moved. */

import { defined } from '../../base/optional.ts';
import type { JsonObject, JsonValue } from '../../base/json.ts';
import type { Divergence } from '../../engine/base.ts';
import { matchKeys } from '../../engine/scope.ts';
import { matchesField, type FieldPath } from '../../posthog/flag/field-path.ts';
import type { Change, FieldChange, Plan, RoleChange } from '../../posthog/plan.ts';
import { levelAfter } from '../../posthog/role-access/change.ts';

export interface Selection {
  /** Keys and patterns; absent: every declared flag. */
  readonly keys?: readonly string[];
  /** Absent: every field. */
  readonly only?: readonly FieldPath[];
  /** Whether to undo what git changed since the last apply, too. */
  readonly pending: boolean;
}

/** A difference between what is declared and what is live. */
export interface Found {
  readonly key: string;
  readonly change: Change;
  /** As in `AcceptedChange`. */
  readonly path: string;
  readonly declared?: JsonValue;
  readonly live?: JsonValue;
  readonly divergence?: Divergence;
}

export interface Selected {
  readonly chosen: readonly Found[];
  /** Left alone, since only git moved. */
  readonly pending: readonly Found[];
}

export function selectDifferences(
  { changes }: Pick<Plan, 'changes'>,
  selection: Selection,
  declaredFields: (key: string) => JsonObject,
): Selected {
  const isNamed = selection.keys === undefined ? () => true : matchKeys(selection.keys);
  const found = changes.filter(({ key }) => isNamed(key)).flatMap(differencesOf);
  const wanted = found.filter((one) => isWanted(one, selection.only, declaredFields));
  const isPending = ({ divergence }: Found): boolean => divergence === 'pending' && !selection.pending;
  return { chosen: wanted.filter((one) => !isPending(one)), pending: wanted.filter(isPending) };
}

function differencesOf(change: Change): Found[] {
  if (change.resource !== 'flag') return change.resource === 'role_access' ? [accessDifference(change)] : [];
  return change.fields.map((field) => fieldDifference(change, field));
}

function fieldDifference(change: Change, { path, before, after, divergence }: FieldChange): Found {
  return { key: change.key, change, path, ...defined({ declared: after, live: before, divergence }) };
}

/** Of a grant the declared level is the one after it, of a revoke the live one is the one before. */
function accessDifference(change: RoleChange): Found {
  const { key, divergence } = change;
  const declared = levelAfter(change) ?? undefined;
  const live = liveLevel(change) ?? undefined;
  const path = accessPath(change);
  return { key, change, path, ...defined({ declared, live, divergence }) };
}

function liveLevel(change: RoleChange): string | null {
  if (change.action === 'grant') return null;
  if (change.action === 'adjust') return change.before;
  return 'level' in change ? change.level : 'editor';
}

function accessPath(change: RoleChange): string {
  const { role } = change;
  return role === undefined ? '/role_access/default' : `/role_access/roles/${role.name ?? role.id}`;
}

function isWanted(
  { key, path, change }: Found,
  only: readonly FieldPath[] | undefined,
  declaredFields: (key: string) => JsonObject,
): boolean {
  if (only === undefined) return true;
  const fields = declaredFields(key);
  const role = change.resource === 'role_access' && 'role' in change ? change.role?.id : undefined;
  const pointers = role === undefined ? [path] : [path, `/role_access/roles/${role}`];
  return only.some((one) => pointers.some((pointer) => matchesField(one, pointer, fields)));
}
