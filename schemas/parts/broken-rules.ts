/** A rule that a plan breaks, of either sort. */

import { among, array, boolean, define, object, ref, string } from '../../src/base/schema.ts';
import { origin } from './hazards.ts';
import { lift } from './exceptions.ts';
import { place } from './place.ts';

export const brokenRule = define(
  'broken_rule',
  object(
    {
      rule: string("The name of the rule: the code of the hazard, or the policy's"),
      sort: among(['safety', 'policy'], '`safety`: it holds in every run; `policy`: the configuration has it'),
      level: among(['error', 'warning', 'approve']),
      refuses: boolean('Whether apply refuses the plan because of it: it is not a warning, and nothing lifts it'),
      'resource?': string('The kind of the resource; absent where the rule is about the run as a whole'),
      'key?': string(),
      'ref?': string('The change of this plan'),
      'place?': ref(place, 'The line of the manifests that asks for it'),
      'set_by?': string('The member of the configuration that sets the rule; absent where it always holds'),
      'origin?': ref(origin, 'Where the configuration has it; absent for a safety rule that always holds'),
      lifted_by: array(
        lift,
        'What lifts it: an exception of the file, an option of the run, an approval of the change',
      ),
      text: string('What breaks it; a sentence'),
    },
    'A rule that the plan breaks: a safety rule or a policy',
  ),
);
