/** A value that others decide. */

import { define, is, object, oneOf, string } from '../../src/base/schema.ts';
import { place } from './place.ts';
import { bounds } from './values.ts';

export const observed = define(
  'observed',
  object(
    {
      key: string('The flag'),
      path: string({
        description: "JSON pointer in the API's field names",
        examples: ['/filters/groups/0/rollout_percentage'],
      }),
      ownership: oneOf(
        [is('observed'), object({ between: bounds({}) })],
        '`observed`, or the bounds that the live value is inside of',
      ),
      'declared?': { description: 'Absent where there is no value' },
      'live?': { description: 'Absent where there is no value' },
      'source?': place,
    },
    { title: 'Value that others decide' },
  ),
);
