/** Where something is written. */

import { define, integer, object, string } from '../../src/base/schema.ts';

export const place = define(
  'place',
  object(
    {
      file: string('Relative to the folder of flagwright.yaml, with slashes'),
      line: integer({ description: 'Counted from 1', minimum: 1 }),
      column: integer({ description: 'Counted from 1', minimum: 1 }),
    },
    { title: 'Place in a file' },
  ),
);
