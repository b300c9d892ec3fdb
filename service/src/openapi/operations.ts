/** Describes the parameters, body and answers of each operation, by its id. */

import { ACTION_OPERATIONS } from './flags.ts';
import { OBJECT_OPERATIONS } from './objects.ts';
import { LIST_FILTERS } from '../flags/list-filter.ts';
import { GATED, type Operations } from './schema.ts';
import { SDK_OPERATIONS } from './sdks.ts';

const PAGE = ['limit', 'offset'];
const LOG = ['limit', 'page'];
const QUESTION = ['events', 'entity_id', 'properties', 'date_from', 'date_to', 'interval', ...PAGE];

const PERSON_CHANGED = { documented: { 200: 'Person' }, posthog: { 202: null } };
const DONE = { documented: { 200: 'Person' }, posthog: { 201: 'Success' } };

export const OPERATIONS: Operations = {
  flags_list: {
    summary: 'Flags that are not deleted, newest first.',
    query: [...PAGE, ...LIST_FILTERS, 'order'],
    answers: 'FlagPage',
  },
  flags_create: {
    summary: 'Creates a flag.',
    body: 'FlagCreate',
    answers: { documented: { 201: 'Flag' }, posthog: { 201: 'Flag', ...GATED } },
  },
  flags_get: { summary: 'One flag, including deleted ones.', answers: 'Flag' },
  flags_update: {
    summary: 'Changes, soft-deletes or restores a flag.',
    body: 'FlagWrite?',
    answers: { documented: { 200: 'Flag' }, posthog: { 200: 'Flag', ...GATED } },
  },
  flags_replace: {
    summary: 'Changes a flag; the key is required.',
    body: 'FlagCreate',
    answers: { 200: 'Flag', ...GATED },
  },
  flags_delete: { summary: 'Refused: flags are deleted by a PATCH.', answers: { 405: null } },
  flags_activity: { summary: 'Changes of flags, newest first.', query: LOG, answers: 'ActivityPage' },
  flag_activity: { summary: 'Changes of one flag, newest first.', query: LOG, answers: 'ActivityPage' },
  flags_evaluation_reasons: {
    summary: 'The value of each flag for a person, with its reason.',
    query: ['distinct_id', 'groups', 'flag_keys'],
    required: ['distinct_id'],
    answers: 'Reasons',
  },
  flags_local_evaluation: {
    summary: 'Flag definitions for local evaluation.',
    query: ['send_cohorts'],
    answers: 'LocalEvaluation',
  },
  flags_my_flags: {
    summary: 'The value of each flag for the owner of the key.',
    query: ['groups', 'flag_keys'],
    answers: 'MyFlags',
  },
  flags_user_blast_radius: {
    summary: 'How many persons or groups match a condition.',
    body: 'BlastRadiusQuestion',
    answers: 'BlastRadius',
  },
  role_access_list: { summary: 'The roles with access to a flag.', query: PAGE, answers: 'RoleAccessPage' },
  role_access_create: { summary: 'Grants a role access.', body: 'RoleAccessWrite', answers: { 201: 'RoleAccess' } },
  role_access_get: { summary: 'One role access entry.', answers: 'RoleAccess' },
  access_get: { summary: 'The access rules of a flag.', answers: 'Access' },
  access_set: {
    summary: 'Sets the level of a role, a member or everyone; null removes it.',
    body: 'AccessWrite',
    answers: { 200: 'AccessRule', 204: null },
  },
  project_access_get: { summary: 'Who may use the project.', answers: 'ProjectAccess' },
  project_access_set: {
    summary: 'Sets who may use the project: a role, a member or everyone; null removes the rule.',
    body: 'ProjectAccessWrite',
    answers: { 200: 'ProjectRule', 204: null },
  },
  resource_access_get: { summary: 'The levels for all objects of a kind.', answers: 'ResourceAccess' },
  resource_access_set: {
    summary: 'Sets the level of a role, a member or everyone for all objects of a kind; null removes it.',
    body: 'ResourceAccessWrite',
    answers: { 200: 'ResourceRule', 204: null },
  },
  access_management_settings: {
    summary: 'Whether only Terraform may change the access rules that it manages.',
    answers: 'AccessManagementSettings',
  },
  access_management_settings_update: {
    summary: 'Sets whether only Terraform may change the access rules that it manages.',
    body: 'AccessManagementSettingsWrite',
    answers: 'AccessManagementSettings',
  },
  access_default_objects: { summary: 'The objects with a rule for everyone.', answers: 'AccessObjects' },
  access_role_objects: {
    summary: 'The objects with a rule for a role.',
    query: ['role_id'],
    required: ['role_id'],
    answers: 'AccessObjects',
  },
  access_member_objects: {
    summary: 'The objects with a rule for a member.',
    query: ['member_id'],
    required: ['member_id'],
    answers: 'AccessObjects',
  },
  projects_get: { summary: 'One project.', answers: 'Project' },
  personal_api_keys_current: { summary: 'The key of the request.', answers: 'CurrentKey' },
  organizations_get: { summary: 'The organization.', answers: 'Organization' },
  members_list: { summary: 'The members of the organization.', query: PAGE, answers: 'MemberPage' },
  members_update: { summary: 'Changes the level of a member.', body: 'MemberChange?', answers: 'Member' },
  roles_list: { summary: 'The roles of the organization.', query: PAGE, answers: 'RolePage' },
  roles_create: { summary: 'Creates a role.', body: 'RoleWrite', answers: { 201: 'OrganizationRole' } },
  roles_get: { summary: 'One role.', answers: 'OrganizationRole' },
  roles_update: { summary: 'Renames a role.', body: 'RoleChange?', answers: 'OrganizationRole' },
  roles_delete: { summary: 'Deletes a role with its access rules.', answers: { 204: null } },
  role_members_list: { summary: 'The members who have a role.', query: PAGE, answers: 'RoleMembershipPage' },
  role_members_create: {
    summary: 'Gives a member the role.',
    body: 'RoleMembershipWrite',
    answers: { 201: 'RoleMembership' },
  },
  role_members_get: { summary: 'One membership of a role.', answers: 'RoleMembership' },
  role_members_delete: { summary: 'Takes the role from a member.', answers: { 204: null } },
  role_access_delete: { summary: 'Revokes role access.', answers: { 204: null } },
  cohorts_list: { summary: 'The cohorts of the project, newest first.', query: PAGE, answers: 'CohortPage' },
  cohorts_get: { summary: 'One cohort, including deleted ones.', answers: 'Cohort' },
  cohorts_create: {
    summary: 'Creates a cohort, and starts its calculation.',
    body: 'CohortWrite?',
    answers: { 201: 'Cohort' },
  },
  cohorts_update: { summary: 'Changes, soft-deletes or restores a cohort.', body: 'CohortWrite?', answers: 'Cohort' },
  cohorts_delete: { summary: 'Refused: cohorts are deleted by a PATCH.', answers: { 405: null } },
  cohorts_activity: { summary: 'Changes of cohorts, newest first.', query: LOG, answers: 'ActivityPage' },
  cohort_activity: { summary: 'Changes of one cohort, newest first.', query: LOG, answers: 'ActivityPage' },
  scheduled_changes_list: {
    summary: 'The scheduled changes of flags, executed ones too.',
    query: [...PAGE, 'model_name', 'record_id'],
    answers: 'ScheduledChangePage',
  },
  scheduled_changes_get: {
    summary: 'One scheduled change.',
    query: ['model_name', 'record_id'],
    answers: 'ScheduledChange',
  },
  scheduled_changes_create: {
    summary: 'Schedules a change of a flag.',
    body: 'ScheduledChangeCreate',
    answers: { 201: 'ScheduledChange', ...GATED },
  },
  scheduled_changes_update: {
    summary: 'Changes what is scheduled, or when.',
    query: ['model_name', 'record_id'],
    body: 'ScheduledChangeWrite?',
    answers: { 200: 'ScheduledChange', ...GATED },
  },
  scheduled_changes_delete: {
    summary: 'Cancels a scheduled change.',
    query: ['model_name', 'record_id'],
    answers: { 204: null },
  },
  persons_list: {
    summary: 'Persons, newest first; as CSV without pages.',
    query: [...PAGE, 'distinct_id', 'email', 'search', 'properties', 'include_total'],
    answers: 'PersonPage',
  },
  persons_create: { summary: 'Creates a person.', body: 'PersonWrite?', answers: { 201: 'Person' } },
  persons_get: { summary: 'One person, by id or UUID.', answers: 'Person' },
  persons_update: { summary: 'Adds properties.', body: 'PersonWrite?', answers: PERSON_CHANGED },
  persons_replace: { summary: 'The same as a PATCH.', body: 'PersonWrite?', answers: PERSON_CHANGED },
  persons_delete: {
    summary: 'Deletes a person.',
    query: ['delete_events'],
    answers: { documented: { 204: null }, posthog: { 202: null } },
  },
  persons_activity: { summary: 'Changes of persons.', query: LOG, answers: 'ActivityPage' },
  persons_one_activity: { summary: 'Changes of one person.', query: LOG, answers: 'ActivityPage' },
  persons_delete_property: {
    summary: 'Removes a property.',
    query: ['$unset'],
    body: 'PropertyDelete?',
    answers: DONE,
  },
  persons_update_property: {
    summary: 'Sets a property.',
    query: ['key', 'value'],
    body: 'PropertyWrite?',
    answers: PERSON_CHANGED,
  },
  persons_split: { summary: 'Splits a person by distinct id.', body: 'Split?', answers: DONE },
  persons_properties_timeline: {
    summary: "The history of a person's properties.",
    query: QUESTION,
    answers: 'Timeline',
  },
  persons_cohorts: {
    summary: 'The cohorts of a person.',
    query: ['person_id'],
    required: ['person_id'],
    answers: 'Cohorts',
  },
  persons_properties: { summary: 'The properties that persons have.', answers: 'NamedCounts' },
  persons_values: { summary: 'The values of a property.', query: ['key', 'value'], answers: 'NamedCounts' },
  persons_trends: { summary: 'Persons who did an event.', query: QUESTION, answers: 'People' },
  persons_stickiness: {
    summary: 'Persons who did an event in a number of intervals.',
    query: [...QUESTION, 'stickiness_days'],
    answers: 'ShortPeople',
  },
  persons_lifecycle: {
    summary: 'Persons who are new, returning, resurrecting or dormant.',
    query: [...QUESTION, 'target_date', 'lifecycle_type'],
    required: ['target_date', 'lifecycle_type'],
    answers: { 200: 'ShortPeople', 400: 'Incomplete' },
  },
  persons_retention: {
    summary: 'Persons who came back in later intervals.',
    query: ['target_entity', 'returning_entity', 'period', 'total_intervals', 'selected_interval', 'date_to', ...PAGE],
    answers: 'Retention',
  },
  ...describeAnalysis('persons_funnel', 'Persons who reached a step, or dropped off before it.', [
    'funnel_step',
    'funnel_window_days',
  ]),
  ...describeAnalysis('persons_funnel_correlation', 'Persons who completed the funnel or not, and also did an event.', [
    'funnel_correlation_person_entity',
    'funnel_correlation_person_converted',
  ]),
  ...describeAnalysis('persons_path', 'Persons who did one event right after another.', [
    'path_start_key',
    'path_end_key',
  ]),
  ...ACTION_OPERATIONS,
  ...OBJECT_OPERATIONS,
  openapi: { summary: 'This OpenAPI document.', answers: 'OpenApi' },
  ...SDK_OPERATIONS,
};

/** An analysis with GET and POST. */
function describeAnalysis(id: string, summary: string, query: readonly string[]): Operations {
  const common = { summary, query: [...QUESTION, ...query], answers: 'People' };
  return { [id]: common, [`${id}_create`]: { ...common, body: 'AnalysisQuestion?' } };
}
