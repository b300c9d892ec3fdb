/** What any command prints when the whole run failed. */

import { among, array, object, string } from '../../src/base/schema.ts';
import { document } from '../join.ts';
import { brokenRule } from '../parts/broken-rules.ts';
import { diagnostic } from '../parts/diagnostic.ts';
import { finding } from '../parts/findings.ts';
import { hazard } from '../parts/hazards.ts';
import { refused } from '../parts/refused.ts';
import { formatVersion, timestamp } from '../parts/values.ts';
import type { ErrorCode } from '../../src/base/errors.ts';

const CODES: Readonly<Record<ErrorCode, true>> = {
  usage: true,
  config_invalid: true,
  manifest_invalid: true,
  tests_invalid: true,
  plan_invalid: true,
  plan_stale: true,
  snapshot_invalid: true,
  snapshot_stale: true,
  refused: true,
  run_under_way: true,
  base_unreadable: true,
  unauthorized: true,
  forbidden: true,
  project_not_found: true,
  rate_limited: true,
  service_failed: true,
  service_refused: true,
  answer_invalid: true,
  network: true,
  deadline: true,
  interrupted: true,
  file: true,
  internal: true,
};

export const errorDocument = document(
  'error',
  object(
    {
      format_version: formatVersion,
      error: object({
        code: among(Object.keys(CODES), 'See the table in https://flagwright.dev/commands'),
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
