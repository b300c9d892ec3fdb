/**
 * Who has access to a flag: what the service answers, to one flag the rules of today or the entries of 2023, and for one subject its levels
 * for every flag (docs/service/access.md, "Access rules", "Role access of 2023"); and one form for every service, the level of each role and of
 * everyone.
 */

import { comparing } from '../../base/compare-strings.ts';
import type { JsonPath } from '../../base/json-pointer.ts';
import { type JsonObject, type JsonValue, memberOf, isJsonArray, isJsonObject } from '../../base/json.ts';
import { readArray, readInteger, readObject, readText, UnexpectedShape } from '../client/shape.ts';
import type { DesiredFlag } from '../desired.ts';
import type { Flag } from '../flag/model/flag.ts';

/** Sorted from the lowest to the highest. */
export const LEVELS = ['none', 'viewer', 'editor', 'manager'] as const;

/** The level of a role without a declared one, and the only level of 2023. */
export const EDITOR = 'editor';

/** The declaration that a flag has no level of its own for everyone. */
export const INHERITED = 'inherited';

/**
 * The service's form of access. `entries`: as in 2023, one entry with an id for each role that can edit the flag. `levels`: as today, rules
 * with a level for roles, members and everyone.
 */
export type Wire = 'entries' | 'levels';

/** Access to one flag as the service answered it. */
export type FlagAccess = readonly RoleAccessEntry[] | AccessRules | ListedAccess | RefusedAccess;

/**
 * The access to a flag from the lists of rules by subject: every level, but no ids of entries, no inherited level, and not whether the
 * owner of the key may change it. It is used for flags whose access is as declared.
 */
export interface ListedAccess {
  readonly listed: Wire;
  /** Sorted by role id. */
  readonly roles: readonly HeldRole[];
  readonly everyone: string | null;
  readonly members: readonly string[];
}

/** The service does not let the owner of the key read it. */
export interface RefusedAccess {
  /** The service's own words. */
  readonly refused: string | null;
  /** Access was not read: a snapshot file has only access that was managed when it was taken. */
  readonly unread?: true;
}

/** The organization's part of access; absent if it was not read. */
export interface Organization {
  /** Keys are role ids. */
  readonly roleNames: Readonly<Record<string, string>>;
  /** The paid feature that the levels of roles need is missing. */
  readonly lacksRoleAccess: boolean;
}

export interface HeldAccess {
  readonly wire: Wire;
  /** Sorted by role id. */
  readonly roles: readonly HeldRole[];
  /** The flag's own level for everyone; null if it has none, as in 2023. */
  readonly everyone: string | null;
  /** The level of everyone if the flag has none of its own; null if the service does not state it. */
  readonly inherited: string | null;
  /** The levels of members, which manifests do not manage. */
  readonly members: readonly string[];
  /** The ids of the roles whose rules only Terraform may change; null: that of everyone. */
  readonly locked: ReadonlySet<string | null>;
  /** Whether the owner of the key may change them. */
  readonly mayChange: boolean;
}

export interface HeldRole {
  /** `name` is the id where the name is unknown. */
  readonly role: Role;
  readonly level: string;
  /** Present in 2023. */
  readonly entryId?: number;
}

/** Today's flags say what the caller may do with them; those of 2023 do not. */
export function wireOf(flag: Flag): Wire {
  return Object.hasOwn(flag, 'user_access_level') ? 'levels' : 'entries';
}

/** The form in which the project's service holds access: from its answer for any flag, or else from its flags. */
export function wireOfAll(
  [flag]: readonly Flag[],
  roleAccess: Readonly<Record<string, FlagAccess>> = {},
): Wire | undefined {
  const answered = Object.values(roleAccess).find((access) => !isRefused(access));
  return answeredWire(answered) ?? (flag && wireOf(flag));
}

/** The form in which the service holds access to a flag, from its answer; `undefined` if it was not read. */
export function answeredWire(access: FlagAccess | undefined): Wire | undefined {
  if (access === undefined || isRefused(access)) return undefined;
  return isListed(access) ? access.listed : isEntries(access) ? 'entries' : 'levels';
}

/** A flag on which nobody has a level. */
export const NO_ACCESS: Omit<HeldAccess, 'wire'> = {
  roles: [],
  everyone: null,
  inherited: null,
  members: [],
  locked: new Set(),
  mayChange: true,
};

/** `undefined` if the service refused to answer. */
export function heldAccess(
  access: FlagAccess | undefined,
  organization: Organization | undefined,
): HeldAccess | undefined {
  if (access === undefined || isRefused(access)) return undefined;
  if (isListed(access)) {
    const { listed: wire, ...held } = access;
    return { ...NO_ACCESS, ...held, wire };
  }
  const byId = comparing(({ role }: HeldRole) => role.id);
  if (isEntries(access)) {
    const roles = access.map(({ id, role }): HeldRole => ({ role, level: EDITOR, entryId: id })).toSorted(byId);
    return { ...NO_ACCESS, wire: 'entries', roles };
  }
  const { access_controls: rules, inherited_access: inherited, default_access_level: usual } = access;
  const roles = rules.flatMap(({ role: id, access_level: level }): HeldRole[] =>
    id === null ? [] : [{ role: { id, name: memberOf(organization?.roleNames ?? {}, id) ?? id }, level }],
  );
  // Older services say only the level that holds where no rule exists at all.
  const ofNone = isJsonObject(inherited) && 'access_level' in inherited ? inherited['access_level'] : usual;
  const ofMembers = rules.filter(({ organization_member: member }) => member !== null);
  const ofOthers = rules.filter(({ organization_member: member }) => member === null);
  return {
    wire: 'levels',
    roles: roles.toSorted(byId),
    everyone: ofOthers.find(({ role }) => role === null)?.access_level ?? null,
    inherited: typeof ofNone === 'string' ? ofNone : null,
    members: ofMembers.map(({ access_level: level }) => level),
    locked: new Set(ofOthers.flatMap(({ locked, role }) => (locked === true ? [role] : []))),
    mayChange: access['user_can_edit_access_levels'] !== false,
  };
}

/** The rank of a level; one that this release does not know is above the others. */
export function rankOf(level: string): number {
  const rank = LEVELS.findIndex((known) => known === level);
  return rank === -1 ? LEVELS.length : rank;
}

export function canEdit(level: string | null): boolean {
  return level !== null && rankOf(level) >= rankOf(EDITOR);
}

export function isEntries(access: FlagAccess): access is readonly RoleAccessEntry[] {
  return Array.isArray(access);
}

export function isRefused(access: FlagAccess): access is RefusedAccess {
  return 'refused' in access;
}

export function isListed(access: FlagAccess): access is ListedAccess {
  return 'listed' in access;
}

/** Whether manifests decide about access to the flag. */
export function declaresAccess(flag: DesiredFlag): boolean {
  return flag.kind === 'declared' && (flag.roleAccess !== undefined || flag.everyone !== undefined);
}

/** The answer for one flag, as it is. */
export interface AccessRules extends JsonObject {
  readonly access_controls: readonly AccessRule[];
}

/** The level of a role, of a member, or, without both, of everyone. */
export interface AccessRule extends JsonObject {
  readonly access_level: string;
  readonly role: string | null;
  readonly organization_member: string | null;
  /** Ours, not the service's: another program manages the rule, and the project lets nobody else change it. */
  readonly locked?: true;
}

export function readRules(value: JsonValue | undefined): AccessRules {
  const answer = readObject(value);
  const path: JsonPath = ['access_controls'];
  const rules = readArray(answer['access_controls'], path);
  return { ...answer, access_controls: rules.map((rule, index) => readRule(rule, [...path, index])) };
}

export function readRule(value: JsonValue | undefined, path: JsonPath = []): AccessRule {
  const rule = readObject(value, path);
  const id = (name: string): string | null => {
    const given = memberOf(rule, name) ?? null;
    return given === null ? null : readText(given, [...path, name]).toLowerCase();
  };
  return {
    ...rule,
    access_level: readText(rule['access_level'], [...path, 'access_level']),
    role: id('role'),
    organization_member: id('organization_member'),
  };
}

export interface Role extends JsonObject {
  readonly id: string;
  readonly name: string;
}

/** One role that may edit one flag. `id` identifies the entry, not the role or the flag. */
export interface RoleAccessEntry extends JsonObject {
  readonly id: number;
  readonly role: Role;
}

/** A role without a name gets its id as the name. */
export function readEntry(value: JsonValue | undefined, path: JsonPath = []): RoleAccessEntry {
  const entry = readObject(value, path);
  const role = readObject(entry['role'], [...path, 'role']);
  const roleId = readText(role['id'], [...path, 'role', 'id']);
  const name = typeof role['name'] === 'string' ? role['name'] : roleId;
  return { ...entry, id: readInteger(entry['id'], [...path, 'id']), role: { ...role, id: roleId, name } };
}

export interface FlagLevel {
  readonly flagId: number;
  readonly level: string;
}

/** The list has objects of every kind; only flags count here. */
export function readFlagLevels(value: JsonValue | undefined): readonly FlagLevel[] {
  const results = readArray(readObject(value)['results'], ['results']);
  return results.flatMap((one, index): FlagLevel[] => {
    const path: JsonPath = ['results', index];
    const object = readObject(one, path);
    if (readText(object['resource'], [...path, 'resource']) !== 'feature_flag') return [];
    const id = readText(object['resource_id'], [...path, 'resource_id']);
    if (!/^\d{1,15}$/.test(id)) throw new UnexpectedShape([...path, 'resource_id'], 'the id of a flag');
    return [{ flagId: Number(id), level: readText(object['access_level'], [...path, 'access_level']) }];
  });
}

/** The ids of the flags that a role of 2023 can edit; `undefined` for a role of today, which does not say. */
export function associatedFlags({ associated_flags: flags }: JsonObject): readonly number[] | undefined {
  if (!isJsonArray(flags)) return undefined;
  const ids = flags.map((flag) => (isJsonObject(flag) ? flag['id'] : undefined));
  return ids.every((id) => typeof id === 'number') ? ids : undefined;
}
