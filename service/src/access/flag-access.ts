/** Answers and sets the level of a role, a member or everyone for a flag; the level null removes the rule. */

import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/base/json.ts';
import { findFlag } from '../flags/read.ts';
import { canEdit } from '../flags/serialize.ts';
import { formatTimestamp } from '../format/timestamp.ts';
import type { Answer, Call, ServiceContext } from '../handler/call.ts';
import { forbidden, invalid, invalidInput } from '../handler/envelope.ts';
import type { RuleSubject, StoredRule } from '../store/people.ts';
import { LEVELS, DEFAULT_LEVEL, RESOURCE } from './levels.ts';

/** Checks in the service's order: each field, then the rule as a whole, then permissions. */
export function writeAccess(service: ServiceContext, call: Call): Answer {
  const { store, now } = service;
  return store.transaction(() => {
    const flag = findFlag(service, call, 'flagId');
    const sent = readBody(call.body);
    const { level, ...rest } = readRule(service, sent, LEVELS);
    if (!canEdit(flag)) throw forbidden('Only a manager may change who has access to this feature flag.');
    const subject = { flagId: flag.id, ...rest };
    refuseLocked(service, call, subject);
    if (level === null) {
      store.accessRules.remove(subject);
      return { status: 204 };
    }
    return { status: 200, body: serializeRule(store.accessRules.put(subject, level, formatTimestamp(now()))) };
  });
}

export interface SentRule {
  /** Null removes the rule. */
  readonly level: string | null;
  readonly roleId: string | null;
  readonly memberId: string | null;
}

/** `levels`: those that the resource has. */
export function readRule({ store }: ServiceContext, sent: JsonObject, levels: readonly string[]): SentRule {
  const level = readLevel(sent['access_level'], levels);
  const memberId = readSubject(sent, 'organization_member', (id) => store.organization.findMember(id)?.id);
  const roleId = readSubject(sent, 'role', (id) => store.roles.find(id)?.id);
  if (memberId !== null && roleId !== null) {
    throw invalidInput('A rule is for a member or for a role, not for both.');
  }
  if (roleId !== null && store.organization.missingFeatures().has('role_based_access')) {
    throw forbidden('Access of roles needs the paid feature role-based access.');
  }
  return { level, roleId, memberId };
}

/** A rule for another subject may be made. */
function refuseLocked({ store }: ServiceContext, { projectId }: Call, subject: RuleSubject): void {
  const rule = store.accessRules
    .list(subject.flagId)
    .find(({ roleId, memberId }) => roleId === subject.roleId && memberId === subject.memberId);
  if (rule === undefined || rule.managedBy === null || !store.accessRules.isLocked(projectId)) return;
  throw forbidden('This access rule is managed by Terraform, and the project lets nobody else change it.');
}

export function readBody(body: JsonValue | undefined): JsonObject {
  if (!isJsonObject(body ?? {})) throw invalidInput('Invalid data. Expected an object.');
  return (body ?? {}) as JsonObject;
}

function readLevel(level: JsonValue | undefined, levels: readonly string[]): string | null {
  if (level === undefined) throw invalid('required', 'This field is required.', 'access_level');
  if (level === null) return null;
  if (typeof level !== 'string' || !levels.includes(level)) {
    throw invalid('invalid_input', `Invalid access level. Known: ${levels.join(', ')}.`, 'access_level');
  }
  return level;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

function readSubject(
  sent: JsonObject,
  name: 'organization_member' | 'role',
  find: (id: string) => string | undefined,
): string | null {
  const id = sent[name] ?? null;
  if (id === null) return null;
  if (typeof id !== 'string' || !UUID.test(id)) throw invalid('invalid_input', 'This is not an id (UUID).', name);
  const found = find(id.toLowerCase()) ?? find(id);
  if (found === undefined) throw invalid('does_not_exist', `Invalid pk "${id}" - object does not exist.`, name);
  return found;
}

export function readAccess(service: ServiceContext, call: Call): Answer {
  const flag = findFlag(service, call, 'flagId');
  return {
    status: 200,
    body: {
      access_controls: service.store.accessRules.list(flag.id).map(serializeRule),
      available_access_levels: [...LEVELS],
      default_access_level: DEFAULT_LEVEL,
      minimum_access_level: LEVELS[0],
      maximum_access_level: LEVELS.at(-1),
      // The only user owns the organization, unless the seed says that the user may not edit the flag.
      user_access_level: canEdit(flag) ? 'manager' : 'viewer',
      user_can_edit_access_levels: canEdit(flag),
      inherited_access: {
        access_level: DEFAULT_LEVEL,
        source: 'system_default',
        source_subject: null,
        source_resource: RESOURCE,
        source_resource_id: null,
        source_display_name: null,
      },
    },
  };
}

function serializeRule({ flagId, roleId, memberId, level, managedBy, createdAt, updatedAt }: StoredRule): JsonObject {
  return {
    access_level: level,
    resource: RESOURCE,
    resource_id: String(flagId),
    organization_member: memberId,
    role: roleId,
    // The real service never sets it.
    created_by: null,
    managed_by: managedBy,
    created_at: createdAt,
    updated_at: updatedAt,
  };
}
