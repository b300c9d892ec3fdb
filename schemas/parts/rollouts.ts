/** Values that change over time, as documents have them. */

import {
  among,
  array,
  define,
  integer,
  is,
  object,
  string,
  type Definition,
  type Keywords,
  type SchemaMembers,
} from '../../src/base/schema.ts';
import { UNKNOWN_REASONS } from '../../src/core/rollout/guard.ts';
import { resourceEffects } from './effects.ts';
import { timestamp } from './values.ts';

const steps: SchemaMembers = {
  from: { type: ['number', 'boolean'], description: 'The value until the first step' },
  steps: array(
    object({
      at: timestamp('When the step is due, ISO 8601, UTC'),
      to: { type: ['number', 'boolean'], description: 'The value from then on' },
      'done?': is(true, 'Somebody made it in the service'),
    }),
    {
      minItems: 1,
      description: 'In order of time',
    },
  ),
  'catch_up?': is('latest', 'A late run goes to the newest step whose time has come'),
  'guard?': array(string(), { minItems: 1, description: 'The guards that each widening step waits for' }),
};

export const guardReading: Definition = define(
  'guard_reading',
  object(
    {
      guard: string('The name of the guard'),
      'source?': object(
        {
          'alert?': string('The name of an alert of the service'),
          'verdict?': string('The name of a verdict of the file'),
        },
        'What it looks at; absent if nothing declares the guard',
      ),
      says: among(['pass', 'hold', 'unknown'], 'Only `pass` lets a step through'),
      'at?': timestamp('When the alert was checked, or the verdict given, ISO 8601, UTC'),
      'reason?': string('What the file gives as the reason'),
      'why?': among(UNKNOWN_REASONS, 'Why it is not known'),
      'detail?': string('What the service or the file said'),
    },
    'What a guard says about a step',
  ),
);

const rollout: SchemaMembers = {
  key: string('The key of the flag'),
  pointer: string('Where the manifest has it, from the declaration'),
  ...steps,
};

const progress: SchemaMembers = {
  step: integer({ minimum: -1, description: 'The step that was applied last, counted from 0; -1: none yet' }),
  at: timestamp('When it was applied, ISO 8601, UTC'),
};

export const rolloutProgress: Definition = define(
  'rollout_progress',
  object({
    ...rollout,
    ...progress,
    'asked?': integer({ description: 'The step that a run requested from the service, where people decide' }),
    'let_through?': array(guardReading, 'What its guards said when that step was made'),
    'approved?': array(
      object({
        rule: string(),
        by: string(),
        'step?': timestamp('When the step is due, ISO 8601, UTC; absent in records of earlier releases'),
        'facts?': { type: 'object', description: 'What the rule found of it; absent in records of earlier releases' },
        'jumps?': is(true, 'It covers the jumps that late runs make over several steps'),
      }),
      'Who approved its steps when they were reviewed: one for each finding',
    ),
  }),
);

/** Of a step ahead. */
export const stepTimes: SchemaMembers = {
  at: timestamp('The time that the manifest declares for the step, ISO 8601, UTC'),
  'due?': timestamp(
    'When the step is due if the plan is applied now: later than `at`, since an earlier step is late. Absent: at `at`',
  ),
};

export const stepsAhead: Keywords = array(
  object({
    ...stepTimes,
    'jump_since?': timestamp(
      'The largest jump that a late run may make to that step: all steps since this time together (`catch_up: latest`). Absent for steps that come one by one',
    ),
    keys: array(string(), 'The flags that step'),
    effects: array(resourceEffects, 'What it does to people, compared with the step before it'),
  }),
  'The steps ahead of the rollouts that the manifests declare or change, in order of time, then the largest jump of each flag; absent where there are none',
);

export const stepsSoon: Keywords = array(
  object({
    key: string('The key of the flag'),
    path: string("The value in the names of the service's API: /filters/groups/0/rollout_percentage"),
    at: timestamp('When the step is due, or was, ISO 8601, UTC'),
    to: { type: ['number', 'boolean'], description: 'The value from then on' },
    by: among(
      ['plan', 'former_plan', 'change'],
      '`plan`: the manifests that were applied last have the step, and these keep it. `former_plan`: these have it no longer. `change`: only these have it, or let it come',
    ),
  }),
  'Steps of the next three days, in order of time: the plan may be reviewed until then. Of rollouts that the plan changes; absent where there are none',
);

const placed = array(
  object({
    path: string("The value in the names of the service's API: /filters/groups/0/rollout_percentage"),
    ...steps,
    step: integer({ minimum: -1, description: 'The step that was made last, or that the plan makes; -1: none yet' }),
  }),
);

export const rolloutChange: Definition = define(
  'rollout_change',
  object({
    ref: string('The flag, `flag:KEY`'),
    key: string('The key of the flag'),
    before: { ...placed, description: 'Its rollouts with steps left, as they were applied last' },
    after: { ...placed, description: 'As the plan declares them; empty: no step comes any more' },
  }),
);

export const plannedRollout: Definition = define(
  'planned_rollout',
  object({
    ...rollout,
    path: string("The value in the names of the service's API: /filters/groups/0/rollout_percentage"),
    step: integer({ minimum: -1, description: 'The step whose value the plan declares, counted from 0; -1: none yet' }),
    'applied?': object(
      {
        ...progress,
        'key?': string('The key of the flag then, if it was another'),
        'let_through?': array(guardReading, 'What its guards said when the step was made'),
      },
      'What was applied before; absent: nothing',
    ),
    'found_live?': is(
      true,
      'No apply recorded that step: it was found in the service, and its time is that of the run that found it',
    ),
    'taken_back?': is(true, 'An undo took the next step back, and no run has made it since'),
    'continued?': integer({
      description:
        'The id of the flag: `off` or an undo held the rollout back, and `--override` of this run lets it go on',
    }),
    'unknown_origin?': is(true, 'It was found there, and no run is known to have made it'),
    'asked?': integer({ description: 'The step that a run requested from the service, where people decide' }),
    'due?': timestamp('When the step after the applied one is due, or was, ISO 8601, UTC; absent after the last one'),
    'due_by?': among(
      ['plan', 'change'],
      'Who asks for the step that is due: the manifests that were applied last do too, or only these do. Absent where none is due, and in runs that make nothing else',
    ),
    'guard_readings?': array(
      guardReading,
      'What its guards say about the next step; absent if that is not due or narrows, and in runs that ask none',
    ),
    'reviewed?': is(
      true,
      'The manifests that were applied last have the same steps, of a flag that means the same to people: they were reviewed',
    ),
    'switched_off?': is(true, 'The flag is switched off in the service, and no manifest declares whether it is on'),
    'then_due?': timestamp(
      'When the step after the declared one is due, if that is made now, ISO 8601, UTC; absent where it is made already, and after the last one',
    ),
    'recorded_later?': is(
      true,
      'The time of the applied step is still to come: a clock was wrong, and no run makes a step',
    ),
    'held?': is(
      true,
      'Its next step is due and is not made: a person decides first, or a guard does not let it through',
    ),
    'overdue?': is(true, 'It was due so long ago that a run must have missed it'),
    'waits?': among(
      ['edited', 'held_back', 'unrecorded', 'recorded_later', 'switched_off', 'unknown_origin', 'refused', 'guarded'],
      'Why no run makes its next step yet. `edited`: somebody changed the flag, its access or its early access in the service. `held_back`: somebody undid the step, or turned the flag off when it was off. `unrecorded`: the last apply left the flag, so its steps were not applied. `recorded_later`: its last step is recorded as made later than now. `switched_off`: it is off in the service, and no manifest declares whether it is on. `unknown_origin`: the service has the value of a later step, and no run is known to have made that. `refused`: a rule refuses its step. `guarded`: a guard holds it, or does not know',
    ),
  }),
);
