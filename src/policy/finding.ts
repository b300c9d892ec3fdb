/** What the policies find in the changes of a plan, as facts. `report/words/findings.ts` has the sentences. */

import type { Place } from '../base/place.ts';
import type { Level, TimeWindow } from './policy.ts';

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

/** `what` is the rule; `own`, `own_failed` and `own_exhausted` are of the configuration's own rules. */
export type Facts =
  /** `points`: percentage points of a condition's people; `exact`: whether that is known, else it is the most that it can be. */
  | { readonly what: 'max-widen'; readonly points: number; readonly limit: number; readonly exact: boolean }
  /** `denied`: in a window of `deny`; otherwise outside of every window of `allow`. */
  | {
      readonly what: 'freeze';
      readonly denied: boolean;
      /** Of several windows of `allow`, the first. */
      readonly window: TimeWindow;
      /** In the zone of the window: `fri 2026-12-25 17:03`. */
      readonly local: string;
    }
  | { readonly what: 'require'; readonly missing: 'description' }
  | { readonly what: 'require'; readonly missing: 'tag'; readonly pattern: string }
  | { readonly what: 'naming'; readonly patterns: readonly string[] }
  /** Never the data itself. `condition` counts from 1. */
  | {
      readonly what: 'no-personal-data';
      readonly data: PersonalData;
      readonly condition?: number;
      readonly amount: number;
    }
  | { readonly what: 'expires'; readonly problem: 'passed' | 'invalid'; readonly date: string }
  | { readonly what: 'expires'; readonly problem: 'too_far'; readonly date: string; readonly max_days: number }
  /** `paths`: the values that `first` has not declared; `unknown`: nothing tells what it declared. */
  | {
      readonly what: 'no-direct-production';
      readonly first: string;
      readonly problem: 'flag' | 'values' | 'unknown';
      readonly paths: readonly string[];
    }
  | {
      readonly what: 'experiment-running';
      readonly experiments: readonly { readonly id: number; readonly name?: string }[];
    }
  | { readonly what: 'own'; readonly message: string }
  /** The expression could not be evaluated: the finding is an error, whatever the level of the rule. */
  | { readonly what: 'own_failed'; readonly detail: string }
  /**
   * The own rules of the run may take no more steps, so the rule did not judge this change and the ones after it: an error that
   * nobody lifts. `judged`: of the `changes` that it concerns.
   */
  | { readonly what: 'own_exhausted'; readonly judged: number; readonly changes: number };

export type PersonalData = 'email' | 'phone';

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
