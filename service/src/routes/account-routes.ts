/** The table of paths outside the contents of projects: the projects themselves, and the organization with its roles and flags. */

import { copyFlags } from '../flag-copy/copy-flags.ts';
import type { Handler } from '../handler/call.ts';
import type { Methods, Operation } from '../handler/operation.ts';
import { getSettings, updateSettings } from '../kept-objects/project-settings.ts';
import {
  createProxyRecord,
  deleteProxyRecord,
  getProxyRecord,
  listProxyRecords,
} from '../kept-objects/proxy-records.ts';
import { changeMember } from '../organization/change-member.ts';
import { addMembership, getMembership, listMemberships, removeMembership } from '../organization/memberships.ts';
import { getCurrentKey, getOrganization, getProject, listMembers } from '../organization/read.ts';
import { createRole, deleteRole, getRole, listRoles, renameRole } from '../organization/roles.ts';

const PROXIES = 'organizations/:organizationId/proxy_records';
const ROLES = 'organizations/:organizationId/roles';
const MEMBERSHIPS = `${ROLES}/:roleId/role_memberships`;

/** Paths below `/api`. The interface document has none of them; the service of 2023 had the project and the list of roles. */
export const ACCOUNT_ROUTES: readonly (readonly [path: string, methods: Methods])[] = [
  ['projects/:projectId', { GET: { id: 'projects_get', handler: getProject } }],
  [
    'environments/:projectId',
    { GET: op('project_settings_get', getSettings), PATCH: op('project_settings_update', updateSettings) },
  ],
  ['personal_api_keys/@current', { GET: op('personal_api_keys_current', getCurrentKey) }],
  ['organizations/:organizationId', { GET: op('organizations_get', getOrganization) }],
  ['organizations/:organizationId/members', { GET: op('members_list', listMembers) }],
  ['organizations/:organizationId/members/:userUuid', { PATCH: op('members_update', changeMember) }],
  ['organizations/:organizationId/feature_flags/copy_flags', { POST: op('flags_copy', copyFlags) }],
  [PROXIES, { GET: op('proxy_records_list', listProxyRecords), POST: op('proxy_records_create', createProxyRecord) }],
  [
    `${PROXIES}/:id`,
    { GET: op('proxy_records_get', getProxyRecord), DELETE: op('proxy_records_delete', deleteProxyRecord) },
  ],
  [ROLES, { GET: { id: 'roles_list', handler: listRoles }, POST: op('roles_create', createRole) }],
  [
    `${ROLES}/:roleId`,
    { GET: op('roles_get', getRole), PATCH: op('roles_update', renameRole), DELETE: op('roles_delete', deleteRole) },
  ],
  [MEMBERSHIPS, { GET: op('role_members_list', listMemberships), POST: op('role_members_create', addMembership) }],
  [
    `${MEMBERSHIPS}/:membershipId`,
    { GET: op('role_members_get', getMembership), DELETE: op('role_members_delete', removeMembership) },
  ],
];

function op(id: string, handler: Handler): Operation {
  return { id, handler, profile: 'posthog' };
}
