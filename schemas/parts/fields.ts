/** What a change makes of each field, and the state that it was made for. */

import {
  array,
  boolean,
  define,
  integer,
  mapOf,
  object,
  orNull,
  string,
  type SchemaMembers,
} from '../../src/base/schema.ts';
import { place } from './place.ts';
import { bounds, divergence } from './values.ts';

export const fields = define(
  'fields',
  array(
    object({
      path: string({
        description: "JSON pointer in the API's field names",
        examples: ['/filters/groups/1/rollout_percentage'],
      }),
      'before?': { description: 'The live value; absent where there is none' },
      'after?': { description: 'The declared value; absent where there is none' },
      'source?': place,
      'divergence?': divergence(
        'What moved away from the base: the manifests, the service, or both to different values; absent without a base',
      ),
      'base?': { description: 'Of a conflict: what the base declared; absent where it had no value' },
      'bounds?': object(
        {
          between: bounds({ description: 'The lower and the upper bound' }),
          declared: { description: 'What the manifests declare' },
        },
        {
          title: 'Outside the bounds',
          description:
            'The live value is outside the bounds inside which others decide: `after` is the nearest bound, and not the declared value',
        },
      ),
    }),
    { title: 'Fields' },
  ),
);

export const flagBase = define(
  'flag_base',
  object(
    {
      version: orNull(integer('The version counter of the service; null where the service has none for the flag')),
      'edited?': object(
        { 'by?': string('E-mail address or name of the user'), 'at?': string('Time of the edit, ISO 8601') },
        {
          title: 'Last edit',
          description: 'The last edit of the flag before the plan, as the service reports it; absent where it does not',
        },
      ),
      flag: { type: 'object', description: 'Canonical form of the flag as the plan read it' },
      former: { type: 'object', description: 'The previous values of the fields that the change writes' },
    },
    { title: 'The flag as the plan read it' },
  ),
);

export const roleBase = define(
  'role_base',
  object(
    {
      roles: array(string(), 'Ids of the roles that had access, sorted'),
      'levels?': object(
        {
          roles: mapOf(string(), 'The level of each role, by its id'),
          everyone: orNull(string("The flag's own level for everyone; null for none")),
          inherited: orNull(
            string('The level of everyone where the flag has none of its own; null where the service does not say'),
          ),
        },
        { title: 'The levels of access as the plan read them', description: 'Only where the service has levels' },
      ),
      'wire?': {
        const: 'unknown',
        description: 'In a project without flags: whether the service has levels is not known',
      },
    },
    { title: 'The role access as the plan read it' },
  ),
);

const featureFields: SchemaMembers = {
  'name?': string(),
  'description?': string(),
  'stage?': string(),
  'documentation_url?': string(),
  'payload?': { description: 'Any JSON value; empty: `{}`' },
  'enrollment?': boolean('Whether the flag enrolls people, where the stage says otherwise'),
};

export const featureBase = define(
  'early_access_base',
  object(
    {
      feature: object(featureFields, 'Canonical form of the early access feature as the plan read it'),
      former: object(featureFields, 'The previous values of the fields that the change writes'),
    },
    { title: 'The early access feature as the plan read it' },
  ),
);

export const cohortBase = define(
  'cohort_base',
  object(
    {
      cohort: { type: 'object', description: 'Canonical form of the cohort as the plan read it' },
      former: { type: 'object', description: 'The previous values of the fields that the change writes' },
      'namesakes?': array(integer(), 'The other cohorts with the name that the change gives; absent if none has it'),
    },
    { title: 'The cohort as the plan read it' },
  ),
);
