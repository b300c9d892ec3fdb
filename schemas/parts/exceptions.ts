/** What an exception must allow, what lifts a rule, and what exceptions do. */

import {
  among,
  array,
  count,
  define,
  integer,
  is,
  type Keywords,
  object,
  oneOf,
  string,
} from '../../src/base/schema.ts';
import { place } from './place.ts';

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
      title: 'What an exception must allow',
      description: 'On the command line: `--allow-KIND VALUE`; `--override VALUE` for the kind override',
    },
  ),
);

/** The ways to lift a broken rule. */
export const lift = object({
  by: among(['exception', 'option', 'approval']),
  'rule?': string('The rule of the exception'),
  'permit?': permit,
});

const byException = define(
  'by_exception',
  object(
    {
      by: is('exception'),
      granted_by: string(),
      proof: among(
        ['approval', 'none'],
        'approval: the run names who grants it, as the forge tells. none: nothing in this run proves that they did',
      ),
      reason: string(),
      until: string('The last day on which it counts, in UTC'),
      source: place,
    },
    'An exception of the file',
  ),
);

/** What lifts a finding of a policy. */
export const liftedFinding: Keywords = {
  description: 'What lifts it; absent where nothing does',
  anyOf: [object({ by: is('approval'), approver: string() }), byException],
};

/** What lifts a safety rule. */
export const liftedHazard: Keywords = {
  anyOf: [object({ by: is('option'), option: string('An option of the run that made the plan') }), byException],
};

export const exceptionReport = define(
  'exception',
  object(
    {
      code: among(
        [
          'exception_used',
          'exception_unused',
          'exception_unmatched',
          'exception_expired',
          'exception_not_approved',
          'exception_not_approver',
        ],
        'unmatched: none of its keys is declared or live. not_approved: the base does not have it, and `--approved-by` does not name who grants it. not_approver: who grants it is not one of `approvers`',
      ),
      rules: array(string(), 'The rules that it lifts'),
      'keys?': array(string()),
      'most?': count('The number of changes that it allows'),
      reason: string(),
      until: string('The last day on which it counts, in UTC'),
      granted_by: string('Who grants it: an approval of the change by this person makes a new one count'),
      source: place,
      'lifts?': array(object({ rule: string(), 'key?': string() }), 'What it lifts; only of exception_used'),
      'needed?': count('The number of changes that the plan makes, where it allows fewer'),
    },
    'An exception of the file for this project, and what it does for the plan',
  ),
);
