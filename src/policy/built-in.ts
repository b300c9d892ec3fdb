/**
 * The built-in policies: a file of `rules/` each, and a row in both lists. Configuration, schemas, judgement and reports derive from them.
 */

import type { PolicyKind } from './basis/policy-kind.ts';
import { experimentRunning, type ExperimentRunning } from './rules/experiment-running.ts';
import { expires, type Expires } from './rules/expires.ts';
import { freeze, type Freeze } from './rules/freeze.ts';
import { maxWiden, type MaxWiden } from './rules/max-widen.ts';
import { naming, type Naming } from './rules/naming.ts';
import { noDirectProduction, type NoDirectProduction } from './rules/no-direct-production.ts';
import { noPersonalData, type NoPersonalData } from './rules/no-personal-data.ts';
import { required, type Require } from './rules/require.ts';

/** The types of each policy; a row here requires one in `POLICIES`. */
export interface PolicyRows {
  readonly 'max-widen': MaxWiden;
  readonly freeze: Freeze;
  readonly require: Require;
  readonly naming: Naming;
  readonly 'no-personal-data': NoPersonalData;
  readonly expires: Expires;
  readonly 'no-direct-production': NoDirectProduction;
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
  'experiment-running': experimentRunning,
};

export type PolicyFacts = PolicyRows[BuiltInRule]['facts'];

/** The policy if the rule is not known statically: its options and facts belong to the same rule. */
export function policyKindOf(rule: BuiltInRule): AnyPolicy {
  return POLICIES[rule] as unknown as AnyPolicy;
}

export type AnyPolicy = PolicyKind<AnyTypes>;

interface AnyTypes {
  readonly written: object;
  readonly options: object;
  readonly facts: PolicyFacts;
}

export function isBuiltIn(name: string): name is BuiltInRule {
  return Object.hasOwn(POLICIES, name);
}

/** Excludes facts of own rules. */
export function areOfBuiltIn(facts: { readonly what: string }): facts is PolicyFacts {
  return isBuiltIn(facts.what);
}
