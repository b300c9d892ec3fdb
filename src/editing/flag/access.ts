/** Writes who has access to a flag in the form that the manifests use: the flag's list of roles, its levels, or a role's list of flags. */

import { compareStrings } from '../../base/compare-strings.ts';
import { definedKeys, isJsonArray, isJsonObject } from '../../base/json.ts';
import { keyGlob } from '../../base/key-glob.ts';
import { placeAt, type Place } from '../../base/place.ts';
import { placedStrings, stringsOf } from '../../core/manifest/members.ts';
import type { ProjectNames } from '../../posthog/project.ts';
import { EDITOR, INHERITED } from '../../posthog/role-access/access.ts';
import { ROLE_ACCESS_SECTION } from '../../posthog/role-access/manifest.ts';
import { layerOf, writeMember, type Editing, type LayerMembers } from '../choose-layer.ts';
import type { AccessEdit, FileEdit, RefusalReason } from '../edit.ts';
import type { DeclaredIn } from '../texts.ts';

export interface AccessTask extends Editing {
  readonly key: string;
  /** Role ids, by their names in manifests. */
  readonly roles: ProjectNames['roles'];
  readonly roleName: (id: string) => string | undefined;
  /** The entries of the section of roles. */
  readonly lists: readonly DeclaredIn[];
}

export type WrittenAccess =
  | { readonly members: LayerMembers; readonly edits: readonly FileEdit[] }
  | { readonly reason: RefusalReason; readonly place?: Place };

export function writeAccessEdit(
  members: LayerMembers,
  { roles, everyone }: AccessEdit,
  task: AccessTask,
): WrittenAccess {
  const revoked = roles === undefined ? { edits: [] } : revokeFromLists(roles, task);
  if ('reason' in revoked) return revoked;
  const granted = roles === undefined ? { members, edits: [] } : writeRoles(members, roles, task);
  const level = { path: ['access', 'default'], value: everyone ?? INHERITED };
  const changed = everyone === undefined ? granted?.members : granted && writeMember(granted.members, level, task);
  if (granted === undefined || changed === undefined) return { reason: { code: 'not-expressible' } };
  return { members: changed, edits: [...revoked.edits, ...granted.edits] };
}

/** A role's list makes the role an editor, so the flag stays in the list only if the edit asks for that level. */
function revokeFromLists(
  wanted: ReadonlyMap<string, string>,
  task: AccessTask,
): { readonly edits: readonly FileEdit[] } | Extract<WrittenAccess, { readonly reason: RefusalReason }> {
  const edits: FileEdit[] = [];
  for (const { id, role, text, index, file, place } of grantsOf(task)) {
    if (wanted.get(id) === EDITOR) continue;
    if (text !== task.key) return { reason: { code: 'granted-by-pattern', role, pattern: text }, place };
    if (task.others.length > 0) return { reason: { code: 'granted-everywhere', role }, place };
    edits.push({ file, edit: { path: [ROLE_ACCESS_SECTION.name, role, index], value: undefined } });
  }
  return { edits };
}

/** An entry of a role's list that names the flag. */
interface WrittenGrant {
  readonly id: string;
  readonly role: string;
  readonly text: string;
  readonly index: number;
  readonly file: string;
  readonly place: Place;
}

function grantsOf({ lists, key, roles }: AccessTask): WrittenGrant[] {
  return lists.flatMap(({ key: role, value, file, places }) =>
    placedStrings(value).flatMap(({ text, index }): WrittenGrant[] => {
      const grant = { id: idOf(role, roles), role, text, index, file, place: placeAt(places, `/${index}`) };
      return keyGlob(text)(key) ? [grant] : [];
    }),
  );
}

function idOf(role: string, roles: ProjectNames['roles']): string {
  return (new Map(Object.entries(roles)).get(role) ?? role).toLowerCase();
}

type Granted = Exclude<WrittenAccess, { readonly reason: RefusalReason }>;

function writeRoles(members: LayerMembers, wanted: ReadonlyMap<string, string>, task: AccessTask): Granted | undefined {
  const { value: layer } = layerOf(members, task);
  const { role_access: list, access } = layer;
  const viaLists = new Set(grantsOf(task).map(({ id }) => id));
  const isPlain = [...wanted.values()].every((level) => level === EDITOR);
  if (!isPlain || (isJsonObject(access) && isJsonObject(access['roles']))) {
    return writeLevels(members, wanted, { ...task, viaLists });
  }
  const own = isJsonArray(list) ? stringsOf(list) : [];
  const known = new Set([...own.map((role) => idOf(role, task.roles)), ...viaLists]);
  const missing = [...wanted.keys()].filter((id) => !known.has(id)).map((id) => task.roleName(id) ?? id);
  const added = missing.toSorted(compareStrings);
  if (!isJsonArray(list) && added.length > 0 && viaLists.size > 0 && task.others.length === 0) {
    return { members, edits: grantInLists(added, task) };
  }
  // If no list named the flag any more, its access would no longer be declared.
  const staysNamed = [...viaLists].some((id) => wanted.has(id));
  if (!isJsonArray(list) && added.length === 0 && staysNamed) return { members, edits: [] };
  const value = [...own.filter((role) => wanted.has(idOf(role, task.roles))), ...added];
  const changed = writeMember(members, { path: ['role_access'], value }, task);
  return changed && { members: changed, edits: [] };
}

/** Adds the flag to the lists of the roles; a role without one gets a list next to another that names the flag. */
function grantInLists(roles: readonly string[], task: AccessTask): FileEdit[] {
  const [neighbor] = grantsOf(task);
  return roles.map((role): FileEdit => {
    const list = task.lists.find(({ key }) => idOf(key, task.roles) === idOf(role, task.roles));
    if (list === undefined || !isJsonArray(list.value)) {
      return { file: neighbor?.file ?? '', edit: { path: [ROLE_ACCESS_SECTION.name, role], value: [task.key] } };
    }
    const { file, key, value } = list;
    return { file, edit: { path: [ROLE_ACCESS_SECTION.name, key, value.length], value: task.key } };
  });
}

/** `viaLists`: roles that have access through their own lists, as editors. */
function writeLevels(
  members: LayerMembers,
  wanted: ReadonlyMap<string, string>,
  task: AccessTask & { readonly viaLists: ReadonlySet<string> },
): Granted | undefined {
  const { value: layer } = layerOf(members, task);
  const { role_access: list, access } = layer;
  const written = isJsonObject(access) && isJsonObject(access['roles']) ? access['roles'] : {};
  const names = new Map(definedKeys(written).map((role) => [idOf(role, task.roles), role]));
  const gone = [...names].filter(([id]) => !wanted.has(id)).map(([, role]) => [role, undefined] as const);
  const had = new Set(isJsonArray(list) ? stringsOf(list).map((role) => idOf(role, task.roles)) : []);
  const own = [...wanted].filter(
    ([id, level]) => names.has(id) || had.has(id) || !task.viaLists.has(id) || level !== EDITOR,
  );
  const levels = own.map(([id, level]) => [names.get(id) ?? task.roleName(id) ?? id, level] as const);
  const withoutList =
    list === undefined ? members : writeMember(members, { path: ['role_access'], value: undefined }, task);
  const changes =
    levels.length === 0
      ? // `{}` declares that no role has access; without the member, nothing is declared.
        [{ path: ['access', 'roles'], value: {} }]
      : [...gone, ...levels].map(([role, value]) => ({ path: ['access', 'roles', role], value }));
  const changed = changes.reduce<LayerMembers | undefined>(
    (all, change) => all && writeMember(all, change, task),
    withoutList,
  );
  return changed && { members: changed, edits: [] };
}
