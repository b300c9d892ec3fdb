/** Describes the reason of a flag's value. */

import type { Evaluation, Reason } from '../../../src/evaluation/input.ts';

const WORDS: Readonly<Record<Reason, string>> = {
  super_condition_value: 'Matched a super condition',
  holdout_condition_value: 'Matched a holdout condition',
  condition_match: 'Matched condition set',
  out_of_rollout_bound: 'Out of rollout bound',
  no_condition_match: 'No matching condition set',
  no_group_type: 'No matching group type',
  flag_disabled: 'Feature flag is disabled',
  experiment_paused: 'The split is paused',
  missing_dependency: 'A dependency is missing',
  unknown_format: 'The format of the filters is not supported',
  unknown_pattern: 'Only PostHog can evaluate a regular expression of the filters',
};

/** The same for a flag with rules. */
const WORDS_OF_RULES: Readonly<Partial<Record<Reason, (rule: number) => string>>> = {
  condition_match: (rule) => `Matched rule ${rule}`,
  out_of_rollout_bound: (rule) => `Rule ${rule} rollout miss`,
  experiment_paused: (rule) => `Rule ${rule} is paused`,
  holdout_condition_value: (rule) => `Rule ${rule} holdout`,
  no_condition_match: () => 'No rule matched',
};

/** Numbers condition sets and rules from 1, as the web interface does. */
export function describeReason({
  reason,
  conditionIndex,
  ruled,
}: Pick<Evaluation, 'reason' | 'conditionIndex' | 'ruled'>): string {
  const ofRule = ruled === undefined ? undefined : WORDS_OF_RULES[reason];
  if (ofRule !== undefined) return ofRule((conditionIndex ?? 0) + 1);
  if (reason !== 'condition_match' || conditionIndex === null) return WORDS[reason];
  return `${WORDS[reason]} ${conditionIndex + 1}`;
}
