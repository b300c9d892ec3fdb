/** The file of waivers. */

import { array, define, object, orNull, string } from '../../src/base/schema.ts';
import { document } from '../join.ts';
import { filled, lastDay } from '../parts/values.ts';

const waiver = define(
  'waiver',
  object(
    {
      rule: string({ description: 'The name of the rule.', minLength: 1, examples: ['max-widen'] }),
      key: filled('Key or glob of the flags.'),
      reason: string({ description: 'Why, for the readers of the plan.', minLength: 1, pattern: '\\S' }),
      expires: lastDay('The last day on which the waiver is valid, in UTC.'),
      granted_by: string({
        description: 'Who grants it: it counts where --approved-by has the same name.',
        minLength: 1,
        pattern: '\\S',
      }),
      'projects?': array(filled(), {
        description: 'The projects for which it is valid. Default: all.',
        minItems: 1,
      }),
    },
    { title: 'Waiver' },
  ),
);

export const waiversDocument = document(
  'waivers',
  object(
    { waivers: orNull(array(waiver, { title: 'Waivers', description: 'Each is for one rule.' })) },
    {
      title: 'flagwright waivers',
      description:
        'The former file of exceptions from policies, which `policies.waivers` names. Write exceptions.yaml instead.',
    },
  ),
);
