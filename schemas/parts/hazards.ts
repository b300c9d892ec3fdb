/** The safety rules that a plan breaks, and where the configuration sets a rule. */

import { among, array, count, define, integer, is, number, object, oneOf, ref, string } from '../../src/base/schema.ts';
import { permit } from './exceptions.ts';
import { place } from './place.ts';
import { OF_REPOSITORY } from './references.ts';
import { timestamp } from './values.ts';

export const origin = define(
  'origin',
  oneOf(
    [
      object({
        from: is('configuration'),
        place: ref(place, 'The line of the configuration'),
        'commit?': string('The base, whose configuration has it there; absent where it is that of the checkout'),
      }),
      object(
        { from: among(['default', 'run']) },
        '`default`: the configuration does not set it; `run`: an option of the run, or an exception',
      ),
    ],
    { title: 'Where a rule is set' },
  ),
);

const step = timestamp(
  'When the step of a rollout is due that it is about, ISO 8601, UTC; absent for the changes of the plan',
);

export const hazard = define(
  'hazard',
  oneOf(
    [
      object({
        code: among(['deletes', 'updates', 'disables']),
        'step?': step,
        count: count('Number of resources'),
        'kinds?': object(
          {
            'flag?': integer({ minimum: 1 }),
            'cohort?': integer({ minimum: 1 }),
            'early_access?': integer({ minimum: 1 }),
          },
          'How many of each kind, kinds without any omitted; absent in plans of releases before it',
        ),
        limit: count('The limit with this name in the configuration, or the number that the run allows'),
        'origin?': ref(origin, 'Where that is set; absent in plans of releases before it'),
        permit,
      }),
      object({
        code: among(['deletes_percent', 'updates_percent']),
        'step?': step,
        'resource?': among(['flag', 'cohort', 'early_access'], 'The kind; absent in plans of releases before it'),
        count: count('Number of resources of the kind'),
        of: count('Live ones of which the share is taken'),
        limit_percent: number(),
        'origin?': ref(origin, 'Where that is set; absent in plans of releases before it'),
        permit,
      }),
      object({
        code: is('manifests_shrunk'),
        count: count('Flags that no manifest names and `--prune` would delete'),
        kept: count('Live flags that a manifest declares'),
        permit,
      }),
      object({
        code: is('protected'),
        'step?': step,
        ref: string('The change'),
        key: string('The flag'),
        action: among(['delete', 'disable', 'rename']),
        'origin?': ref(origin, 'Where that is set; absent in plans of releases before it'),
        permit,
      }),
      object({
        code: is('experiments'),
        ref: string('The change'),
        key: string('The flag'),
        experiments: array(integer(), 'Ids of the experiments of a flag that would be deleted'),
        'permit?': ref(permit, 'Absent where the service refuses the change anyway'),
      }),
      object({
        code: is('experiment_variants'),
        ref: string('The change'),
        key: string('The flag'),
        variants: array(string(), 'Keys of the variants that the change removes'),
        experiments: array(object({ id: integer(), 'name?': string() }), 'The running experiments of the flag'),
      }),
      object({
        code: is('replay_linked'),
        ref: string('The change'),
        key: string('The flag, which the service does not delete, since the settings of session replay name it'),
      }),
      object({
        code: is('dependents'),
        'step?': step,
        ref: string('The change'),
        key: string('The flag'),
        action: among(['delete', 'disable']),
        dependents: array(string(), 'Keys of the active flags that depend on it'),
        'first?': array(
          string(),
          'The active flags that depend on it, directly or not, in an order in which they can be disabled; absent in plans of releases before it',
        ),
        'conditions?': integer({
          minimum: 1,
          description: 'The number of conditions of the flag to disable; absent if something else decides before them',
        }),
        'permit?': ref(permit, 'Absent where the service refuses the change anyway'),
      }),
      object({
        code: is('dependencies_disabled'),
        'step?': step,
        ref: string('The change that enables the flag'),
        key: string('The flag'),
        dependencies: array(string(), 'Keys of the disabled flags on which it depends'),
        first: array(
          string(),
          'The disabled flags on which it depends, directly or not, in an order in which they can be enabled',
        ),
      }),
      object({
        code: is('schedule_conflict'),
        ref: string('The change'),
        key: string('The flag'),
        parts: array(among(['active', 'conditions', 'variants']), 'What both change'),
        schedules: array(integer(), 'Ids of the scheduled changes'),
        at: string('When the service makes the first of them'),
        permit,
      }),
      object({
        code: is('cohort_used'),
        ref: string('The change'),
        key: string('The cohort, `cohort:ALIAS`'),
        flags: array(string(), 'Keys of the flags that would still use it'),
        cohorts: array(string(), 'Aliases, names or ids of the cohorts that would still name it'),
        'permit?': ref(permit, 'Absent where the service refuses the change anyway'),
      }),
      object({
        code: is('early_access_unmanaged'),
        ref: string('The change'),
        key: string('The early access feature, `early_access:ALIAS`'),
        flag: string('The flag, which no manifest declares'),
        enrollment: among(
          ['starts', 'ends'],
          '`starts`: people who enrolled get the flag, whatever its conditions say; `ends`: its conditions decide',
        ),
        permit,
      }),
      object({
        code: is('early_access_refused'),
        ref: string('The change'),
        key: string('The early access feature, `early_access:ALIAS`'),
        flag: string('The flag, of which the service accepts no feature'),
        why: among(['missing', 'deleted', 'experiment', 'groups', 'variants']),
      }),
      object({
        code: is('early_access_linked'),
        ref: string('The change'),
        key: string('The flag, which the service does not delete'),
        feature: string('The name of its early access feature'),
      }),
      object({
        code: is('read_by_code'),
        ref: string('The change'),
        key: string('The flag'),
        action: among(['delete', 'rename']),
        'read?': string('The key that code reads; absent where it is `key`'),
        count: count('Places that read it for certain'),
        places: array(
          object({ place: ref(place, 'From the top of the repository'), ...OF_REPOSITORY }),
          'The first of them',
        ),
        permit,
      }),
      object({
        code: is('lockout'),
        ref: string('The revoke that leaves no role with access'),
        key: string('The flag'),
        permit,
      }),
      object({
        code: is('own_access'),
        ref: string('The change that leaves nobody with the level manager'),
        key: string('The flag'),
        permit,
      }),
      object({
        code: is('conflict'),
        ref: string('The change'),
        key: string('The flag'),
        action: string('What the change would do'),
        paths: array(
          string(),
          'JSON pointers of the values that git and the service both changed, apart; empty where the flag itself is gone or would be deleted',
        ),
        'pruned?': is(true, 'No manifest declares the flag, and `--prune` would delete it'),
        permit,
      }),
      object({
        code: is('switched_off'),
        'step?': step,
        ref: string('The change that would enable or restore the flag'),
        key: string('The flag'),
        'deleted?': is(true, 'The flag was deleted; absent where it was disabled'),
        'off?': object(
          {
            'already?': is(true, 'The flag was off before that run, which wrote nothing to it'),
            run: string('The run of `off` in the journal of this machine'),
            at: string('ISO 8601, UTC'),
            'reason?': string('Its `--reason`'),
            'by?': string('Who executed it'),
            paths: array(string(), 'JSON pointers of the values that it wrote'),
          },
          'The recorded run that turned the flag off; absent where the base tells',
        ),
        'edit?': object(
          { at: string('ISO 8601, as the service wrote it'), 'by?': string('E-mail address or name') },
          'What the activity log says about it, where there is no base: after the commit of the manifests was made',
        ),
        permit,
      }),
      object({
        code: is('dependency_left'),
        ref: string('The change of the flag that depends on it'),
        key: string('The flag that people changed and that the plan leaves as it is'),
        dependent: string('The flag that the plan makes depend on it, or enables'),
        why: among(['deleted', 'disabled', 'cycle'], '`cycle`: people made it depend on `dependent`'),
        permit,
      }),
    ],
    {
      title: 'Hazard',
      description:
        'What apply refuses to do without an exception, or the option that `permit` names; where that is absent, the service refuses the change and nothing lifts it',
    },
  ),
);
