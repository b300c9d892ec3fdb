/** What the policies find in the changes of a plan, as facts. The file of each policy has its sentence. */

import type { Place } from '../base/place.ts';
import type { RuleBreach } from './basis/judged.ts';
import type { Level } from './basis/head.ts';
import type { OwnFacts } from './rules/own.ts';
import type { PolicyFacts } from './policies.ts';

/** One rule found one resource's change at fault. */
export interface Finding {
  /** The name of the rule: a built-in one, or one of the configuration's own. */
  readonly rule: string;
  readonly level: Level;
  /** Who may approve, where nobody of them has; absent where anybody may, and where no approval lifts it. */
  readonly approvers?: readonly string[];
  /** The kind of the resource, and its key. */
  readonly resource: string;
  readonly key: string;
  /** How options name the resource as it is live, where the change renames it. */
  readonly live_name?: string;
  /** Of the change that it is about, the first one of the resource. */
  readonly ref: string;
  readonly facts: Facts;
  /** The line of the manifests; absent where they do not ask for the change. */
  readonly place?: Place;
  /** Where the policy is declared. */
  readonly policy: Place;
  /** That of the base, which has the policy at this place; absent where it is that of the checkout. */
  readonly commit?: string;
  /** Why the finding does not refuse the plan although its level would; absent where nobody lifts it. */
  readonly lifted?: Lifted;
}

/** What a policy, or a rule of the configuration's own, finds. */
export type Facts = PolicyFacts | OwnFacts;

/** As a rule finds it, before it is a finding. */
export type FoundFacts = RuleBreach<Facts>;

export type Lifted =
  | { readonly by: 'approval'; readonly approver: string }
  | {
      readonly by: 'waiver';
      readonly approver: string;
      /**
       * `approval`: the run names who grants it. `none`: the base has it, and nothing in this run proves that they granted it. Absent
       * in a document of a release that did not tell.
       */
      readonly proof?: 'approval' | 'none';
      readonly reason: string;
      /** The last day, `2026-12-31`, in UTC. */
      readonly expires: string;
      readonly source: Place;
    };

/** What the policies say of a plan. */
export interface Judgement {
  readonly source: PolicySource;
  /** In the order of the plan, and of the policies for each resource. */
  readonly findings: readonly Finding[];
  /** Waivers that lift nothing, although they name the project. */
  readonly idle: readonly IdleWaiver[];
}

/** Which file the policies come from: at the base where there is one, so that no change judges itself. */
export type PolicySource =
  | { readonly from: 'base'; readonly commit: string; readonly differs: boolean }
  | { readonly from: 'checkout'; readonly why: 'no_base' | 'no_file' | 'invalid' };

export interface IdleWaiver {
  readonly rule: string;
  readonly key: string;
  readonly why: 'expired' | 'not_approved' | 'not_approver' | 'unused';
  /** Who grants it; absent in a document of a release that did not tell. */
  readonly granted_by?: string;
  readonly source: Place;
}

/** Whether apply refuses the plan. */
export function isRefusal({ level, lifted }: Pick<Finding, 'level' | 'lifted'>): boolean {
  return level !== 'warning' && lifted === undefined;
}
