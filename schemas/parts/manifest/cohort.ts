/** A cohort as manifests declare it. */

import {
  among,
  array,
  boolean,
  define,
  integer,
  object,
  orNull,
  string,
  type Definition,
  type Schema,
} from '../../../src/base/schema.ts';
import type { CohortMember } from '../../../src/posthog/cohort/cohort.ts';
import { intended, onlyIn, overlays } from './layers.ts';
import { filled } from '../values.ts';

const cohortNode: Definition = define('cohortNode', () =>
  object(
    {
      'type?': among(
        ['AND', 'OR', 'person', 'person_metadata', 'cohort', 'behavioral'],
        'AND, OR: a group. person (default): a property of the person; person_metadata: a column such as created_at; cohort: another cohort; behavioral: what the person did, which flags cannot use.',
      ),
      'values?': array(cohortNode, 'The groups and filters of a group.'),
      'key?': {
        description: 'The name of the property; `id` for another cohort; an event or the id of an action.',
        type: ['string', 'integer'],
      },
      'operator?': orNull(string('exact when left out.')),
      'value?': { description: 'What the property is compared with; the alias or id of another cohort.' },
      'negation?': orNull(boolean('true: the person must not match the filter.')),
      'event_type?': orNull(string()),
      'time_value?': orNull(integer()),
      'time_interval?': orNull(string()),
      'operator_value?': orNull(integer()),
      'seq_time_interval?': orNull(string()),
      'seq_time_value?': orNull(integer()),
      'seq_event?': { type: ['string', 'integer', 'null'] },
      'seq_event_type?': orNull(string()),
      'total_periods?': orNull(integer()),
      'min_periods?': orNull(integer()),
      'event_filters?': orNull(array({ type: 'object' })),
      'explicit_datetime?': orNull(string()),
      'explicit_datetime_to?': orNull(string()),
    },
    {
      title: 'Group or filter',
      description: 'A group has `type` (AND or OR) and `values`; a filter has `key`, `operator` and `value`.',
    },
  ),
);

const cohortFilters = define(
  'cohortFilters',
  orNull(
    object(
      { properties: cohortNode },
      {
        title: 'Definition',
        description:
          "Who is in the cohort, as PostHog's API has it: `properties` is a tree of AND and OR over properties of persons and other cohorts.",
      },
    ),
  ),
);

const INTENDED = intended('Places of the cohort, named as in options,', 'definition.2.value');

type CohortSchemas = Readonly<Record<`${CohortMember}?`, Schema>>;

const FIELDS: CohortSchemas = {
  'name?': string({
    title: 'Name',
    description:
      'The name in the service, by which the cohort is found where the configuration gives the alias no id. Default: the alias.',
    minLength: 1,
    maxLength: 400,
    examples: ['Beta testers'],
  }),
  'description?': string({ title: 'Description', description: 'What the cohort is for.', maxLength: 1000 }),
  'filters?': cohortFilters,
};

const IN_PROJECT: CohortSchemas = {
  'name?': orNull(string({ description: 'The name in this project.', minLength: 1, maxLength: 400 })),
  'description?': orNull(string({ description: 'The description in this project.', maxLength: 1000 })),
  'filters?': cohortFilters,
};

const cohortOverlay = define(
  'cohortOverlay',
  orNull(
    object(
      {
        ...IN_PROJECT,
        'intended?': orNull(INTENDED),
        'deleted?': orNull(boolean('true: soft-deleted in this project.')),
      },
      {
        title: 'Overlay of a cohort',
        description: 'The members of a cohort that differ in this project. null removes a member of the base.',
      },
    ),
  ),
);

export const cohort = define(
  'cohort',
  orNull(
    object(
      {
        ...FIELDS,
        'intended?': INTENDED,
        'projects?': overlays(cohortOverlay),
        'only_in?': onlyIn('cohort'),
        'previous_names?': array(filled(), {
          title: 'Previous names',
          description: 'Names that the cohort had before. A live cohort with one of them is renamed.',
          examples: [['Beta']],
        }),
        'deleted?': boolean({ title: 'Deleted', description: 'true: the cohort is soft-deleted if it exists.' }),
      },
      { title: 'Cohort', description: 'Declared members are managed; omitted ones are neither compared nor written.' },
    ),
  ),
);
