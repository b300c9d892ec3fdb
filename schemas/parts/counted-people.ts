/** How many people get something else by a plan: the report of `--impact`. */

import { array, count, define, integer, is, object, ref, type Keywords } from '../../src/base/schema.ts';
import { flagImpact } from './impact.ts';
import { stepTimes } from './rollouts.ts';
import { timestamp } from './values.ts';

const personLines = define(
  'person_lines',
  object(
    {
      count: count(),
      first: array(integer({ minimum: 1 }), { description: 'Numbers of the first of them', maxItems: 5 }),
    },
    { title: 'Lines of a file of people' },
  ),
);

export const impact: Keywords = object(
  {
    flags: array(
      flagImpact,
      'Flags whose values may change: those of the plan in its order, then those that depend on them',
    ),
    'steps?': array(
      object({
        ...stepTimes,
        'jump_since?': timestamp('When the first of the steps is due that a late run makes together'),
        flags: array(flagImpact),
      }),
      'Of `steps_ahead`, each compared with the one before it; absent where there are none',
    ),
    'persons?': object(
      {
        source: is('file'),
        counted: count('People with an id, each once'),
        duplicate: ref(personLines, 'Lines with the id of an earlier line, which are not counted'),
        withoutId: ref(personLines, 'Lines without an id'),
        malformed: ref(personLines, 'Lines that cannot be read'),
      },
      {
        title: 'People of a file who were counted',
        description: 'Only with `--persons`. Holds neither an id nor a property',
      },
    ),
  },
  {
    title: 'How many people get something else',
    description: 'Only with `--impact`, and not in a saved plan. The fingerprint does not cover it',
  },
);
