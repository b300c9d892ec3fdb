/** The table of paths outside the contents of projects: the projects themselves, and the organization with its roles and flags. */

import { copyFlags } from '../flag-copy/copy-flags.ts';
import { today, type Methods } from '../handler/call.ts';
import { getSettings, updateSettings } from '../kept-objects/project-settings.ts';
import {
  createProxyRecord,
  deleteProxyRecord,
  getProxyRecord,
  listProxyRecords,
} from '../kept-objects/proxy-records.ts';
import {
  changeMember,
  addMembership,
  getMembership,
  listMemberships,
  removeMembership,
} from '../organization/memberships.ts';
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
    { GET: today('project_settings_get', getSettings), PATCH: today('project_settings_update', updateSettings) },
  ],
  ['personal_api_keys/@current', { GET: today('personal_api_keys_current', getCurrentKey) }],
  ['organizations/:organizationId', { GET: today('organizations_get', getOrganization) }],
  ['organizations/:organizationId/members', { GET: today('members_list', listMembers) }],
  ['organizations/:organizationId/members/:userUuid', { PATCH: today('members_update', changeMember) }],
  ['organizations/:organizationId/feature_flags/copy_flags', { POST: today('flags_copy', copyFlags) }],
  [
    PROXIES,
    { GET: today('proxy_records_list', listProxyRecords), POST: today('proxy_records_create', createProxyRecord) },
  ],
  [
    `${PROXIES}/:id`,
    { GET: today('proxy_records_get', getProxyRecord), DELETE: today('proxy_records_delete', deleteProxyRecord) },
  ],
  [ROLES, { GET: { id: 'roles_list', handler: listRoles }, POST: today('roles_create', createRole) }],
  [
    `${ROLES}/:roleId`,
    {
      GET: today('roles_get', getRole),
      PATCH: today('roles_update', renameRole),
      DELETE: today('roles_delete', deleteRole),
    },
  ],
  [
    MEMBERSHIPS,
    { GET: today('role_members_list', listMemberships), POST: today('role_members_create', addMembership) },
  ],
  [
    `${MEMBERSHIPS}/:membershipId`,
    { GET: today('role_members_get', getMembership), DELETE: today('role_members_delete', removeMembership) },
  ],
];
