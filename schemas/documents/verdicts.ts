/** The file of verdicts, which a step of CI writes for guarded rollouts. */

import { among, array, define, object, string } from '../../src/base/schema.ts';
import { document } from '../join.ts';
import { filled } from '../parts/values.ts';

const verdict = define(
  'verdict',
  object(
    {
      name: filled('The name that a guard of flagwright.yaml looks for.'),
      verdict: among(['pass', 'hold'], 'Only `pass` lets a step through.'),
      at: string({
        pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}(:\\d{2}([.,]\\d{1,9})?)?(Z|[+-]\\d{2}:\\d{2})$',
        description: 'When it was found, with the offset of its time zone.',
        examples: ['2026-12-03T08:55:00Z'],
      }),
      'reason?': string('Why, for the readers of the run.'),
    },
    { title: 'Verdict' },
  ),
);

export const verdictsDocument = document(
  'verdicts',
  object(
    {
      verdicts: array(verdict, {
        examples: [
          [{ name: 'error-budget', verdict: 'pass', at: '2026-12-03T08:55:00Z', reason: '0.2% of requests fail' }],
        ],
      }),
    },
    {
      title: 'flagwright verdicts',
      description: 'Whether something is wrong, by name: what guarded rollouts wait for.',
    },
  ),
);
