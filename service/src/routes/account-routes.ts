/** The table of paths outside the contents of projects: the projects themselves, and the organization with its roles and flags. */

import { copyFlags } from '../flag-copy/copy-flags.ts';
import { both, type FindRoute, finderOf, type Route, routes, today } from './table.ts';
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

/** Paths below `/api`. The interface document has none of them; the service of 2023 had the project and the list of roles. */
export const ACCOUNT_ROUTES: readonly Route[] = routes([
  both('GET projects/:projectId', 'projects_get', getProject),
  today('GET environments/:projectId', 'project_settings_get', getSettings),
  today('PATCH environments/:projectId', 'project_settings_update', updateSettings),
  today('GET personal_api_keys/@current', 'personal_api_keys_current', getCurrentKey),
  today('GET organizations/:organizationId', 'organizations_get', getOrganization),
  today('GET organizations/:organizationId/members', 'members_list', listMembers),
  today('PATCH organizations/:organizationId/members/:userUuid', 'members_update', changeMember),
  today('POST organizations/:organizationId/feature_flags/copy_flags', 'flags_copy', copyFlags),
  today('GET organizations/:organizationId/proxy_records', 'proxy_records_list', listProxyRecords),
  today('POST organizations/:organizationId/proxy_records', 'proxy_records_create', createProxyRecord),
  today('GET organizations/:organizationId/proxy_records/:id', 'proxy_records_get', getProxyRecord),
  today('DELETE organizations/:organizationId/proxy_records/:id', 'proxy_records_delete', deleteProxyRecord),
  both('GET organizations/:organizationId/roles', 'roles_list', listRoles),
  today('POST organizations/:organizationId/roles', 'roles_create', createRole),
  today('GET organizations/:organizationId/roles/:roleId', 'roles_get', getRole),
  today('PATCH organizations/:organizationId/roles/:roleId', 'roles_update', renameRole),
  today('DELETE organizations/:organizationId/roles/:roleId', 'roles_delete', deleteRole),
  today('GET organizations/:organizationId/roles/:roleId/role_memberships', 'role_members_list', listMemberships),
  today('POST organizations/:organizationId/roles/:roleId/role_memberships', 'role_members_create', addMembership),
  today(
    'GET organizations/:organizationId/roles/:roleId/role_memberships/:membershipId',
    'role_members_get',
    getMembership,
  ),
  today(
    'DELETE organizations/:organizationId/roles/:roleId/role_memberships/:membershipId',
    'role_members_delete',
    removeMembership,
  ),
]);

export const findAccountRoute: FindRoute = finderOf(ACCOUNT_ROUTES);
