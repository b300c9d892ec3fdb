/** Evaluates flags with rules (format version 2) as today's service does: to true or false, by rules about the person. */

import { isJsonArray, objectOrEmpty, type JsonObject, type JsonValue } from '../../../src/base/json.ts';
import { off, type Evaluation, type Verdict } from '../../../src/evaluation/evaluation.ts';
import { rolloutHash } from '../../../src/evaluation/hash.ts';
import type { EvaluationInput } from '../../../src/evaluation/input.ts';
import { matchesProperty } from '../../../src/evaluation/match-property.ts';
import { createScope, type EvaluationScope } from '../../../src/evaluation/scope.ts';
import { formatOf } from '../filters/format.ts';
import { checkRules } from '../filters/rule-document.ts';
import type { StoredFlag } from '../store/flag.ts';
import type { EvaluatedProperty } from './context.ts';

/** Whether the service evaluates the flag by rules, which it does only for flags of type boolean. */
export function hasRules({ active, filters }: StoredFlag): boolean {
  if (!active || formatOf(filters) !== 'rules' || filters['return_type'] !== 'boolean') return false;
  try {
    checkRules(filters);
    return true;
  } catch {
    return false;
  }
}

/** Evaluates a flag that has rules. */
export function evaluateRules(
  { key, filters }: StoredFlag,
  input: Pick<EvaluationInput, 'context' | 'subject'>,
): Evaluation {
  const scope = createScope(input, () => undefined);
  const verdict = findRule(filters, scope);
  return { key, enabled: verdict.value !== false, ...verdict };
}

const LONGEST_SUBJECT = 200;

function findRule(filters: JsonObject, scope: EvaluationScope): Verdict {
  const { rules = [], default_value: fallback = null } = filters;
  const subject = Array.from(scope.subject.distinctId).slice(0, LONGEST_SUBJECT).join('');
  for (const [conditionIndex, sent] of (isJsonArray(rules) ? rules : []).entries()) {
    const rule = objectOrEmpty(sent);
    if (!targets(rule, scope)) continue;
    if (isIncluded(rule, subject)) return { value: rule['value'] === true, reason: 'condition_match', conditionIndex };
    if (rule['on_rollout_miss'] === 'return_default') {
      return { value: fallback === true, reason: 'out_of_rollout_bound', conditionIndex };
    }
  }
  return { ...off('no_condition_match'), value: fallback === true };
}

function targets(rule: JsonObject, { person, context }: EvaluationScope): boolean {
  const { properties = [] } = objectOrEmpty(rule['targeting']);
  return (isJsonArray(properties) ? properties : []).every((property) => {
    const isNegated = objectOrEmpty(property)['negation'] === true;
    return matchesProperty(property as unknown as EvaluatedProperty, person, context) !== isNegated;
  });
}

/** A rule without a share includes everybody; a person without an identifier is in no share. */
function isIncluded(rule: JsonObject, subject: string): boolean {
  const { rollout_percentage: percentage, seed } = rule;
  if (typeof percentage !== 'number') return true;
  return subject !== '' && (percentage === 100 || rolloutHash(textOf(seed), subject) <= percentage / 100);
}

function textOf(seed: JsonValue | undefined): string {
  return typeof seed === 'string' ? seed : '';
}
