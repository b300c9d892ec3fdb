/** A test file. */

import { array, define, mapOf, object, orNull, string } from '../../src/base/schema.ts';
import { document } from '../join.ts';
import { filled } from '../parts/values.ts';

const properties = define(
  'properties',
  orNull({
    description: 'The properties that conditions ask for.',
    type: 'object',
    examples: [{ email: 'ada@example.com', country: 'US' }],
  }),
);

const groups = define(
  'groups',
  orNull(
    mapOf(
      {
        type: ['string', 'integer', 'object'],
        minLength: 1,
        properties: {
          key: { description: 'The key of the group.', type: ['string', 'integer'], minLength: 1 },
          properties,
        },
        required: ['key'],
        additionalProperties: false,
      },
      {
        description: 'The groups of the person, by the index of their type as `aggregation_group_type_index` has it.',
        propertyNames: { pattern: '^\\d$' },
        examples: [{ '0': 'acme' }, { '0': { key: 'acme', properties: { size: 50 } } }],
      },
    ),
  ),
);

const cohorts = define(
  'cohorts',
  orNull(
    array(
      { type: ['string', 'integer'], minLength: 1 },
      'Aliases or ids of cohorts that the person is in. Cohorts that manifests declare follow from the properties too.',
    ),
  ),
);

const deviceId = define('deviceId', filled('For flags with `bucketing_identifier: device_id`.'));

const anonymousId = define(
  'anonymousId',
  filled('The distinct id before sign-in, for flags with `ensure_experience_continuity`.'),
);

const namedPerson = define(
  'namedPerson',
  orNull(
    object(
      {
        'id?': string({
          description: 'The distinct id, which rollouts hash. Default: the name.',
          minLength: 1,
          examples: ['ada@example.com'],
        }),
        'properties?': properties,
        'groups?': groups,
        'cohorts?': cohorts,
        'device_id?': deviceId,
        'anonymous_id?': anonymousId,
      },
      { title: 'Person' },
    ),
  ),
);

const person = define('person', {
  title: 'Person',
  description: 'The name of a person, a list of names, or a person who is written here.',
  type: ['string', 'array', 'object'],
  minLength: 1,
  minItems: 1,
  items: filled(),
  properties: {
    id: filled('The distinct id, which rollouts hash.'),
    properties,
    groups,
    cohorts,
    device_id: deviceId,
    anonymous_id: anonymousId,
  },
  required: ['id'],
  additionalProperties: false,
});

const answer = define('answer', {
  title: 'Answer',
  description: '`false`: off. `true`: on, with any variant. A string: on, with this variant.',
  type: ['boolean', 'string', 'object'],
  minLength: 1,
  properties: {
    value: {
      description: '`false`: off. `true`: on, with any variant. A string: on, with this variant. Default: true.',
      type: ['boolean', 'string'],
      minLength: 1,
    },
    payload: { description: 'The payload as the manifest has it; null for none.' },
  },
  additionalProperties: false,
  examples: [true, false, 'control', { value: 'test', payload: { color: 'red' } }],
});

const expectation = define(
  'expectation',
  object(
    {
      'name?': filled('What the expectation is about; reports show it.'),
      person,
      'projects?': array(filled(), {
        description: 'Names of projects. Default: each project that declares the flag.',
        minItems: 1,
      }),
      'at?': string({
        description: 'The time of the flags and of the evaluation, with an offset. Default: now.',
        pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}(:\\d{2}(\\.\\d{1,9})?)?(Z|[+-]\\d{2}:\\d{2})$',
        examples: ['2026-12-31T09:00:00Z'],
      }),
      flags: mapOf(answer, { description: 'What each flag answers, by its key.', propertyNames: { minLength: 1 } }),
    },
    { title: 'Expectation' },
  ),
);

export const expectationsDocument = document(
  'expectations',
  object(
    {
      'people?': orNull(
        mapOf(namedPerson, {
          title: 'People',
          description: 'By a name of your choice, which every test file of the configuration may use.',
          propertyNames: { minLength: 1 },
        }),
      ),
      'expect?': orNull(array(expectation, { title: 'Expectations' })),
    },
    {
      title: 'flagwright tests',
      description:
        'People, and what feature flags answer them. `flagwright test` evaluates the declared flags for them, offline.',
    },
  ),
);
