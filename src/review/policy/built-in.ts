/**
 * The policies of a configuration: a team's own rules about changes, and the built-in ones, judged before anything is written. Each of these
 * is a file of `rules/` and a row in both lists, from which configuration, schemas, judgement and reports derive.
 */

import type { Place } from '../../base/place.ts';
import type { PolicyHead, PolicyKind } from './basis/policy-kind.ts';
import { experimentRunning, type ExperimentRunning } from './rules/experiment-running.ts';
import { expires, type Expires } from './rules/expires.ts';
import { freeze, type Freeze } from './rules/freeze.ts';
import { maxWiden, type MaxWiden } from './rules/max-widen.ts';
import { naming, type Naming } from './rules/naming.ts';
import { noDirectProduction, type NoDirectProduction } from './rules/no-direct-production.ts';
import { noPersonalData, type NoPersonalData } from './rules/no-personal-data.ts';
import { required, type Require } from './rules/require.ts';
import { soaked, type Soaked } from './rules/soaked.ts';

/** The types of each policy; a row here requires one in `POLICIES`. */
export interface PolicyRows {
  readonly 'max-widen': MaxWiden;
  readonly freeze: Freeze;
  readonly require: Require;
  readonly naming: Naming;
  readonly 'no-personal-data': NoPersonalData;
  readonly expires: Expires;
  readonly 'no-direct-production': NoDirectProduction;
  readonly soaked: Soaked;
  readonly 'experiment-running': ExperimentRunning;
}

export type BuiltInRule = keyof PolicyRows;

/** Sorted as the documentation. */
export const POLICIES: { readonly [Rule in BuiltInRule]: PolicyKind<PolicyRows[Rule]> } = {
  'max-widen': maxWiden,
  freeze,
  require: required,
  naming,
  'no-personal-data': noPersonalData,
  expires,
  'no-direct-production': noDirectProduction,
  soaked,
  'experiment-running': experimentRunning,
};

export type PolicyFacts = PolicyRows[BuiltInRule]['facts'];

/** The policy if the rule is not known statically: its options and facts belong to the same rule. */
export function policyKindOf(rule: BuiltInRule): AnyPolicy {
  return POLICIES[rule] as unknown as AnyPolicy;
}

export type AnyPolicy = PolicyKind<{
  readonly written: object;
  readonly options: object;
  readonly facts: PolicyFacts;
}>;

export function isBuiltIn(name: string): name is BuiltInRule {
  return Object.hasOwn(POLICIES, name);
}

/** Excludes facts of own rules. */
export function areOfBuiltIn(facts: { readonly what: string }): facts is PolicyFacts {
  return isBuiltIn(facts.what);
}

export interface PolicySet {
  readonly rules: readonly Policy[];
  /** The people who may approve and grant exceptions; absent: anybody whom `--approved-by` names. */
  readonly approvers?: readonly string[];
}

export type Policy = BuiltInPolicy | OwnPolicy;

export type PolicyFor<Rule extends BuiltInRule> = PolicyHead & { readonly rule: Rule } & PolicyRows[Rule]['options'];

export type BuiltInPolicy = { readonly [Rule in BuiltInRule]: PolicyFor<Rule> }[BuiltInRule];

/** A rule of the project's own, as an expression. */
export interface OwnPolicy extends PolicyHead {
  readonly rule: 'own';
  readonly name: string;
  /** A CEL expression; true finds the change. */
  readonly when: string;
  /** The place of `when`. */
  readonly whenSource: Place;
  /** The text of findings. */
  readonly message: string;
}

/** The name of a policy in findings, exceptions and reports. */
export function nameOfPolicy(policy: Policy): string {
  return policy.rule === 'own' ? policy.name : policy.rule;
}
