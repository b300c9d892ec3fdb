/** What `rehearse` prints. */

import { array, boolean, count, number, object, string } from '../../src/base/schema.ts';
import { document } from '../join.ts';
import { formatVersion, timestamp } from '../parts/values.ts';

export const rehearsalDocument = document(
  'rehearsal',
  object(
    {
      format_version: formatVersion,
      project: string(),
      moments: array(
        object({
          at: timestamp('When the run was, ISO 8601, UTC'),
          key: string(),
          step: count('How many steps of the flag were made'),
          steps: count('How many it has'),
          on_percent: object(
            { least: number(), most: number() },
            { description: 'The share of people who have the flag on from then, in percent: at least, and at most' },
          ),
        }),
        'In order of time; the first of each flag is before its first step',
      ),
      refused: boolean('Whether a policy or a limit refused a run, at which the rehearsal ended'),
    },
    { title: 'Rehearsal', description: 'What `flagwright rehearse --format json` prints.' },
  ),
);
