/** What `off` records. */

import { array, define, integer, object, string } from '../../src/base/schema.ts';

export const switchOff = define(
  'switch_off',
  object(
    {
      'reason?': string('`--reason`, as it was given'),
      'already?': array(
        object({
          key: string(),
          id: integer({ description: 'The id of the flag' }),
          paths: array(string(), 'The values that keep it off, as JSON pointers'),
        }),
        'Flags that were off before: nothing was written to them, and no run turns them on again without permission',
      ),
    },
    { title: 'Turned off with `off`' },
  ),
);
