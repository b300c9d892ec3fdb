/** What `off` records. */

import { define, object, string } from '../../src/base/schema.ts';

export const switchOff = define(
  'switch_off',
  object({ 'reason?': string('`--reason`, as it was given') }, { title: 'Turned off with `off`' }),
);
