/** What `apply` and `undo` print. */

import { among, array, boolean, count, is, object, ref, string } from '../../src/base/schema.ts';
import { document } from '../join.ts';
import { attribution } from '../parts/attribution.ts';
import { anyChange } from '../parts/changes/changes.ts';
import { leftAsLive, released } from '../parts/left.ts';
import { outcome, outcomeCounts } from '../parts/outcomes.ts';
import { project } from '../parts/project.ts';
import { guardReading } from '../parts/rollouts.ts';
import { summary } from '../parts/summary.ts';
import { switchOff } from '../parts/switch-off.ts';
import { formatVersion, runName, timestamp } from '../parts/values.ts';
import { notKnown } from '../parts/warnings.ts';

export const resultDocument = document(
  'result',
  object(
    {
      format_version: formatVersion,
      'run?': runName('Name of the run in the journal; absent if it was not recorded'),
      'undoes?': string('Of an undo: the run that it reverts; absent for an apply'),
      'off?': ref(switchOff, 'Of a run of `off`; absent for any other'),
      project,
      summary,
      outcomes: outcomeCounts(),
      changes: array(
        {
          allOf: [anyChange('executed'), outcome],
        },
        "In the plan's order",
      ),
      remainder: array(
        object({
          ref: string('The change'),
          key: string('The flag'),
          path: string("JSON pointer in the API's field names"),
          'wanted?': { description: 'The declared value' },
          'found?': { description: 'The value in the service' },
          reason: among(
            [
              'service_changed_value',
              'service_dropped_value',
              'service_ignores_field',
              'changed_afterwards',
              'not_found',
            ],
            '`changed_afterwards`: this run did not write the value, and another user or the service changed it after it was written',
          ),
        }),
        'Differences that a second read finds in flags with an applied change',
      ),
      'left?': leftAsLive,
      'attributions?': array(attribution, {
        title: 'Who made what is left',
        description:
          'As far as the activity log and the journal of this machine say; absent where nothing is left, and where it was not asked',
      }),
      'left_out?': array(
        object({ resource: among(['flag', 'cohort']), key: string('The key of the flag, or `cohort:ALIAS`') }),
        { title: 'Unwritable', description: 'What differs in what no plan can write; absent where nothing does' },
      ),
      'released?': released,
      'not_known?': array(
        object(notKnown),
        'What the plan would have been checked against and could not be read; absent where all was',
      ),
      'guarded?': array(
        object({
          key: string('The key of the flag'),
          path: string("The value in the names of the service's API"),
          due: timestamp('Since when the step is due, ISO 8601, UTC'),
          'overdue?': is(true, 'It waits for longer than the patience of its guards'),
          guard_readings: array(guardReading, 'What its guards say'),
        }),
        'Due steps that were not made, since a guard does not let them through; absent where there are none',
      ),
      verified: boolean('Whether the second read took place'),
      requests: count('Requests sent, retries included'),
    },
    {
      title: 'Result',
      description:
        'What `flagwright apply --format json` prints: each change of the plan with its outcome, and the remaining differences.',
    },
  ),
);
