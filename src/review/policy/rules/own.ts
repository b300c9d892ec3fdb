/** The findings of own rules: their facts, with schemas and words. */

import { count as countSchema, integer, is, object, string } from '../../../base/schema.ts';
import type { WordedFacts } from '../basis/policy-kind.ts';

export type OwnFacts =
  | { readonly what: 'own'; readonly message: string }
  /** The expression could not be evaluated: the finding is an error, even if the rule has another level. */
  | { readonly what: 'own_failed'; readonly detail: string }
  /**
   * The own rules of the run used all their steps, so the rule did not judge this change and the ones after it: an error that cannot be
   * lifted. `judged`: of the `changes` that it concerns.
   */
  | { readonly what: 'own_exhausted'; readonly judged: number; readonly changes: number };

const LONGEST = 300;

export const OWN: WordedFacts<OwnFacts> = {
  facts: [
    object({ what: is('own'), message: string() }),
    object({ what: is('own_failed'), detail: string() }),
    object(
      { what: is('own_exhausted'), judged: countSchema(), changes: integer({ minimum: 1 }) },
      'The own rules of the run may take no more steps: the rule judged so many of the changes that it concerns',
    ),
  ],
  text: (facts, wording) => {
    switch (facts.what) {
      case 'own':
        return `is found: ${wording.quote(facts.message, LONGEST)}`;
      case 'own_failed':
        return `cannot be judged: ${wording.quote(facts.detail, LONGEST)}`;
      case 'own_exhausted': {
        // Continues after the name of the first change.
        const others = facts.changes - facts.judged - 1;
        const unjudged = others === 0 ? 'is' : `and ${wording.count(others, 'other change')} are`;
        return `${unjudged} not judged: the own rules of one run may take no more steps`;
      }
    }
  },
};
