/** What conditions of a seed's flags are about, beside persons. */

import { array, boolean, count, define, integer, object, open, orNull, string } from '../../../src/base/schema.ts';

export const seedCohort = define(
  'cohort',
  open(
    {
      id: integer({ title: 'Id' }),
      'name?': orNull(string({ title: 'Name' })),
      'filters?': open(
        { properties: { type: 'object' } },
        {
          title: 'Filters',
          description: 'Of a dynamic cohort: `properties` is a tree of AND and OR. Without them the cohort is static.',
          examples: [
            { properties: { type: 'AND', values: [{ type: 'person', key: 'plan', operator: 'exact', value: 'pro' }] } },
          ],
        },
      ),
      'is_calculating?': boolean({
        title: 'Is calculating',
        description:
          'Whether the calculation of the cohort has not ended yet. It ends with the next write. Default: no.',
      }),
      'persons?': array(string(), { title: 'Persons', description: 'The distinct ids in a static cohort.' }),
    },
    { title: 'Cohort' },
  ),
);

export const experiment = define(
  'experiment',
  object(
    {
      id: integer({ title: 'Id' }),
      'name?': string({ title: 'Name' }),
      flag: { title: 'Flag', description: 'Key or id of the flag.', type: ['string', 'integer'] },
      'is_running?': boolean({
        title: 'Running',
        description: 'While it runs, the flag cannot be deleted and its variants cannot be removed (posthog).',
        default: false,
      }),
    },
    { title: 'Experiment' },
  ),
);

export const group = define(
  'group',
  object(
    {
      group_type_index: count({ title: 'Group type' }),
      key: string({ title: 'Key' }),
      'name?': string({ title: 'Name', description: 'Default: the key.' }),
      'properties?': {
        title: 'Properties',
        description: 'The properties that conditions on the group read.',
        type: 'object',
      },
    },
    { title: 'Group' },
  ),
);

export const groupType = define(
  'groupType',
  open(
    { group_type_index: count({ title: 'Index' }), group_type: string({ title: 'Name', examples: ['company'] }) },
    { title: 'Group type' },
  ),
);
