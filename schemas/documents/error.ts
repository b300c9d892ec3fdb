/** What any command prints when the whole run failed. */

import { array, object, string } from '../../src/base/schema.ts';
import { document } from '../join.ts';
import { brokenRule } from '../parts/broken-rules.ts';
import { diagnostic } from '../parts/diagnostic.ts';
import { errorCode } from '../parts/error-code.ts';
import { finding } from '../parts/findings.ts';
import { hazard } from '../parts/hazards.ts';
import { refused } from '../parts/refused.ts';
import { formatVersion, timestamp } from '../parts/values.ts';

export const errorDocument = document(
  'error',
  object(
    {
      format_version: formatVersion,
      error: object({
        code: errorCode,
        message: string('One sentence'),
        'remedy?': string('How to fix it'),
        diagnostics: array(diagnostic),
        'run?': object(
          {
            name: string(),
            started_at: timestamp('ISO 8601, UTC'),
            'ended_at?': timestamp('Absent while it is under way'),
          },
          { title: 'Run under way', description: 'For the code `run_under_way`: the run that writes to the project' },
        ),
        'hazards?': array(hazard, 'For the code `refused`: the safety rules that the plan breaks'),
        'refused?': array(refused, 'For `undo`: the changes that cannot be undone'),
        'findings?': array(finding, 'What policies found that refuses the plan'),
        'broken_rules?': array(brokenRule, 'Why the plan is refused: the hazards and the findings in one list'),
      }),
    },
    { title: 'Error', description: 'What any command prints with `--format json` when the whole run failed.' },
  ),
);
