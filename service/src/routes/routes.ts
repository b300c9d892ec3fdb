/** The tables of paths: below a project, outside the contents of projects, and those of SDKs. Requests are routed from them, and the OpenAPI document is built. */

import {
  listDefaultObjects,
  listMemberObjects,
  listRoleObjects,
  readManagementSettings,
  writeManagementSettings,
  readProjectAccess,
  readResourceAccess,
  writeProjectAccess,
  writeResourceAccess,
  readAccess,
  writeAccess,
} from '../access/rules.ts';
import { activityOf } from '../activity/entry.ts';
import { upToDate } from '../alerts/checks.ts';
import { getAlert, listAlerts } from '../alerts/read.ts';
import { createAlert, deleteAlert, updateAlert } from '../alerts/write.ts';
import {
  stickiness,
  trends,
  funnel,
  funnelCorrelation,
  path,
  propertiesTimeline,
  lifecycle,
  retention,
} from '../analysis/analyses.ts';
import { findCohort, getCohort, listCohorts } from '../cohorts/read.ts';
import { createCohort, updateCohort } from '../cohorts/write.ts';
import type { Answer } from '../handler/call.ts';
import {
  both,
  documented,
  entries,
  type FindRoute,
  finderOf,
  levels,
  type Route,
  routes,
  today,
  match,
  type Methods,
  type Operation,
} from './table.ts';
import { withCsv } from '../handler/lists.ts';
import { evaluationReasons, myFlags } from '../flag-values/reasons.ts';
import { localEvaluation } from '../flag-values/local-evaluation.ts';
import { userBlastRadius } from '../flag-values/blast-radius.ts';
import { findFlag, getFlag, listFlags } from '../flags/read.ts';
import {
  getScheduledChange,
  listScheduledChanges,
  createScheduledChange,
  deleteScheduledChange,
  updateScheduledChange,
} from '../scheduled-changes/write.ts';
import { createFlag } from '../flags/create.ts';
import { replaceFlag, updateFlag } from '../flags/update.ts';
import { findPerson, getPerson, listPersons, personProperties, personValues, personCohorts } from '../persons/read.ts';
import {
  splitPerson,
  createPerson,
  deletePerson,
  deleteProperty,
  updatePerson,
  updateProperty,
} from '../persons/write.ts';
import { getRoleAccess, listRoleAccess, grantRoleAccess, revokeRoleAccess } from '../role-access/entries.ts';
import {
  getFeature,
  listFeatures,
  createFeature,
  deleteFeature,
  replaceFeature,
  updateFeature,
} from '../early-access/features.ts';
import { createAction, getAction, listActions, updateAction } from '../kept-objects/actions.ts';
import {
  bulkDelete,
  bulkUpdateTags,
  bulkKeys,
  archiveFlag,
  disableFlag,
  enableFlag,
  unarchiveFlag,
  rollOutToEveryone,
  setConditionRollout,
} from '../flag-actions/write.ts';
import { dependentFlags, matchingIds, getStatus, getRemoteConfig, getVersion } from '../flag-actions/read.ts';
import { approveRequest, cancelRequest, rejectRequest, getRequest, listRequests } from '../change-requests/requests.ts';
import {
  createPolicy,
  deletePolicy,
  getPolicy,
  listPolicies,
  replacePolicy,
  updatePolicy,
} from '../change-requests/policies.ts';
import { copyFlags } from '../flag-copy/copy-flags.ts';
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
  createRole,
  deleteRole,
  getRole,
  listRoles,
  renameRole,
  getCurrentKey,
  getOrganization,
  getProject,
  listMembers,
} from '../organization/organization.ts';
import { capture } from '../sdk/capture.ts';
import { ofrepFlag, ofrepFlags } from '../sdk/ofrep.ts';
import { sdkDefinitions, sdkLocalEvaluation, decide, flags } from '../sdk/remote-evaluation.ts';

/** The first match counts. Every operation on persons has `format=csv`. */
export const PROJECT_ROUTES: readonly Route[] = routes([
  today('POST feature_flags/bulk_delete', 'flags_bulk_delete', bulkDelete),
  today('POST feature_flags/bulk_keys', 'flags_bulk_keys', bulkKeys),
  today('POST feature_flags/bulk_update_tags', 'flags_bulk_update_tags', bulkUpdateTags),
  today('GET feature_flags/matching_ids', 'flags_matching_ids', matchingIds),
  today('POST feature_flags/:id/archive', 'flag_archive', archiveFlag),
  today('GET feature_flags/:id/dependent_flags', 'flag_dependent_flags', dependentFlags),
  today('POST feature_flags/:id/disable', 'flag_disable', disableFlag),
  today('POST feature_flags/:id/enable', 'flag_enable', enableFlag),
  today('GET feature_flags/:id/remote_config', 'flag_remote_config', getRemoteConfig),
  today('POST feature_flags/:id/roll_out_to_everyone', 'flag_roll_out_to_everyone', rollOutToEveryone),
  today(
    'POST feature_flags/:id/set_release_condition_rollout',
    'flag_set_release_condition_rollout',
    setConditionRollout,
  ),
  today('GET feature_flags/:id/status', 'flag_status', getStatus),
  today('POST feature_flags/:id/unarchive', 'flag_unarchive', unarchiveFlag),
  today('GET feature_flags/:id/versions/:version', 'flag_version', getVersion),
  today('GET change_requests', 'change_requests_list', listRequests),
  today('GET change_requests/:id', 'change_requests_get', getRequest),
  today('POST change_requests/:id/approve', 'change_requests_approve', approveRequest),
  today('POST change_requests/:id/reject', 'change_requests_reject', rejectRequest),
  today('POST change_requests/:id/cancel', 'change_requests_cancel', cancelRequest),
  today('GET approval_policies', 'approval_policies_list', listPolicies),
  today('POST approval_policies', 'approval_policies_create', createPolicy),
  today('GET approval_policies/:id', 'approval_policies_get', getPolicy),
  today('PUT approval_policies/:id', 'approval_policies_replace', replacePolicy),
  today('PATCH approval_policies/:id', 'approval_policies_update', updatePolicy),
  today('DELETE approval_policies/:id', 'approval_policies_delete', deletePolicy),
  both('GET feature_flags', 'flags_list', listFlags),
  both('POST feature_flags', 'flags_create', createFlag),
  both('GET feature_flags/activity', 'flags_activity', activityOf('FeatureFlag')),
  both('GET feature_flags/evaluation_reasons', 'flags_evaluation_reasons', evaluationReasons),
  documented('GET feature_flags/local_evaluation', 'flags_local_evaluation', localEvaluation),
  both('GET feature_flags/my_flags', 'flags_my_flags', myFlags),
  both('POST feature_flags/user_blast_radius', 'flags_user_blast_radius', userBlastRadius),
  both('GET feature_flags/:id', 'flags_get', getFlag),
  both('PATCH feature_flags/:id', 'flags_update', updateFlag),
  today('PUT feature_flags/:id', 'flags_replace', replaceFlag),
  both('DELETE feature_flags/:id', 'flags_delete', refuseDelete),
  both('GET feature_flags/:id/activity', 'flag_activity', activityOf('FeatureFlag', findFlag)),
  entries('GET feature_flags/:flagId/role_access', 'role_access_list', listRoleAccess),
  entries('POST feature_flags/:flagId/role_access', 'role_access_create', grantRoleAccess),
  entries('GET feature_flags/:flagId/role_access/:id', 'role_access_get', getRoleAccess),
  entries('DELETE feature_flags/:flagId/role_access/:id', 'role_access_delete', revokeRoleAccess),
  levels('GET feature_flags/:flagId/access_controls', 'access_get', readAccess),
  levels('PUT feature_flags/:flagId/access_controls', 'access_set', writeAccess),
  levels('GET access_controls', 'project_access_get', readProjectAccess),
  levels('PUT access_controls', 'project_access_set', writeProjectAccess),
  levels('GET resource_access_controls', 'resource_access_get', readResourceAccess),
  levels('PUT resource_access_controls', 'resource_access_set', writeResourceAccess),
  levels('GET access_control_management_settings', 'access_management_settings', readManagementSettings),
  levels('PATCH access_control_management_settings', 'access_management_settings_update', writeManagementSettings),
  levels('GET access_control_default_objects', 'access_default_objects', listDefaultObjects),
  levels('GET access_control_role_objects', 'access_role_objects', listRoleObjects),
  levels('GET access_control_member_objects', 'access_member_objects', listMemberObjects),
  both('GET cohorts', 'cohorts_list', listCohorts),
  both('POST cohorts', 'cohorts_create', createCohort),
  today('GET cohorts/activity', 'cohorts_activity', activityOf('Cohort')),
  both('GET cohorts/:id', 'cohorts_get', getCohort),
  both('PATCH cohorts/:id', 'cohorts_update', updateCohort),
  both('DELETE cohorts/:id', 'cohorts_delete', refuseDelete),
  today('GET cohorts/:id/activity', 'cohort_activity', activityOf('Cohort', findCohort)),
  today('GET early_access_feature', 'early_access_features_list', listFeatures),
  today('POST early_access_feature', 'early_access_features_create', createFeature),
  today('GET early_access_feature/:id', 'early_access_features_get', getFeature),
  today('PATCH early_access_feature/:id', 'early_access_features_update', updateFeature),
  today('PUT early_access_feature/:id', 'early_access_features_replace', replaceFeature),
  today('DELETE early_access_feature/:id', 'early_access_features_delete', deleteFeature),
  today('GET actions', 'actions_list', listActions),
  today('POST actions', 'actions_create', createAction),
  today('GET actions/:id', 'actions_get', getAction),
  today('PATCH actions/:id', 'actions_update', updateAction),
  today('DELETE actions/:id', 'actions_delete', refuseDelete),
  today('GET alerts', 'alerts_list', upToDate(listAlerts)),
  today('POST alerts', 'alerts_create', upToDate(createAlert)),
  today('GET alerts/:id', 'alerts_get', upToDate(getAlert)),
  today('PATCH alerts/:id', 'alerts_update', upToDate(updateAlert)),
  today('DELETE alerts/:id', 'alerts_delete', upToDate(deleteAlert)),
  today('GET scheduled_changes', 'scheduled_changes_list', listScheduledChanges),
  today('POST scheduled_changes', 'scheduled_changes_create', createScheduledChange),
  today('GET scheduled_changes/:id', 'scheduled_changes_get', getScheduledChange),
  today('PATCH scheduled_changes/:id', 'scheduled_changes_update', updateScheduledChange),
  today('DELETE scheduled_changes/:id', 'scheduled_changes_delete', deleteScheduledChange),
  both('GET persons', 'persons_list', withCsv(listPersons)),
  documented('POST persons', 'persons_create', withCsv(createPerson)),
  both('GET persons/activity', 'persons_activity', withCsv(activityOf('Person'))),
  both('GET persons/cohorts', 'persons_cohorts', withCsv(personCohorts)),
  both('GET persons/funnel', 'persons_funnel', withCsv(funnel)),
  both('POST persons/funnel', 'persons_funnel_create', withCsv(funnel)),
  documented('GET persons/funnel/correlation', 'persons_funnel_correlation', withCsv(funnelCorrelation)),
  documented('POST persons/funnel/correlation', 'persons_funnel_correlation_create', withCsv(funnelCorrelation)),
  both('GET persons/lifecycle', 'persons_lifecycle', withCsv(lifecycle)),
  documented('GET persons/path', 'persons_path', withCsv(path)),
  documented('POST persons/path', 'persons_path_create', withCsv(path)),
  documented('GET persons/properties', 'persons_properties', withCsv(personProperties)),
  documented('GET persons/retention', 'persons_retention', withCsv(retention)),
  both('GET persons/stickiness', 'persons_stickiness', withCsv(stickiness)),
  both('GET persons/trends', 'persons_trends', withCsv(trends)),
  both('GET persons/values', 'persons_values', withCsv(personValues)),
  both('GET persons/:id', 'persons_get', withCsv(getPerson)),
  both('PATCH persons/:id', 'persons_update', withCsv(updatePerson)),
  today('PUT persons/:id', 'persons_replace', withCsv(updatePerson)),
  both('DELETE persons/:id', 'persons_delete', withCsv(deletePerson)),
  both('GET persons/:id/activity', 'persons_one_activity', withCsv(activityOf('Person', findPerson))),
  both('POST persons/:id/delete_property', 'persons_delete_property', withCsv(deleteProperty)),
  both('GET persons/:id/properties_timeline', 'persons_properties_timeline', withCsv(propertiesTimeline)),
  both('POST persons/:id/split', 'persons_split', withCsv(splitPerson)),
  both('POST persons/:id/update_property', 'persons_update_property', withCsv(updateProperty)),
]);

/** Paths below `/api/projects/ID`. */
export const findRoute: FindRoute = finderOf(PROJECT_ROUTES);

/** Flags, cohorts and actions are never hard-deleted; the answer has no body and does not depend on whether they exist. */
function refuseDelete(): Answer {
  return { status: 405 };
}

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

export interface RootRoute {
  readonly path: string;
  /**
   * `key`: an API key is required, and a token in the query names the project. `token`: only a token is required.
   * `ofrep`: a token in a header, and refusals in the form of the protocol.
   */
  readonly access: 'key' | 'token' | 'ofrep' | 'none';
  readonly methods: Methods;
}

const preflight: Operation = { id: 'sdk_preflight', handler: () => ({ status: 204 }) };
const capturing: Methods = { POST: { id: 'sdk_capture', handler: capture }, OPTIONS: preflight };

export const ROOT_ROUTES: readonly RootRoute[] = [
  {
    path: 'flags/definitions',
    access: 'key',
    methods: { GET: { id: 'sdk_definitions', handler: sdkDefinitions } },
  },
  {
    path: 'api/feature_flag/local_evaluation',
    access: 'key',
    methods: { GET: { id: 'sdk_local_evaluation', handler: sdkLocalEvaluation } },
  },
  { path: 'flags', access: 'token', methods: { POST: { id: 'sdk_flags', handler: flags }, OPTIONS: preflight } },
  { path: 'decide', access: 'token', methods: { POST: { id: 'sdk_decide', handler: decide }, OPTIONS: preflight } },
  {
    path: 'ofrep/v1/evaluate/flags/:key',
    access: 'ofrep',
    methods: { POST: { id: 'ofrep_evaluate_flag', handler: ofrepFlag }, OPTIONS: preflight },
  },
  {
    path: 'ofrep/v1/evaluate/flags',
    access: 'ofrep',
    methods: { POST: { id: 'ofrep_evaluate_flags', handler: ofrepFlags }, OPTIONS: preflight },
  },
  ...['batch', 'capture', 'e', 'i/v0/e', 'track'].map((path): RootRoute => ({
    path,
    access: 'token',
    methods: capturing,
  })),
];

export interface FoundRootRoute extends RootRoute {
  /** The values as the path has them, not decoded. */
  readonly params: Readonly<Record<string, string>>;
}

const ROOT_MATCHERS = ROOT_ROUTES.map((route) => ({ route, pattern: route.path.split('/') }));

export function findRootRoute(path: string): FoundRootRoute | undefined {
  const segments = path.replace(/^\/|\/$/g, '').split('/');
  for (const { route, pattern } of ROOT_MATCHERS) {
    const params = match(pattern, segments);
    if (params !== undefined) return { ...route, params };
  }
  return undefined;
}
