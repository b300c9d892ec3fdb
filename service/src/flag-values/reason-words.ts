/** Describes the reason of a flag's value. */

import type { Evaluation, Reason } from '../../../src/evaluation/evaluation.ts';

const WORDS: Readonly<Record<Reason, string>> = {
  super_condition_value: 'Matched a super condition',
  holdout_condition_value: 'Matched a holdout condition',
  condition_match: 'Matched condition set',
  out_of_rollout_bound: 'Out of rollout bound',
  no_condition_match: 'No matching condition set',
  no_group_type: 'No matching group type',
  flag_disabled: 'Feature flag is disabled',
  missing_dependency: 'A dependency is missing',
  unknown_format: 'The format of the filters is not supported',
};

/** Numbers condition sets from 1, as the web interface does. */
export function describeReason({ reason, conditionIndex }: Pick<Evaluation, 'reason' | 'conditionIndex'>): string {
  if (reason !== 'condition_match' || conditionIndex === null) return WORDS[reason];
  return `${WORDS[reason]} ${conditionIndex + 1}`;
}
