/** What `rehearse` prints. */

import { among, array, boolean, count, is, number, object, string } from '../../src/base/schema.ts';
import { document } from '../join.ts';
import { guardReading } from '../parts/rollouts.ts';
import { formatVersion, timestamp } from '../parts/values.ts';

export const rehearsalDocument = document(
  'rehearsal',
  object(
    {
      format_version: formatVersion,
      project: string(),
      'verdicts?': object(
        {
          from: among(['nothing', 'file', 'random'], '`nothing`: each guard passes'),
          'file?': string('The file of `--verdicts`'),
          'seed?': count('The number of `--random-verdicts`'),
        },
        { description: 'What the guards look at; absent if none guards the rollouts' },
      ),
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
          'guard_readings?': array(guardReading, 'What its guards say about the next step, which is due and waits'),
          'overdue?': is(true, 'The step waits for longer than its guards allow: the rehearsal waits for it no more'),
        }),
        'In order of time; the first of each flag is before its first step',
      ),
      refused: boolean('Whether a policy or a limit refused a run, at which the rehearsal ended'),
    },
    { title: 'Rehearsal', description: 'What `flagwright rehearse --format json` prints.' },
  ),
);
