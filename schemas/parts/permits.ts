/** The permission that a hazard needs, and what a permit gives. */

import { among, count, define, integer, object, oneOf, string } from '../../src/base/schema.ts';

export const permit = define(
  'permit',
  oneOf(
    [
      object({
        kind: among(['deletes', 'updates', 'disables']),
        value: integer({ minimum: 1, description: 'Number of changes in the plan' }),
      }),
      object({ kind: among(['protected', 'risky', 'override']), value: string('The key of the flag') }),
    ],
    {
      title: 'The permission that it needs',
      description: 'On the command line: `--allow-KIND VALUE`; `--override VALUE` for the kind override',
    },
  ),
);

export const givenPermit = define(
  'given_permit',
  oneOf(
    [
      object({ kind: among(['deletes', 'updates', 'disables']), value: count('Number of changes in one run') }),
      object({ kind: among(['protected', 'risky', 'override']), value: string('Key or glob of flags') }),
    ],
    { title: 'What a permit allows', description: 'As in the file of `--permits`' },
  ),
);
