/**
 * Answers and sets the level of a role, a member or everyone, for a flag, the project, or all objects of a kind; the level null removes the
 * rule.
 */

import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/base/json.ts';
import { findFlag } from '../flags/read.ts';
import { canEdit } from '../flags/serialize.ts';
import { formatTimestamp } from '../format/timestamp.ts';
import type { Answer, Call, ServiceContext } from '../handler/call.ts';
import { forbidden, invalid, invalidInput, orNotFound } from '../handler/envelope.ts';
import type { RuleSubject, StoredProjectRule, StoredRule } from '../store/people.ts';
import { MEMBER_LEVELS, ownLevel } from '../organization/serialize.ts';
import { DEFAULT_LEVEL, LEVELS, PROJECT_LEVELS, RESOURCE, RESOURCES } from './levels.ts';

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
    return { status: 200, body: serializeFlagRule(store.accessRules.put(subject, level, formatTimestamp(now()))) };
  });
}

interface SentRule {
  /** Null removes the rule. */
  readonly level: string | null;
  readonly roleId: string | null;
  readonly memberId: string | null;
}

/** `levels`: those that the resource has. */
function readRule({ store }: ServiceContext, sent: JsonObject, levels: readonly string[]): SentRule {
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

function readBody(body: JsonValue | undefined): JsonObject {
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
      access_controls: service.store.accessRules.list(flag.id).map(serializeFlagRule),
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

function serializeFlagRule({ flagId, ...rule }: StoredRule): JsonObject {
  return serializeRule(RESOURCE, String(flagId), rule);
}

/** `id`: null for all objects of a kind. */
function serializeRule(resource: string, id: string | null, rule: Omit<StoredRule, 'flagId'>): JsonObject {
  return {
    access_level: rule.level,
    resource,
    resource_id: id,
    organization_member: rule.memberId,
    role: rule.roleId,
    // The real service never sets it.
    created_by: null,
    managed_by: rule.managedBy,
    created_at: rule.createdAt,
    updated_at: rule.updatedAt,
  };
}

/** The embedded service does not enforce the rules of a project. */
export function readProjectAccess(service: ServiceContext, call: Call): Answer {
  return readRules(service, call, 'project');
}

export function readResourceAccess(service: ServiceContext, call: Call): Answer {
  return readRules(service, call, 'kinds');
}

export function writeProjectAccess(service: ServiceContext, call: Call): Answer {
  return writeRule(service, call, 'project');
}

export function writeResourceAccess(service: ServiceContext, call: Call): Answer {
  return writeRule(service, call, 'kinds');
}

/** Who may use the project, or the levels for all objects of a kind. */
type ProjectRules = 'project' | 'kinds';

const PROJECT = 'project';
const HIGHEST_PROJECT_LEVEL = PROJECT_LEVELS[2];

function readRules(service: ServiceContext, { projectId }: Call, asked: ProjectRules): Answer {
  const rules = service.store.projectAccess
    .list(projectId)
    .filter(({ resource }) => (resource === PROJECT) === (asked === 'project'));
  return {
    status: 200,
    body: {
      access_controls: rules.map(serializeProjectRule),
      available_access_levels: [...(asked === 'project' ? PROJECT_LEVELS : LEVELS)],
      // The level that applies without a rule.
      default_access_level: asked === 'project' ? HIGHEST_PROJECT_LEVEL : DEFAULT_LEVEL,
      user_access_level: HIGHEST_PROJECT_LEVEL,
      user_can_edit_access_levels: isAdmin(service),
    },
  };
}

function serializeProjectRule({ projectId, resource, ...rule }: StoredProjectRule): JsonObject {
  return serializeRule(resource, resource === PROJECT ? projectId : null, { ...rule, managedBy: null });
}

function writeRule(service: ServiceContext, call: Call, asked: ProjectRules): Answer {
  const { store, now } = service;
  return store.transaction(() => {
    const sent = readBody(call.body);
    const resource = asked === 'project' ? PROJECT : readResource(sent);
    const { level, ...subject } = readRule(service, sent, asked === 'project' ? PROJECT_LEVELS : LEVELS);
    if (!isAdmin(service)) throw forbidden('Only an administrator of the organization may change project-wide access.');
    const rule = { projectId: call.projectId, resource, ...subject };
    if (level === null) {
      store.projectAccess.remove(rule);
      return { status: 204 };
    }
    const stored = store.projectAccess.put(rule, level, formatTimestamp(now()));
    return { status: 200, body: serializeProjectRule(stored) };
  });
}

function readResource({ resource }: JsonObject): string {
  if (resource === undefined) throw invalid('required', 'This field is required.', 'resource');
  if (typeof resource !== 'string' || !RESOURCES.includes(resource)) {
    throw invalid('invalid_input', `Access to this resource has no rules. Known: ${RESOURCES.join(', ')}.`, 'resource');
  }
  return resource;
}

function isAdmin(service: ServiceContext): boolean {
  return ownLevel(service) >= MEMBER_LEVELS.admin;
}

export function readManagementSettings({ store }: ServiceContext, { projectId }: Call): Answer {
  return {
    status: 200,
    body: {
      lock_terraform_managed_rules: store.accessRules.isLocked(projectId),
      has_terraform_managed_rules: store.accessRules.hasManaged(projectId),
    },
  };
}

export function writeManagementSettings(service: ServiceContext, call: Call): Answer {
  const sent = isJsonObject(call.body) ? call.body['lock_terraform_managed_rules'] : undefined;
  if (sent === undefined) throw invalid('required', 'This field is required.', 'lock_terraform_managed_rules');
  if (typeof sent !== 'boolean')
    throw invalid('invalid_input', 'Must be a valid boolean.', 'lock_terraform_managed_rules');
  service.store.accessRules.setLock(call.projectId, sent);
  return readManagementSettings(service, call);
}

export function listDefaultObjects(service: ServiceContext, call: Call): Answer {
  return answerFlags(service, call, { roleId: null, memberId: null });
}

export function listRoleObjects(service: ServiceContext, call: Call): Answer {
  const role = orNotFound(service.store.roles.find(readParameter(call, 'role_id')));
  return answerFlags(service, call, { roleId: role.id, memberId: null });
}

export function listMemberObjects(service: ServiceContext, call: Call): Answer {
  const member = orNotFound(service.store.organization.findMember(readParameter(call, 'member_id')));
  return answerFlags(service, call, { roleId: null, memberId: member.id });
}

function readParameter({ query }: Call, name: string): string {
  const id = query.get(name);
  if (id === null || id === '') throw invalid('required', 'This parameter is required.', name);
  return id.toLowerCase();
}

/** The answer is not paged. */
function answerFlags(service: ServiceContext, { projectId }: Call, subject: Omit<RuleSubject, 'flagId'>): Answer {
  const flags = service.store.accessRules.listFlags(projectId, subject);
  const results = flags.map(({ id, key, level }) => {
    return { resource: RESOURCE, resource_id: String(id), name: key, short_id: null, access_level: level };
  });
  return { status: 200, body: { results } };
}
