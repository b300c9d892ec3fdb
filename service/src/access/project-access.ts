/** The access rules of a project: who may use it, and the levels for all objects of a kind. The embedded service does not enforce them. */

import { type JsonObject, isJsonObject } from '../../../src/base/json.ts';
import type { Answer, Call, ServiceContext } from '../handler/call.ts';
import { forbidden, invalid, notFound } from '../handler/envelope.ts';
import { MEMBER_LEVELS, ownLevel } from '../organization/serialize.ts';
import { formatTimestamp } from '../format/timestamp.ts';
import type { StoredProjectRule, RuledFlag } from '../store/people.ts';
import { DEFAULT_LEVEL, LEVELS, PROJECT_LEVELS, RESOURCES, RESOURCE } from './levels.ts';
import { readBody, readRule } from './flag-access.ts';

export function readProjectAccess(service: ServiceContext, call: Call): Answer {
  return answerRules(service, {
    rules: rulesOf(service, call).filter(({ resource }) => resource === PROJECT),
    levels: PROJECT_LEVELS,
    usual: HIGHEST_PROJECT_LEVEL,
  });
}

export function readResourceAccess(service: ServiceContext, call: Call): Answer {
  return answerRules(service, {
    rules: rulesOf(service, call).filter(({ resource }) => resource !== PROJECT),
    levels: LEVELS,
    usual: DEFAULT_LEVEL,
  });
}

export function writeProjectAccess(service: ServiceContext, call: Call): Answer {
  return writeRule(service, call, { levels: PROJECT_LEVELS, resource: () => PROJECT });
}

export function writeResourceAccess(service: ServiceContext, call: Call): Answer {
  return writeRule(service, call, { levels: LEVELS, resource: readResource });
}

const PROJECT = 'project';
const HIGHEST_PROJECT_LEVEL = PROJECT_LEVELS[2];

function rulesOf({ store }: ServiceContext, { projectId }: Call): StoredProjectRule[] {
  return store.projectAccess.list(projectId);
}

interface AnsweredRules {
  readonly rules: readonly StoredProjectRule[];
  readonly levels: readonly string[];
  /** The level that applies without a rule. */
  readonly usual: string;
}

function answerRules(service: ServiceContext, { rules, levels, usual }: AnsweredRules): Answer {
  return {
    status: 200,
    body: {
      access_controls: rules.map(serializeProjectRule),
      available_access_levels: [...levels],
      default_access_level: usual,
      user_access_level: HIGHEST_PROJECT_LEVEL,
      user_can_edit_access_levels: isAdmin(service),
    },
  };
}

function serializeProjectRule({ projectId, resource, ...rule }: StoredProjectRule): JsonObject {
  return {
    access_level: rule.level,
    resource,
    resource_id: resource === PROJECT ? projectId : null,
    organization_member: rule.memberId,
    role: rule.roleId,
    created_by: null,
    managed_by: null,
    created_at: rule.createdAt,
    updated_at: rule.updatedAt,
  };
}

interface WrittenRule {
  readonly levels: readonly string[];
  readonly resource: (sent: JsonObject) => string;
}

function writeRule(service: ServiceContext, call: Call, { levels, resource: read }: WrittenRule): Answer {
  const { store, now } = service;
  return store.transaction(() => {
    const sent = readBody(call.body);
    const resource = read(sent);
    const { level, ...subject } = readRule(service, sent, levels);
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

export function listDefaultObjects({ store }: ServiceContext, { projectId }: Call): Answer {
  return answer(store.accessRules.listFlags(projectId, { roleId: null, memberId: null }));
}

export function listRoleObjects({ store }: ServiceContext, { projectId, query }: Call): Answer {
  const role = store.roles.find(readSubject(query, 'role_id'));
  if (role === undefined) throw notFound();
  return answer(store.accessRules.listFlags(projectId, { roleId: role.id, memberId: null }));
}

export function listMemberObjects({ store }: ServiceContext, { projectId, query }: Call): Answer {
  const member = store.organization.findMember(readSubject(query, 'member_id'));
  if (member === undefined) throw notFound();
  return answer(store.accessRules.listFlags(projectId, { roleId: null, memberId: member.id }));
}

function readSubject(query: URLSearchParams, name: string): string {
  const id = query.get(name);
  if (id === null || id === '') throw invalid('required', 'This parameter is required.', name);
  return id.toLowerCase();
}

/** The answer is not paged. */
function answer(flags: readonly RuledFlag[]): Answer {
  return { status: 200, body: { results: flags.map(serializeObject) } };
}

function serializeObject({ id, key, level }: RuledFlag): JsonObject {
  return { resource: RESOURCE, resource_id: String(id), name: key, short_id: null, access_level: level };
}
