/** The table of paths below a project, from which requests are routed and the OpenAPI document is built. */

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
} from '../access/project-access.ts';
import { readAccess, writeAccess } from '../access/flag-access.ts';
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
import { cohortActivity, cohortsActivity, getCohort, listCohorts } from '../cohorts/read.ts';
import { createCohort, updateCohort } from '../cohorts/write.ts';
import type { Answer } from '../handler/call.ts';
import { both, documented, entries, type FindRoute, finderOf, levels, type Route, routes, today } from './table.ts';
import { withCsv } from '../handler/csv.ts';
import { evaluationReasons, myFlags } from '../flag-values/reasons.ts';
import { localEvaluation } from '../flag-values/local-evaluation.ts';
import { userBlastRadius } from '../flag-values/blast-radius.ts';
import { flagActivity, projectActivity, getFlag, listFlags } from '../flags/read.ts';
import {
  getScheduledChange,
  listScheduledChanges,
  createScheduledChange,
  deleteScheduledChange,
  updateScheduledChange,
} from '../scheduled-changes/write.ts';
import { createFlag } from '../flags/create.ts';
import { replaceFlag, updateFlag } from '../flags/update.ts';
import {
  personActivity,
  personsActivity,
  getPerson,
  listPersons,
  personProperties,
  personValues,
  personCohorts,
} from '../persons/read.ts';
import {
  splitPerson,
  createPerson,
  deletePerson,
  deleteProperty,
  updatePerson,
  updateProperty,
} from '../persons/write.ts';
import { getRoleAccess, listRoleAccess, grantRoleAccess, revokeRoleAccess } from '../role-access/entries.ts';
import { getFeature, listFeatures } from '../early-access/read.ts';
import { createFeature, deleteFeature, replaceFeature, updateFeature } from '../early-access/write.ts';
import { createAction, getAction, listActions, updateAction } from '../kept-objects/actions.ts';
import { bulkDelete, bulkUpdateTags, bulkKeys } from '../flag-actions/bulk.ts';
import { dependentFlags, matchingIds, getStatus, getRemoteConfig } from '../flag-actions/read.ts';
import {
  archiveFlag,
  disableFlag,
  enableFlag,
  unarchiveFlag,
  rollOutToEveryone,
  setConditionRollout,
} from '../flag-actions/write.ts';
import { getVersion } from '../flag-actions/versions.ts';
import { approveRequest, cancelRequest, rejectRequest } from '../change-requests/decide.ts';
import {
  createPolicy,
  deletePolicy,
  getPolicy,
  listPolicies,
  replacePolicy,
  updatePolicy,
} from '../change-requests/policies.ts';
import { getRequest, listRequests } from '../change-requests/read.ts';

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
  both('GET feature_flags/activity', 'flags_activity', projectActivity),
  both('GET feature_flags/evaluation_reasons', 'flags_evaluation_reasons', evaluationReasons),
  documented('GET feature_flags/local_evaluation', 'flags_local_evaluation', localEvaluation),
  both('GET feature_flags/my_flags', 'flags_my_flags', myFlags),
  both('POST feature_flags/user_blast_radius', 'flags_user_blast_radius', userBlastRadius),
  both('GET feature_flags/:id', 'flags_get', getFlag),
  both('PATCH feature_flags/:id', 'flags_update', updateFlag),
  today('PUT feature_flags/:id', 'flags_replace', replaceFlag),
  both('DELETE feature_flags/:id', 'flags_delete', refuseDelete),
  both('GET feature_flags/:id/activity', 'flag_activity', flagActivity),
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
  today('GET cohorts/activity', 'cohorts_activity', cohortsActivity),
  both('GET cohorts/:id', 'cohorts_get', getCohort),
  both('PATCH cohorts/:id', 'cohorts_update', updateCohort),
  both('DELETE cohorts/:id', 'cohorts_delete', refuseDelete),
  today('GET cohorts/:id/activity', 'cohort_activity', cohortActivity),
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
  both('GET persons/activity', 'persons_activity', withCsv(personsActivity)),
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
  both('GET persons/:id/activity', 'persons_one_activity', withCsv(personActivity)),
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
