/**
 * The problems and differences of a report: its sentences and the exit code of its command both derive from these facts, so that no report
 * claims absence where the exit code says otherwise.
 */

import type { Diagnostic } from '../base/diagnostic.ts';
import type { Divergence } from '../core/engine/base.ts';
import type { LeftChange } from '../core/engine/matched.ts';
import { isRefusal, type Finding, type Judgement } from '../review/policy/finding.ts';
import type { Unwritable } from '../posthog/planning/drift-groups.ts';
import type { Change } from '../posthog/plan.ts';
import type { ExceptionReport } from '../review/policy/exceptions.ts';
import type { PlannedRollout } from '../core/rollout/rollout.ts';

export interface ValidationStanding {
  readonly errors: number;
  readonly warnings: number;
  /** Findings of policies that no approval lifts. */
  readonly refusals: number;
  /** Findings that wait for an approval. */
  readonly approvals: number;
  /** Findings that refuse nothing, and exceptions that lift nothing. */
  readonly remarks: number;
}

export function standingOfValidation({
  diagnostics,
  policies = [],
}: {
  readonly diagnostics: readonly Diagnostic[];
  readonly policies?: readonly { readonly judgement: Judgement; readonly excepted?: readonly ExceptionReport[] }[];
}): ValidationStanding {
  const findings = policies.flatMap(({ judgement }) => judgement.findings).filter(({ lifted }) => lifted === undefined);
  const idle = policies.flatMap(({ excepted = [] }) => excepted.filter(({ code }) => code !== 'exception_used'));
  return {
    errors: diagnostics.filter(({ severity }: Diagnostic) => severity === 'error').length,
    warnings: diagnostics.filter(({ severity }: Diagnostic) => severity === 'warning').length,
    refusals: findings.filter((one) => isRefusal(one) && !mayBeApproved(one)).length,
    approvals: findings.filter((one) => isRefusal(one) && mayBeApproved(one)).length,
    remarks: findings.filter((one) => !isRefusal(one)).length + idle.length,
  };
}

function mayBeApproved({ level }: Finding): boolean {
  return level === 'approve';
}

/** The differences that a drift report counts besides live edits. */
export interface StandingFacts {
  readonly pending?: boolean;
  /** Flags in scope that no manifest declares. */
  readonly unmanaged?: boolean;
}

export interface DriftStanding {
  readonly drifted: readonly Change[];
  /** Unapplied changes of the manifests, if they do not count. */
  readonly pending: readonly Change[];
  /** Differences that no plan can write. */
  readonly unwritable: readonly Unwritable[];
  /** Empty if they do not count. */
  readonly unmanaged: readonly string[];
  readonly overdue: readonly PlannedRollout[];
  /** Rollouts at a step that no recorded run made. */
  readonly unknown: readonly PlannedRollout[];
}

export function hasDrifted({ drifted, unwritable, unmanaged, overdue, unknown }: DriftStanding): boolean {
  return drifted.length + unwritable.length + unmanaged.length + overdue.length + unknown.length > 0;
}

/** Whether only the manifests changed, if a base shows that. */
export function isPending(change: Change): boolean {
  return partsOf(change).every(({ divergence }) => divergence === 'pending');
}

/** Whether the manifests changed something of it. */
export function hasPending(change: Change): boolean {
  return partsOf(change).some(({ divergence }) => divergence === 'pending');
}

/** The values that it is about; a change without values is one. */
export function partsOf(change: Change | LeftChange): readonly { readonly divergence?: Divergence }[] {
  if ('fields' in change && change.fields.length > 0) return change.fields;
  return 'divergence' in change ? [change] : [{}];
}
