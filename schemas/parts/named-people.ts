/** What a plan changes for the people that test files name. */

import {
  among,
  array,
  boolean,
  count,
  define,
  integer,
  object,
  oneOf,
  string,
  type Keywords,
} from '../../src/base/schema.ts';

const namedAnswer = define(
  'named_answer',
  oneOf(
    [
      object({
        value: {
          type: ['boolean', 'string'],
          description: 'false is off, true is on without a variant, a string is the key of the variant',
        },
        reason: among(
          [
            'super_condition_value',
            'holdout_condition_value',
            'condition_match',
            'out_of_rollout_bound',
            'no_condition_match',
            'no_group_type',
            'experiment_paused',
            'flag_disabled',
            'flag_missing',
          ],
          '`flag_missing`: the project has no such flag',
        ),
        'condition?': object(
          { number: integer({ minimum: 1 }), condition: { type: 'object' } },
          { title: 'Deciding condition' },
        ),
      }),
      object({ undecided: among(['unknown_format', 'dependency_unknown', 'filter_unknown']) }),
    ],
    { title: 'Answer of a flag' },
  ),
);

export const namedPeople: Keywords = object(
  {
    people: count('All people that the test files name'),
    changed: count('People with at least one answer that changes'),
    answers_changed: count('How many answers change, also those that are not listed'),
    answers: array(
      object({
        person: string(),
        flag: string('The key once the plan is applied'),
        before: namedAnswer,
        after: namedAnswer,
        payload_changes: boolean('The value stays, and its payload changes'),
        text: string(),
      }),
      { maxItems: 1000, description: 'Person by person in the order of the test files' },
    ),
  },
  {
    title: 'Named people whose answers change',
    description:
      'Of the people that test files name: what flags answer them now, and with the plan applied. Absent without such people, without changes, and in a saved plan. The fingerprint does not cover it',
  },
);
