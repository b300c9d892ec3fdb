/** Evaluates flags with rules (format version 2), as `/flags` does: the first rule that includes the person decides. */

import type { JsonObject, JsonValue } from '../base/json.ts';
import { UNKNOWN } from '../base/pattern/read-pattern.ts';
import type { Property } from '../posthog/flag/model/flag.ts';
import { findOperator } from '../posthog/flag/model/operators.ts';
import { off, type Reason, type Verdict } from './evaluation.ts';
import { holdoutHash, rolloutHash, variantHash } from './hash.ts';
import type { HashName } from './input.ts';
import { findMatch, type FilterMatch } from './match-property.ts';
import { readRules, type FlagRule, type RuleDocument } from './rule-document.ts';
import type { EvaluationScope } from './scope.ts';

const LONGEST_SUBJECT = 200;

/** `undefined` where the service fails: for a document that it does not know, and for values that a rule cannot compare. */
export function evaluateRules(filters: JsonObject, scope: EvaluationScope): Verdict | undefined {
  const document = readRules(filters);
  if (document === undefined) return undefined;
  const { default_value: fallback } = document;
  const subject = Array.from(scope.subject.distinctId).slice(0, LONGEST_SUBJECT).join('');
  // A person without an identifier is in no share and in no holdout.
  const includes = (kind: 'rollout' | 'holdout', seed: string, percentage: number): boolean =>
    subject !== '' &&
    (percentage === 100 || isWithin({ kind, flagKey: seed, identifier: subject }, percentage / 100, scope));
  for (const [index, rule] of document.rules.entries()) {
    const isTargeted = targets(rule.targeting.properties, scope);
    if (isTargeted === undefined) return undefined;
    if (isTargeted === UNKNOWN) return off('unknown_pattern');
    if (!isTargeted) continue;
    const decided = (reason: Reason, value: JsonValue): Verdict => verdictOf(reason, value, { index, rule });
    const { paused, holdout, rollout_percentage: percentage, seed = '' } = rule;
    if (paused === true) return decided('experiment_paused', fallback);
    if (holdout !== undefined && includes('holdout', holdout.seed, holdout.exclusion_percentage)) {
      return decided('holdout_condition_value', fallback);
    }
    if (percentage === undefined || includes('rollout', seed, percentage)) {
      return decided('condition_match', rule.value ?? chooseValue(rule, subject, scope));
    }
    if (rule.on_rollout_miss === 'return_default') return decided('out_of_rollout_bound', fallback);
  }
  return verdictOf('no_condition_match', fallback);
}

function verdictOf(
  reason: Reason,
  value: JsonValue,
  decider?: { readonly index: number; readonly rule: RuleDocument['rules'][number] },
): Verdict {
  const isPlain = typeof value === 'boolean' || typeof value === 'string';
  return {
    value: isPlain ? value : value !== null,
    reason,
    conditionIndex: decider?.index ?? null,
    ruled: { value, ...(decider !== undefined && { id: decider.rule.id, type: decider.rule.rule_type }) },
  };
}

/** `undefined` if a value cannot be compared, in which case neither the property nor its negation has an answer. */
function targets(properties: readonly Property[], { context, person }: EvaluationScope): FilterMatch | undefined {
  const assumed = context.assumptions?.filters?.(properties, null);
  if (assumed !== undefined) return assumed;
  for (const property of properties) {
    const { assumptions } = context;
    const asked = assumptions?.filter?.(property, null) ?? findMatch(property, person, context);
    const found = asked === UNKNOWN ? (assumptions?.undecided?.(property, null) ?? UNKNOWN) : asked;
    // The service fails where it gives up, and then no other filter counts.
    if (found === UNKNOWN) return UNKNOWN;
    const matches = found ?? (FAILING.has(findOperator(property.operator ?? 'exact')?.operand ?? '') ? found : false);
    if (matches === undefined) return undefined;
    if (matches === (property['negation'] === true)) return false;
  }
  return true;
}

/** The service fails at a number and a pattern that are none; other values that it cannot compare do not match. */
const FAILING: ReadonlySet<string> = new Set(['number-string', 'regex']);

/** The last variant gets what rounding leaves. */
function chooseValue({ variants = [], seed = '' }: FlagRule, identifier: string, scope: EvaluationScope): JsonValue {
  let bound = 0;
  const name = { kind: 'variant', flagKey: seed, identifier } as const;
  const chosen = variants.slice(0, -1).find(({ weight }) => {
    bound += weight / 100;
    return isWithin(name, bound, scope);
  });
  return (chosen ?? variants.at(-1))?.value ?? null;
}

function isWithin(name: HashName, share: number, { context }: EvaluationScope): boolean {
  const assumed = context.assumptions?.hash?.(name, share);
  if (assumed !== undefined) return assumed;
  const { kind, flagKey, identifier } = name;
  if (kind === 'variant') return variantHash(flagKey, identifier) < share;
  return (kind === 'holdout' ? holdoutHash(identifier, flagKey) : rolloutHash(flagKey, identifier)) <= share;
}
