/** What the service answers about access: to one flag the rules of today or the entries of 2023, and for one subject its levels for every flag.
 * (docs/service.md, "Access rules", "Role access of 2023") */

import type { JsonPath } from '../../base/json-pointer.ts';
import { type JsonObject, type JsonValue, memberOf, isJsonArray, isJsonObject } from '../../base/json.ts';
import { readArray, readInteger, readObject, readText, UnexpectedShape } from '../client/shape.ts';

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
  return results.flatMap((object, index) => readFlagLevel(object, ['results', index]));
}

function readFlagLevel(value: JsonValue, path: JsonPath): FlagLevel[] {
  const object = readObject(value, path);
  if (readText(object['resource'], [...path, 'resource']) !== 'feature_flag') return [];
  const id = readText(object['resource_id'], [...path, 'resource_id']);
  if (!/^\d{1,15}$/.test(id)) throw new UnexpectedShape([...path, 'resource_id'], 'the id of a flag');
  return [{ flagId: Number(id), level: readText(object['access_level'], [...path, 'access_level']) }];
}

/** The ids of the flags that a role of 2023 can edit; `undefined` for a role of today, which does not say. */
export function associatedFlags({ associated_flags: flags }: JsonObject): readonly number[] | undefined {
  if (!isJsonArray(flags)) return undefined;
  const ids = flags.map((flag) => (isJsonObject(flag) ? flag['id'] : undefined));
  return ids.every((id) => typeof id === 'number') ? ids : undefined;
}
