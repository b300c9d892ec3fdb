/** Describes the parameters, body and answers of each operation, by its id. */

import { LIST_FILTERS } from '../flags/list-filter.ts';
import type { Profile } from '../handler/profile.ts';

/** The name of a schema for each status; null for no body. */
type Answers = Readonly<Record<number, string | null>>;

export interface OperationDescription {
  readonly summary: string;
  /** Names of query parameters. */
  readonly query?: readonly string[];
  /** The name of a schema. */
  readonly body?: string;
  readonly answers: Answers | Readonly<Record<Profile, Answers>>;
}

const PAGE = ['limit', 'offset'];
const LOG = ['limit', 'page'];
const QUESTION = ['events', 'entity_id', 'properties', 'date_from', 'date_to', 'interval', ...PAGE];

const PERSON_CHANGED = { documented: { 200: 'Person' }, posthog: { 202: null } };
const DONE = { documented: { 200: 'Person' }, posthog: { 201: 'Success' } };

export const OPERATIONS: Readonly<Record<string, OperationDescription>> = {
  flags_list: {
    summary: 'Flags, newest first; deleted ones are left out.',
    query: [...PAGE, ...LIST_FILTERS, 'archived', 'order'],
    answers: { 200: 'FlagPage' },
  },
  flags_create: { summary: 'Creates a flag.', body: 'FlagWrite', answers: { 201: 'Flag' } },
  flags_get: { summary: 'One flag, a deleted one too.', answers: { 200: 'Flag' } },
  flags_update: {
    summary: 'Changes a flag, deletes it softly or brings it back.',
    body: 'FlagWrite',
    answers: { 200: 'Flag' },
  },
  flags_replace: {
    summary: 'Like a change, but the key must be there.',
    body: 'FlagWrite',
    answers: { 200: 'Flag' },
  },
  flags_delete: { summary: 'Refused: a flag is deleted by a PATCH.', answers: { 405: null } },
  flags_activity: { summary: 'What happened to flags, newest first.', query: LOG, answers: { 200: 'ActivityPage' } },
  flag_activity: { summary: 'What happened to a flag, newest first.', query: LOG, answers: { 200: 'ActivityPage' } },
  flags_evaluation_reasons: {
    summary: "Each flag's value for a person, and why.",
    query: ['distinct_id', 'groups', 'flag_keys'],
    answers: { 200: 'Reasons' },
  },
  flags_local_evaluation: {
    summary: 'What an SDK needs to evaluate flags by itself.',
    answers: { 200: 'LocalEvaluation' },
  },
  flags_my_flags: {
    summary: "Each flag's value for the owner of the key.",
    query: ['groups', 'flag_keys'],
    answers: { 200: 'MyFlags' },
  },
  flags_user_blast_radius: {
    summary: 'How many persons or groups a condition is about.',
    body: 'BlastRadiusQuestion',
    answers: { 200: 'BlastRadius' },
  },
  role_access_list: {
    summary: 'The roles that have access to a flag.',
    query: PAGE,
    answers: { 200: 'RoleAccessPage' },
  },
  role_access_create: { summary: 'Grants a role access.', body: 'RoleAccessWrite', answers: { 201: 'RoleAccess' } },
  role_access_get: { summary: 'One entry.', answers: { 200: 'RoleAccess' } },
  role_access_delete: { summary: 'Revokes it.', answers: { 204: null } },
  persons_list: {
    summary: 'Persons, newest first. As CSV all of them at once.',
    query: [...PAGE, 'distinct_id', 'email', 'search', 'properties', 'include_total'],
    answers: { 200: 'PersonPage' },
  },
  persons_create: { summary: 'Creates a person.', body: 'PersonWrite', answers: { 201: 'Person' } },
  persons_get: { summary: 'One person, by id or UUID.', answers: { 200: 'Person' } },
  persons_update: { summary: 'Adds properties.', body: 'PersonWrite', answers: PERSON_CHANGED },
  persons_replace: { summary: 'The same as a PATCH.', body: 'PersonWrite', answers: PERSON_CHANGED },
  persons_delete: {
    summary: 'Deletes a person.',
    query: ['delete_events'],
    answers: { documented: { 204: null }, posthog: { 202: null } },
  },
  persons_activity: { summary: 'What happened to persons.', query: LOG, answers: { 200: 'ActivityPage' } },
  persons_one_activity: { summary: 'What happened to a person.', query: LOG, answers: { 200: 'ActivityPage' } },
  persons_delete_property: {
    summary: 'Takes a property away.',
    query: ['$unset'],
    body: 'PropertyDelete',
    answers: DONE,
  },
  persons_update_property: {
    summary: 'Sets a property.',
    query: ['key', 'value'],
    body: 'PropertyWrite',
    answers: PERSON_CHANGED,
  },
  persons_split: { summary: 'A person for each distinct id.', body: 'Split', answers: DONE },
  persons_properties_timeline: {
    summary: 'How the properties came to be.',
    query: QUESTION,
    answers: { 200: 'Timeline' },
  },
  persons_cohorts: { summary: 'The cohorts that a person is in.', query: ['person_id'], answers: { 200: 'Cohorts' } },
  persons_properties: { summary: 'The properties that persons have.', answers: { 200: 'NamedCounts' } },
  persons_values: { summary: 'The values of a property.', query: ['key', 'value'], answers: { 200: 'NamedCounts' } },
  persons_trends: { summary: 'Who did something.', query: QUESTION, answers: { 200: 'People' } },
  persons_stickiness: {
    summary: 'Who did it on so many days.',
    query: [...QUESTION, 'stickiness_days'],
    answers: { 200: 'ShortPeople' },
  },
  persons_lifecycle: {
    summary: 'Who was new, came again, came back or stayed away.',
    query: [...QUESTION, 'target_date', 'lifecycle_type'],
    answers: { 200: 'ShortPeople', 400: 'Incomplete' },
  },
  persons_retention: {
    summary: 'Who came back later.',
    query: ['target_entity', 'returning_entity', 'period', 'total_intervals', 'selected_interval', 'date_to', ...PAGE],
    answers: { 200: 'Retention' },
  },
  ...asked('persons_funnel', 'How far persons came through steps.', ['funnel_step', 'funnel_window_days']),
  ...asked('persons_funnel_correlation', 'What else those did who came to the end.', [
    'funnel_correlation_person_entity',
    'funnel_correlation_person_converted',
  ]),
  ...asked('persons_path', 'Who did one thing right after another.', ['path_start_key', 'path_end_key']),
  openapi: { summary: 'This description.', answers: { 200: 'OpenApi' } },
  sdk_definitions: {
    summary: 'Flag definitions for local evaluation.',
    query: ['token'],
    answers: { 200: 'Definitions', 304: null },
  },
  sdk_local_evaluation: {
    summary: 'The same, as older SDKs ask it.',
    query: ['token'],
    answers: { 200: 'LocalEvaluation', 304: null },
  },
  sdk_flags: { summary: 'The values of all flags for one person.', query: ['v'], answers: { 200: 'RemoteEvaluation' } },
  sdk_decide: { summary: 'The same, as older SDKs ask it.', query: ['v'], answers: { 200: 'RemoteEvaluation' } },
  sdk_capture: { summary: 'Takes events.', answers: { 200: 'Captured' } },
  sdk_preflight: { summary: 'What a browser asks first.', answers: { 204: null } },
};

/** An analysis with GET and POST. */
function asked(id: string, summary: string, query: readonly string[]): Record<string, OperationDescription> {
  const common = { summary, query: [...QUESTION, ...query], answers: { 200: 'People' } };
  return { [id]: common, [`${id}_create`]: { ...common, body: 'AnalysisQuestion' } };
}
