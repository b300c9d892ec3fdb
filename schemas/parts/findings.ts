/** What the policies find in the changes of a plan. */

import {
  among,
  array,
  boolean,
  define,
  is,
  object,
  string,
  type Definition,
  type SchemaMembers,
} from '../../src/base/schema.ts';
import { OWN } from '../../src/review/policy/rules/own.ts';
import { POLICIES } from '../../src/review/policy/built-in.ts';
import { liftedFinding } from './exceptions.ts';
import { place } from './place.ts';
import { timestamp } from './values.ts';

export const finding = findingWith({ text: string('One sentence') });

export const findingOfPlan = findingWith({ 'text?': string('One sentence; not in a saved plan') });

/** `text`: the schema of a finding's sentence, which a saved plan does not have. */
function findingWith(text: SchemaMembers): Definition {
  return define(
    'finding',
    object(
      {
        rule: string('The name of the rule'),
        level: among(
          ['error', 'warning', 'approve'],
          '`error` refuses the plan, `approve` until somebody approves it, `warning` never',
        ),
        'approvers?': array(string(), 'Who may approve or grant an exception, if it refuses; absent if anybody may'),
        resource: string(),
        key: string(),
        'live_name?': string('How options name the resource as it is live, where the change renames it'),
        ref: string('The change of this plan, the first one of the resource'),
        facts: {
          description: "What the rule found; `what` names the rule, or is `own` for a rule of the configuration's own",
          anyOf: [...Object.values(POLICIES), OWN].flatMap(({ facts }) => facts),
        },
        'step?': timestamp('The declared time of the step of a rollout that it is about; absent for the change itself'),
        'due?': timestamp('When that step is due, if later than declared'),
        'jump_since?': timestamp(
          'It is about the jump of a late run to that step, which makes all steps since this time together (`catch_up: latest`)',
        ),
        'place?': place,
        policy: place,
        'commit?': string(
          'The base, whose configuration has the policy at this place; absent where it is that of the checkout',
        ),
        'lifted?': liftedFinding,
        ...text,
      },
      'What one rule found in the changes of one resource',
    ),
  );
}

/** What the policies say of one project. */
export function judgementWith(finding: Definition, members: SchemaMembers, description: string): Definition {
  return define(
    'policy',
    object(
      {
        ...members,
        source: {
          description: 'Which policies were used',
          anyOf: [
            object({ from: is('base'), commit: string(), differs: boolean('Whether the checkout has other policies') }),
            object({ from: is('checkout'), why: among(['no_base', 'no_file', 'invalid']) }),
          ],
        },
        findings: array(finding),
      },
      description,
    ),
  );
}
