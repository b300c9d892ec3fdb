/** The table of paths below a project, from which requests are routed and the OpenAPI document is built. */

import { listDefaultObjects, listMemberObjects, listRoleObjects } from '../access/list-objects.ts';
import { readManagementSettings, writeManagementSettings } from '../access/management-settings.ts';
import {
  readProjectAccess,
  readResourceAccess,
  writeProjectAccess,
  writeResourceAccess,
} from '../access/project-access.ts';
import { readAccess } from '../access/read.ts';
import { writeAccess } from '../access/write.ts';
import { stickiness, trends } from '../analysis/counts.ts';
import { funnel, funnelCorrelation } from '../analysis/funnel.ts';
import { lifecycle } from '../analysis/lifecycle.ts';
import { path } from '../analysis/path.ts';
import { propertiesTimeline } from '../analysis/properties-timeline.ts';
import { retention } from '../analysis/retention.ts';
import { cohortActivity, cohortsActivity, getCohort, listCohorts } from '../cohorts/read.ts';
import { createCohort, updateCohort } from '../cohorts/write.ts';
import type { Answer, Handler } from '../handler/call.ts';
import { withCsv } from '../handler/csv.ts';
import { evaluationReasons } from '../flag-values/reasons.ts';
import { localEvaluation } from '../flag-values/local-evaluation.ts';
import { myFlags } from '../flag-values/my-flags.ts';
import { userBlastRadius } from '../flag-values/blast-radius.ts';
import { flagActivity, projectActivity } from '../flags/activity.ts';
import { getScheduledChange, listScheduledChanges } from '../scheduled-changes/read.ts';
import { createScheduledChange, deleteScheduledChange, updateScheduledChange } from '../scheduled-changes/write.ts';
import { createFlag } from '../flags/create.ts';
import { getFlag, listFlags } from '../flags/read.ts';
import { replaceFlag, updateFlag } from '../flags/update.ts';
import type { Methods, Operation } from '../handler/operation.ts';
import { personActivity, personsActivity } from '../persons/activity.ts';
import { personCohorts } from '../persons/cohorts.ts';
import { personProperties, personValues } from '../persons/properties.ts';
import { getPerson, listPersons } from '../persons/read.ts';
import { splitPerson } from '../persons/split.ts';
import { createPerson, deletePerson, deleteProperty, updatePerson, updateProperty } from '../persons/write.ts';
import { getRoleAccess, listRoleAccess } from '../role-access/read.ts';
import { grantRoleAccess, revokeRoleAccess } from '../role-access/write.ts';
import { APPROVAL_ROUTES } from './approval-routes.ts';
import { EARLY_ACCESS_ROUTES } from './early-access-routes.ts';
import { FLAG_ACTION_ROUTES } from './flag-action-routes.ts';
import { createAction, getAction, listActions, updateAction } from '../kept-objects/actions.ts';

const documented = { profile: 'documented' } as const;
const posthog = { profile: 'posthog' } as const;
const entries = { access: 'entries' } as const;
const levels = { access: 'levels' } as const;

/** `:name` stands for one segment. The first match counts. */
export const PROJECT_ROUTES: readonly (readonly [path: string, methods: Methods])[] = [
  ...FLAG_ACTION_ROUTES,
  ...APPROVAL_ROUTES,
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
      PUT: { ...op('flags_replace', replaceFlag), ...posthog },
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
  ['cohorts/activity', { GET: { ...op('cohorts_activity', cohortsActivity), ...posthog } }],
  [
    'cohorts/:id',
    {
      GET: op('cohorts_get', getCohort),
      PATCH: op('cohorts_update', updateCohort),
      DELETE: op('cohorts_delete', refuseDelete),
    },
  ],
  ['cohorts/:id/activity', { GET: { ...op('cohort_activity', cohortActivity), ...posthog } }],
  ...EARLY_ACCESS_ROUTES,
  [
    'actions',
    {
      GET: { ...op('actions_list', listActions), ...posthog },
      POST: { ...op('actions_create', createAction), ...posthog },
    },
  ],
  [
    'actions/:id',
    {
      GET: { ...op('actions_get', getAction), ...posthog },
      PATCH: { ...op('actions_update', updateAction), ...posthog },
      DELETE: { ...op('actions_delete', refuseDelete), ...posthog },
    },
  ],
  [
    'scheduled_changes',
    {
      GET: { ...op('scheduled_changes_list', listScheduledChanges), ...posthog },
      POST: { ...op('scheduled_changes_create', createScheduledChange), ...posthog },
    },
  ],
  [
    'scheduled_changes/:id',
    {
      GET: { ...op('scheduled_changes_get', getScheduledChange), ...posthog },
      PATCH: { ...op('scheduled_changes_update', updateScheduledChange), ...posthog },
      DELETE: { ...op('scheduled_changes_delete', deleteScheduledChange), ...posthog },
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
