/** The filters of a flag. */

import {
  among,
  array,
  boolean,
  count,
  define,
  integer,
  open,
  orNull,
  string,
  type SchemaMembers,
} from '../../../src/base/schema.ts';
import { percentage } from '../values.ts';
import { steppedPercentage } from './steps.ts';
import { OPERATORS } from '../../../src/posthog/flag/model/operators.ts';

export const property = define(
  'property',
  open(
    {
      key: {
        description: "The property's name; `id` for a cohort; for `type: flag` the key of the other flag.",
        type: ['string', 'integer'],
        minLength: 1,
      },
      'type?': among(['person', 'cohort', 'group', 'flag'], 'What is tested. Default: the person.'),
      'operator?': among([...Object.keys(OPERATORS), null], 'How it is compared. Default: exact.'),
      'value?': { description: 'The value to compare with. For a cohort its id, or an alias of `projects.*.cohorts`.' },
      'group_type_index?': orNull(
        count({ description: 'The group type, for a property of type group.', maximum: 2147483647 }),
      ),
      'negation?': orNull(boolean()),
      'label?': orNull(string('Kept by the web interface.')),
      'cohort_name?': orNull(string('Added by the service when it answers; not compared.')),
      'group_key_names?': { description: 'Added by the service when it answers; not compared.' },
    },
    {
      title: 'Property',
      description: 'One test of a person, a cohort, a group or another flag.',
      examples: [{ key: 'email', type: 'person', operator: 'icontains', value: '@acme.com' }],
    },
  ),
);

/** The members of a condition that a flag and an overlay describe alike. */
export const conditionMembers: SchemaMembers = {
  'variant?': orNull(string('The variant that everybody who matches this condition gets.')),
  'description?': orNull(string()),
  'aggregation_group_type_index?': orNull(
    count({ description: 'The group type of this condition; null: persons.', maximum: 2147483647 }),
  ),
  'sort_key?': { description: 'Kept by the web interface.' },
  'exposure_frozen?': orNull(boolean('Set by experiments.')),
  'exposure_frozen_cohort?': orNull(integer('Set by experiments.')),
};

const condition = define(
  'condition',
  open(
    {
      'properties?': orNull(array(property, 'Omitted or empty: everybody.')),
      'rollout_percentage?': orNull(steppedPercentage({ description: 'The share of those who match. Default: 100.' })),
      ...conditionMembers,
    },
    { title: 'Release condition', description: 'All properties must match, then the rollout percentage decides.' },
  ),
);

const variant = define(
  'variant',
  open(
    {
      key: string({ description: 'The value that code sees.', minLength: 1, maxLength: 400 }),
      'name?': orNull(string()),
      rollout_percentage: percentage({ description: 'The share of this variant.' }),
      'description?': orNull(string()),
    },
    {
      title: 'Variant',
      description: 'One value that the flag may take. The percentages of all variants add up to 100.',
      examples: [{ key: 'control', rollout_percentage: 50 }],
    },
  ),
);

const members = open(
  {
    'groups?': orNull(
      array(condition, {
        title: 'Release conditions',
        description: 'A person gets the flag when one of the conditions matches.',
      }),
    ),
    'multivariate?': orNull(
      open(
        { variants: array(variant, { minItems: 1 }) },
        { title: 'Variants', description: 'Omitted or null for a flag that is only on or off.' },
      ),
    ),
    'payloads?': orNull({
      title: 'Payloads',
      description: 'Variant key, or `true` for a flag without variants, to any JSON value. A string is JSON text.',
      type: 'object',
      examples: [{ 'one-page': { color: 'red' } }],
    }),
    'aggregation_group_type_index?': orNull(
      count({
        title: 'Group type',
        description: 'The group type to which the flag is released; null: persons.',
        maximum: 2147483647,
      }),
    ),
    'early_exit?': orNull(boolean('Stop at the first condition that matches.')),
    'feature_enrollment?': orNull(boolean('Owned by early access; left alone unless declared.')),
    'holdout?': orNull(
      open(
        {
          id: integer("The holdout's id."),
          exclusion_percentage: percentage({
            description: 'The share of persons in the holdout.',
          }),
        },
        'Owned by experiments; left alone unless declared.',
      ),
    ),
    'holdout_groups?': { description: 'Owned by experiments; left alone unless declared.' },
    'super_groups?': { description: 'Owned by early access; left alone unless declared.' },
  },
  { title: 'Filters', description: "Who gets the flag, in the shape of the service's API. Managed as a whole." },
);

export const filters = define('filters', members);

/** The filters of an overlay, in which null removes those of the base. */
export const changedFilters = define('changedFilters', orNull(members));
