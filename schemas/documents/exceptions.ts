/** The file of exceptions. */

import { array, count, define, object, orNull, string } from '../../src/base/schema.ts';
import { document } from '../join.ts';
import { filled, lastDay, sha256 } from '../parts/values.ts';

const exception = define(
  'exception',
  object(
    {
      rule: string({
        description: 'The code of a safety rule, the name of a policy, or `drift` for known drift.',
        minLength: 1,
        examples: ['protected', 'max-widen', 'drift'],
      }),
      'keys?': array(filled(), {
        description:
          'Keys or globs of the flags; a cohort is `cohort:ALIAS`. For every rule that does not count changes.',
        minItems: 1,
      }),
      'most?': count('The number of changes that one run may make, for `deletes`, `updates` and `disables`.'),
      'path?': string({
        description: 'Of `drift`: the place in the flag, as `ownership` names it. Default: everything about the flag.',
        minLength: 1,
        examples: ['active', 'conditions.1.rollout_percentage', '/filters/groups/0/rollout_percentage'],
      }),
      'state?': sha256('Of `drift`: digest of the live value that is known; another value counts. Default: any value.'),
      reason: string({ description: 'Why, for the readers of the plan.', minLength: 1, pattern: '\\S' }),
      until: lastDay('The last day on which it counts, in UTC.'),
      granted_by: string({
        description: 'Who grants it: one of `approvers`, if there are any.',
        minLength: 1,
        pattern: '\\S',
      }),
      'projects?': array(filled(), {
        description: 'The projects for which it counts. Default: all.',
        minItems: 1,
      }),
    },
    { title: 'Exception' },
  ),
);

export const exceptionsDocument = document(
  'exceptions',
  object(
    { exceptions: orNull(array(exception, { title: 'Exceptions', description: 'Each is from one rule.' })) },
    {
      title: 'flagwright exceptions',
      description:
        'What plans may do although a safety rule or a policy refuses it, and drift that does not count: with the reason, until when, and who grants it.',
    },
  ),
);
