/** The policies of the configuration: a team's own rules about changes, judged before anything is written. */

import type { Place } from '../base/place.ts';
import type { PolicyHead } from './basis/policy-kind.ts';
import type { BuiltInRule, PolicyRows } from './built-in.ts';

export interface PolicySet {
  readonly rules: readonly Policy[];
  /** The people who may approve and grant waivers; absent: anybody whom `--approved-by` names. */
  readonly approvers?: readonly string[];
  /** The file of waivers, relative to the configuration's folder. */
  readonly waivers?: string;
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

/** The name of a policy in findings, waivers and reports. */
export function nameOfPolicy(policy: Policy): string {
  return policy.rule === 'own' ? policy.name : policy.rule;
}
