/** How many people get something else. */

import { among, array, count, define, integer, is, number, object, oneOf, string } from '../../src/base/schema.ts';
import { numberedCondition } from './effects.ts';
import { percentage } from './values.ts';

const shares = define(
  'shares',
  object(
    {
      turnsOn: percentage({ description: 'Off before, on after' }),
      turnsOff: percentage({ description: 'On before, off after' }),
      changesVariant: percentage({ description: 'On before and after, with another variant' }),
      changesPayload: percentage({ description: 'The same variant, with another payload' }),
    },
    {
      title: 'Shares',
      description: 'Percentages of an audience. The people in none of them get what they got before',
    },
  ),
);

const audience = define(
  'audience',
  object(
    {
      conditions: array(numberedCondition, 'Conditions of the flag once the plan is applied'),
      former: array(numberedCondition, 'Live conditions that the plan removes or whose properties it changes'),
      'without?': object(
        { conditions: array(numberedCondition), former: array(numberedCondition) },
        'What other people of these conditions match, and these do not; absent where that makes no difference',
      ),
      'enrolled?': is(true, "People in the flag's early access"),
      'declined?': is(true, "People who chose against the flag's early access"),
      'upTo?': is(true, 'The shares are the greatest ones; those of some of these people are less'),
      'ungrouped?': is(true, 'Of earlier releases: people who are in no group'),
      'others?': is(true, 'Everybody who is in no other audience'),
      shares,
      method: oneOf([
        object({ kind: is('exact', 'Integrated over the ranges of the hashes') }),
        object({
          kind: is('sampled', 'Of earlier releases'),
          people: integer({ minimum: 1 }),
          margin: number('With 99% certainty, each share is at most that many percentage points off'),
        }),
      ]),
      'through?': array(
        object({ key: string(), number: integer('Counts from 1'), condition: { type: 'object' } }),
        'Conditions of other flags, on which those conditions depend, that these people match',
      ),
    },
    {
      title: 'Audience',
      description: 'People who match these conditions; the shares hold for all of them, whatever else they have',
    },
  ),
);

export const flagImpact = define(
  'flag_impact',
  object(
    {
      key: string(),
      by: among(
        ['change', 'dependency', 'cohort'],
        'The plan changes the flag itself, or a flag that it depends on, or only a cohort that it uses',
      ),
      'through?': array(
        string(),
        'The changed flags that it depends on, directly or not; absent for a flag that changes itself, or only by a cohort',
      ),
      'source?': object(
        { file: string(), line: integer({ minimum: 1 }), column: integer({ minimum: 1 }) },
        'Where it is declared; absent for a flag that changes itself, and for one that no manifest declares',
      ),
      estimate: oneOf([
        object({
          kind: is('audiences'),
          audiences: array(audience),
          unmatched: array(
            numberedCondition,
            'Conditions, before or after, with a filter that this release does not know',
          ),
          'cohortChanges?': is(
            true,
            'The definition of a cohort that the flag uses changes; its members are taken as unchanged',
          ),
          'uncounted?': array(string(), 'Fields that change and that no evaluation here reads'),
          'overlaps?': is(true, 'Of earlier releases: people who match several conditions are not counted'),
        }),
        object({ kind: is('dormant', 'The flag is disabled before and after') }),
        object({
          kind: is('unknown'),
          why: among(
            ['format', 'cohort', 'filter', 'combinations', 'left'],
            '`format`: filters that only the service reads; `cohort`: whom a changed cohort selects; `filter`: a filter that this release does not know; `combinations`: too many of them decide; `left`: the flag has another value than the one that the step begins with',
          ),
        }),
      ]),
      'persons?': object(
        {
          turnsOn: count(),
          turnsOff: count(),
          changesVariant: count(),
          changesPayload: count('The same variant, with another payload'),
          unchanged: count(),
          undecided: count('What is unknown of the person decides'),
        },
        'Real people by what becomes of them. Only with `--persons`',
      ),
      text: array(string(), 'For people'),
    },
    { title: 'Impact on one flag' },
  ),
);
