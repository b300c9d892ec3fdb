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
import { type Answer, type Handler, type Methods, type Operation, today } from '../handler/call.ts';
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

const documented = { profile: 'documented' } as const;
const posthog = { profile: 'posthog' } as const;
const entries = { access: 'entries' } as const;
const levels = { access: 'levels' } as const;

/** `:name` stands for one segment. The first match counts. */
export const PROJECT_ROUTES: readonly (readonly [path: string, methods: Methods])[] = [
  ['feature_flags/bulk_delete', { POST: today('flags_bulk_delete', bulkDelete) }],
  ['feature_flags/bulk_keys', { POST: today('flags_bulk_keys', bulkKeys) }],
  ['feature_flags/bulk_update_tags', { POST: today('flags_bulk_update_tags', bulkUpdateTags) }],
  ['feature_flags/matching_ids', { GET: today('flags_matching_ids', matchingIds) }],
  ['feature_flags/:id/archive', { POST: today('flag_archive', archiveFlag) }],
  ['feature_flags/:id/dependent_flags', { GET: today('flag_dependent_flags', dependentFlags) }],
  ['feature_flags/:id/disable', { POST: today('flag_disable', disableFlag) }],
  ['feature_flags/:id/enable', { POST: today('flag_enable', enableFlag) }],
  ['feature_flags/:id/remote_config', { GET: today('flag_remote_config', getRemoteConfig) }],
  ['feature_flags/:id/roll_out_to_everyone', { POST: today('flag_roll_out_to_everyone', rollOutToEveryone) }],
  [
    'feature_flags/:id/set_release_condition_rollout',
    { POST: today('flag_set_release_condition_rollout', setConditionRollout) },
  ],
  ['feature_flags/:id/status', { GET: today('flag_status', getStatus) }],
  ['feature_flags/:id/unarchive', { POST: today('flag_unarchive', unarchiveFlag) }],
  ['feature_flags/:id/versions/:version', { GET: today('flag_version', getVersion) }],
  ['change_requests', { GET: today('change_requests_list', listRequests) }],
  ['change_requests/:id', { GET: today('change_requests_get', getRequest) }],
  ['change_requests/:id/approve', { POST: today('change_requests_approve', approveRequest) }],
  ['change_requests/:id/reject', { POST: today('change_requests_reject', rejectRequest) }],
  ['change_requests/:id/cancel', { POST: today('change_requests_cancel', cancelRequest) }],
  [
    'approval_policies',
    { GET: today('approval_policies_list', listPolicies), POST: today('approval_policies_create', createPolicy) },
  ],
  [
    'approval_policies/:id',
    {
      GET: today('approval_policies_get', getPolicy),
      PUT: today('approval_policies_replace', replacePolicy),
      PATCH: today('approval_policies_update', updatePolicy),
      DELETE: today('approval_policies_delete', deletePolicy),
    },
  ],
  ['feature_flags', { GET: op('flags_list', listFlags), POST: op('flags_create', createFlag) }],
  ['feature_flags/activity', { GET: op('flags_activity', projectActivity) }],
  ['feature_flags/evaluation_reasons', { GET: op('flags_evaluation_reasons', evaluationReasons) }],
  ['feature_flags/local_evaluation', { GET: { ...op('flags_local_evaluation', localEvaluation), ...documented } }],
  ['feature_flags/my_flags', { GET: op('flags_my_flags', myFlags) }],
  ['feature_flags/user_blast_radius', { POST: op('flags_user_blast_radius', userBlastRadius) }],
  [
    'feature_flags/:id',
    {
      GET: op('flags_get', getFlag),
      PATCH: op('flags_update', updateFlag),
      PUT: today('flags_replace', replaceFlag),
      DELETE: op('flags_delete', refuseDelete),
    },
  ],
  ['feature_flags/:id/activity', { GET: op('flag_activity', flagActivity) }],
  [
    'feature_flags/:flagId/role_access',
    {
      GET: { ...op('role_access_list', listRoleAccess), ...entries },
      POST: { ...op('role_access_create', grantRoleAccess), ...entries },
    },
  ],
  [
    'feature_flags/:flagId/role_access/:id',
    {
      GET: { ...op('role_access_get', getRoleAccess), ...entries },
      DELETE: { ...op('role_access_delete', revokeRoleAccess), ...entries },
    },
  ],
  [
    'feature_flags/:flagId/access_controls',
    { GET: { ...op('access_get', readAccess), ...levels }, PUT: { ...op('access_set', writeAccess), ...levels } },
  ],
  [
    'access_controls',
    {
      GET: { ...op('project_access_get', readProjectAccess), ...levels },
      PUT: { ...op('project_access_set', writeProjectAccess), ...levels },
    },
  ],
  [
    'resource_access_controls',
    {
      GET: { ...op('resource_access_get', readResourceAccess), ...levels },
      PUT: { ...op('resource_access_set', writeResourceAccess), ...levels },
    },
  ],
  [
    'access_control_management_settings',
    {
      GET: { ...op('access_management_settings', readManagementSettings), ...levels },
      PATCH: { ...op('access_management_settings_update', writeManagementSettings), ...levels },
    },
  ],
  ['access_control_default_objects', { GET: { ...op('access_default_objects', listDefaultObjects), ...levels } }],
  ['access_control_role_objects', { GET: { ...op('access_role_objects', listRoleObjects), ...levels } }],
  ['access_control_member_objects', { GET: { ...op('access_member_objects', listMemberObjects), ...levels } }],
  ['cohorts', { GET: op('cohorts_list', listCohorts), POST: op('cohorts_create', createCohort) }],
  ['cohorts/activity', { GET: today('cohorts_activity', cohortsActivity) }],
  [
    'cohorts/:id',
    {
      GET: op('cohorts_get', getCohort),
      PATCH: op('cohorts_update', updateCohort),
      DELETE: op('cohorts_delete', refuseDelete),
    },
  ],
  ['cohorts/:id/activity', { GET: today('cohort_activity', cohortActivity) }],
  [
    'early_access_feature',
    {
      GET: today('early_access_features_list', listFeatures),
      POST: today('early_access_features_create', createFeature),
    },
  ],
  [
    'early_access_feature/:id',
    {
      GET: today('early_access_features_get', getFeature),
      PATCH: today('early_access_features_update', updateFeature),
      PUT: today('early_access_features_replace', replaceFeature),
      DELETE: today('early_access_features_delete', deleteFeature),
    },
  ],
  [
    'actions',
    {
      GET: today('actions_list', listActions),
      POST: today('actions_create', createAction),
    },
  ],
  [
    'actions/:id',
    {
      GET: today('actions_get', getAction),
      PATCH: today('actions_update', updateAction),
      DELETE: today('actions_delete', refuseDelete),
    },
  ],
  [
    'scheduled_changes',
    {
      GET: today('scheduled_changes_list', listScheduledChanges),
      POST: today('scheduled_changes_create', createScheduledChange),
    },
  ],
  [
    'scheduled_changes/:id',
    {
      GET: today('scheduled_changes_get', getScheduledChange),
      PATCH: today('scheduled_changes_update', updateScheduledChange),
      DELETE: today('scheduled_changes_delete', deleteScheduledChange),
    },
  ],
  ['persons', { GET: person('list', listPersons), POST: { ...person('create', createPerson), ...documented } }],
  ['persons/activity', { GET: person('activity', personsActivity) }],
  ['persons/cohorts', { GET: person('cohorts', personCohorts) }],
  ['persons/funnel', { GET: person('funnel', funnel), POST: person('funnel_create', funnel) }],
  [
    'persons/funnel/correlation',
    {
      GET: { ...person('funnel_correlation', funnelCorrelation), ...documented },
      POST: { ...person('funnel_correlation_create', funnelCorrelation), ...documented },
    },
  ],
  ['persons/lifecycle', { GET: person('lifecycle', lifecycle) }],
  [
    'persons/path',
    { GET: { ...person('path', path), ...documented }, POST: { ...person('path_create', path), ...documented } },
  ],
  ['persons/properties', { GET: { ...person('properties', personProperties), ...documented } }],
  ['persons/retention', { GET: { ...person('retention', retention), ...documented } }],
  ['persons/stickiness', { GET: person('stickiness', stickiness) }],
  ['persons/trends', { GET: person('trends', trends) }],
  ['persons/values', { GET: person('values', personValues) }],
  [
    'persons/:id',
    {
      GET: person('get', getPerson),
      PATCH: person('update', updatePerson),
      PUT: { ...person('replace', updatePerson), ...posthog },
      DELETE: person('delete', deletePerson),
    },
  ],
  ['persons/:id/activity', { GET: person('one_activity', personActivity) }],
  ['persons/:id/delete_property', { POST: person('delete_property', deleteProperty) }],
  ['persons/:id/properties_timeline', { GET: person('properties_timeline', propertiesTimeline) }],
  ['persons/:id/split', { POST: person('split', splitPerson) }],
  ['persons/:id/update_property', { POST: person('update_property', updateProperty) }],
];

function op(id: string, handler: Handler): Operation {
  return { id, handler };
}

/** Every operation on persons has `format=csv`. */
function person(name: string, handler: Handler): Operation {
  return { id: `persons_${name}`, handler: withCsv(handler) };
}

/** Flags, cohorts and actions are never hard-deleted; the answer has no body and does not depend on whether they exist. */
function refuseDelete(): Answer {
  return { status: 405 };
}
