/** The persons of a seed, and their events. */

import { array, define, integer, object, string } from '../../../src/base/schema.ts';

export const person = define(
  'person',
  object(
    {
      'id?': integer({ title: 'Id', description: 'Default: the next free one.', minimum: 1 }),
      'uuid?': string({ title: 'UUID', pattern: '^[0-9a-fA-F]{8}-([0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$' }),
      'name?': string({ title: 'Name', description: 'Derived by the service; not read.' }),
      distinct_ids: array(string({ minLength: 1, maxLength: 400 }), {
        title: 'Distinct ids',
        minItems: 1,
        examples: [['user-1']],
      }),
      'properties?': { title: 'Properties', type: 'object', examples: [{ email: 'ada@example.org' }] },
      'created_at?': string({ title: 'Created at', examples: ['2026-03-01T09:30:00Z'] }),
    },
    { title: 'Person' },
  ),
);

export const event = define(
  'event',
  object(
    {
      event: string({ title: 'Name', minLength: 1, examples: ['signed up'] }),
      distinct_id: string({ title: 'Distinct id', minLength: 1, examples: ['user-1'] }),
      timestamp: string({ title: 'Time', examples: ['2026-03-01T09:30:00Z'] }),
      'uuid?': string({ title: 'UUID' }),
      'properties?': { title: 'Properties', type: 'object' },
    },
    { title: 'Event' },
  ),
);
