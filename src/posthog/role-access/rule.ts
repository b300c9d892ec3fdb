/** Who has access to one flag, in the shape of today's interface (docs/service.md, "Access rules"). */

import type { JsonPath } from '../../base/json-pointer.ts';
import { memberOf, type JsonObject, type JsonValue } from '../../base/json.ts';
import { readArray, readObject, readText } from '../client/shape.ts';

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
