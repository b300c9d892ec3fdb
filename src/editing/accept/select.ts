/** Selects the differences to take over: by key, by path, and by who moved. */

import { fromPointer } from '../../base/json-pointer.ts';
import { defined } from '../../base/optional.ts';
import type { JsonObject, JsonValue } from '../../base/json.ts';
import type { Divergence } from '../../engine/base.ts';
import { matchKeys } from '../../engine/scope.ts';
import { matchesField, type FieldPath } from '../../posthog/flag/field-path.ts';
import type { Change, FieldChange, Plan, RoleChange } from '../../posthog/plan.ts';
import { levelAfter } from '../../posthog/role-access/change.ts';
import { nameResource } from '../../posthog/resource-name.ts';

export interface Selection {
  /** Keys, names of cohorts and patterns; absent: every declared flag and cohort. */
  readonly keys?: readonly string[];
  /** Absent: every field. */
  readonly only?: SelectedFields;
  /** Whether to undo what git changed since the last apply, too. */
  readonly pending: boolean;
}

/** The same name may mean different fields of flags and of cohorts. */
export interface SelectedFields {
  readonly ofFlags: readonly FieldPath[];
  readonly ofCohorts: readonly FieldPath[];
}

/** A difference between what is declared and what is live. */
export interface Found {
  /** The key of a flag, or `cohort:ALIAS`. */
  readonly key: string;
  readonly change: Change;
  /** As in `AcceptedChange`. */
  readonly path: string;
  readonly declared?: JsonValue;
  readonly live?: JsonValue;
  readonly divergence?: Divergence;
  /** Of a conflict: what the base declared; absent where it had no value. */
  readonly base?: JsonValue;
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
  const editable = changes.filter(isEditable);
  const found = editable.filter((change) => isNamed(nameOfChanged(change))).flatMap(differencesOf);
  const isNamedField = (one: Found): boolean => isWanted(one, selection.only, declaredFields);
  const units = new Set(found.filter(isNamedField).map(unitOf));
  const wanted = found.filter((one) => isNamedField(one) || units.has(unitOf(one)));
  const isPending = ({ divergence }: Found): boolean => divergence === 'pending' && !selection.pending;
  return { chosen: wanted.filter((one) => !isPending(one)), pending: wanted.filter(isPending) };
}

/** The names of the resources of which no edit of a manifest is known. */
export function findUneditable({ changes }: Pick<Plan, 'changes'>): readonly string[] {
  return changes.filter((change) => !isEditable(change)).map(nameOfChanged);
}

function isEditable({ resource }: Change): boolean {
  return resource !== 'early_access';
}

function differencesOf(change: Change): Found[] {
  if (change.resource === 'role_access') return [accessDifference(change)];
  return change.fields.map((field) => fieldDifference(change, field));
}

function fieldDifference(change: Change, { path, before, after, divergence, base }: FieldChange): Found {
  return { key: nameOfChanged(change), change, path, ...defined({ declared: after, live: before, divergence, base }) };
}

function nameOfChanged({ resource, key }: Change): string {
  return resource === 'role_access' ? key : nameResource(resource, key);
}

/** Of a grant the declared level is the one after it, of a revoke the live one is the one before. */
function accessDifference(change: RoleChange): Found {
  const { key, divergence, base_level: base } = change;
  const declared = levelAfter(change) ?? undefined;
  const live = liveLevel(change) ?? undefined;
  const path = accessPath(change);
  return { key, change, path, ...defined({ declared, live, divergence, base: base ?? undefined }) };
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

/** The parts of a cohort's definition mean something only together, so that one selects all of them. */
function unitOf({ change, path }: Found): string {
  return change.resource === 'cohort' ? `${change.ref} ${fromPointer(path)[0] ?? ''}` : `${change.ref} ${path}`;
}

function isWanted(
  { key, path, change }: Found,
  only: SelectedFields | undefined,
  declaredFields: (key: string) => JsonObject,
): boolean {
  if (only === undefined) return true;
  if (change.resource === 'cohort') return only.ofCohorts.some((one) => matchesField(one, path, {}));
  const fields = declaredFields(key);
  const role = change.resource === 'role_access' && 'role' in change ? change.role?.id : undefined;
  const pointers = role === undefined ? [path] : [path, `/role_access/roles/${role}`];
  return only.ofFlags.some((one) => pointers.some((pointer) => matchesField(one, pointer, fields)));
}
