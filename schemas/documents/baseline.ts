/** The file of known drift. */

import { array, define, object, orNull, string } from '../../src/base/schema.ts';
import { document } from '../join.ts';
import { filled, lastDay, sha256 } from '../parts/values.ts';

const entry = define(
  'entry',
  object(
    {
      key: filled('Key of a flag, `cohort:ALIAS`, or a glob of these.'),
      'path?': string({
        description: 'The place in the flag, as `ownership` names it. Default: everything about the flag.',
        minLength: 1,
        examples: ['active', 'conditions.1.rollout_percentage', '/filters/groups/0/rollout_percentage'],
      }),
      'state?': sha256('Digest of the live value that is known; another value counts. Default: any value.'),
      reason: string({ description: 'Why it is known.', minLength: 1, pattern: '\\S' }),
      expires: lastDay('The last day on which the entry is valid, in UTC.'),
      'projects?': array(filled(), {
        description: 'The projects for which it is valid. Default: all.',
        minItems: 1,
      }),
    },
    { title: 'Entry' },
  ),
);

export const baselineDocument = document(
  'baseline',
  object(
    { drift: orNull(array(entry, { title: 'Known drift' })) },
    {
      title: 'flagwright baseline',
      description:
        'Known drift that `flagwright drift --baseline` does not count, with the reason and until when. Written by --write-baseline.',
    },
  ),
);
