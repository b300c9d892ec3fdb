/** The file that `snapshot` writes. */

import {
  among,
  array,
  boolean,
  define,
  integer,
  is,
  mapOf,
  object,
  oneOf,
  open,
  orNull,
  string,
  type Schema,
  type SchemaMembers,
} from '../../src/base/schema.ts';
import type { CohortFieldName } from '../../src/posthog/cohort/cohort.ts';
import type { FeatureMember } from '../../src/posthog/early-access/feature.ts';
import { document } from '../join.ts';
import { resourcesAtCommits } from '../parts/base.ts';
import { rolloutProgress } from '../parts/rollouts.ts';
import { commitHash, formatVersion, sha256, timestamp } from '../parts/values.ts';

const flag = define(
  'flag',
  open(
    {
      id: integer(),
      key: string(),
      'name?': orNull(string()),
      'filters?': { type: 'object' },
      'version?': orNull(integer()),
      'active?': orNull(boolean()),
      'deleted?': orNull(boolean()),
      'archived?': orNull(boolean()),
      'tags?': orNull(array(string())),
      'experiment_set?': orNull(array(integer())),
      'experiment_set_metadata?': orNull(
        array(object({ id: integer(), 'name?': orNull(string()), 'is_running?': orNull(boolean()) })),
      ),
      'surveys?': orNull(array(object({ 'id?': string(), 'name?': orNull(string()) }))),
      'is_used_in_replay_settings?': orNull(boolean()),
    },
    {
      title: 'Flag',
      description:
        'As the service answers it, without its author, its editors and its use; encrypted payloads are digests',
    },
  ),
);

const access = define(
  'access',
  oneOf(
    [
      array(
        object({ id: integer(), role: object({ id: string(), name: string() }) }),
        'On a service of 2023: the roles that can edit the flag',
      ),
      object(
        {
          access_controls: array(
            object({
              access_level: string(),
              role: orNull(string()),
              organization_member: among(['member', null], '`member` for a single member, who is not named'),
            }),
          ),
          'default_access_level?': {},
          'user_can_edit_access_levels?': {},
          'inherited_access?': { type: 'object' },
        },
        "On today's service",
      ),
      object({ refused: { type: 'null' } }, 'The service refused to answer'),
    ],
    { title: 'Access to a flag' },
  ),
);

const cohort = define(
  'cohort',
  object(
    {
      id: integer(),
      'name?': orNull(string()),
      'description?': orNull(string()),
      'is_static?': orNull(boolean()),
      'deleted?': orNull(boolean()),
      'is_calculating?': orNull(boolean()),
      'filters?': { description: 'The definition' },
    } satisfies Readonly<Record<'id' | 'is_calculating?' | `${CohortFieldName}?`, Schema>>,
    { title: 'Cohort' },
  ),
);

const earlyAccessFeature = define(
  'early_access_feature',
  object(
    {
      id: integer('Id of the flag'),
      feature_id: string(),
      name: string(),
      'description?': orNull(string()),
      stage: string(),
      'documentation_url?': orNull(string()),
      'payload?': { description: 'Any JSON value' },
      'enrollment?': boolean('Whether the flag enrolls people; only where the stage says otherwise'),
    } satisfies SchemaMembers & Readonly<Record<`${Exclude<FeatureMember, 'name' | 'stage'>}?`, Schema>>,
    { title: 'Early access feature' },
  ),
);

const schedule = define(
  'schedule',
  object(
    {
      id: integer(),
      record_id: string('Id of the flag'),
      scheduled_at: string(),
      'executed_at?': {},
      'is_recurring?': {},
      'recurrence_interval?': {},
      'cron_expression?': {},
      'end_date?': {},
      'change_request?': orNull(object({ id: string(), state: string() })),
      payload: object({ 'operation?': {}, 'value?': oneOf([boolean(), object({ groups: array({}) })]) }),
    },
    { title: 'Scheduled change' },
  ),
);

const trace = define(
  'trace',
  oneOf(
    [
      object({
        kind: is('former'),
        key: string(),
        id: integer(),
        evidence: among(['recorded', 'logged']),
        'since?': string(),
      }),
      object({ kind: is('unknown'), key: string(), why: among(['forbidden', 'failed', 'too_long']) }),
    ],
    { title: 'Trace' },
  ),
);

export const snapshotDocument = document(
  'snapshot',
  object(
    {
      kind: is('snapshot'),
      format_version: formatVersion,
      project: object(
        {
          name: string('Name of the project in flagwright.yaml'),
          host: string('Origin of the service without a trailing slash; `embedded` for the embedded service'),
          project_id: string('Id of the project in the service, as a string'),
        },
        { title: 'Project' },
      ),
      taken_at: timestamp('When the service was read, ISO 8601, UTC'),
      'base?': commitHash('The commit that was applied last; absent where none was known'),
      'earlier?': resourcesAtCommits('What applies had left until then, with the commit at which it was applied last'),
      'rollouts?': array(rolloutProgress, 'How far the rollouts of that commit had come'),
      roles: mapOf(string(), 'Ids of roles by their names; empty where the key may not read them'),
      flags: array(
        flag,
        'Every flag, archived ones included, sorted by id; of deleted ones, those that declared flags may be',
      ),
      role_access: mapOf(access, "Access to the flags whose access the manifests manage, by the flag's id"),
      'cohorts?': array(cohort, 'Every cohort, sorted by id; absent where the key may not read them'),
      'early_access?': array(
        earlyAccessFeature,
        'Every early access feature, sorted by the id of its flag; absent where the key may not read them',
      ),
      'schedules?': array(schedule, 'Changes that the service is to make by itself, without their values'),
      'organization?': object(
        {
          role_names: mapOf(string(), 'Names of roles by their ids'),
          lacks_role_access: boolean('The paid feature that the levels of roles need is missing'),
        },
        { title: 'Organization', description: 'Absent where the key may not read it' },
      ),
      'traces?': array(trace, 'What became of declared flags that are not live'),
      'cohort_traces?': array(trace, 'What became of declared cohorts that are not live'),
      fingerprint: sha256(
        'Hash of all members above; a different hash means that the file was edited or truncated. It is not a signature',
      ),
    },
    {
      title: 'flagwright snapshot',
      description:
        'The live state of one project at one time, which `flagwright snapshot` writes and `flagwright plan --against` reads.',
    },
  ),
);
