/** Chooses the hashed identifier: the group's key, the device, or the person (docs/evaluation.md, "Identifier"). */

import type { Flag } from '../posthog/flag/model/flag.ts';
import { aggregationOf } from './parts.ts';
import type { EvaluationScope } from './scope.ts';

/** The identifier of a condition, or the reason why the condition is skipped. */
export type Bucket =
  | { readonly kind: 'identifier'; readonly identifier: string }
  | { readonly kind: 'absent'; readonly reason: 'no_group_type' | 'out_of_rollout_bound' };

/** `aggregation` is the group type index; null means persons. */
export function findBucket(flag: Flag, aggregation: number | null, scope: EvaluationScope): Bucket {
  if (aggregation !== null) {
    const identifier = groupKey(aggregation, scope);
    return identifier === '' ? { kind: 'absent', reason: 'no_group_type' } : { kind: 'identifier', identifier };
  }
  if (isBucketedByDevice(flag)) {
    const identifier = deviceOf(scope);
    return identifier === '' ? { kind: 'absent', reason: 'out_of_rollout_bound' } : { kind: 'identifier', identifier };
  }
  return { kind: 'identifier', identifier: storedIdentifier(flag, scope) ?? personIdentifier(flag, scope) };
}

/**
 * The identifier that a holdout hashes. It ignores stored identifiers, and uses the person where the device is missing.
 */
export function holdoutIdentifier(flag: Flag, scope: EvaluationScope): string {
  const aggregation = aggregationOf(flag.filters ?? {});
  if (aggregation !== null) return groupKey(aggregation, scope);
  const device = isBucketedByDevice(flag) ? deviceOf(scope) : '';
  return device || personIdentifier(flag, scope);
}

/** The key of the subject's group of a type; empty if the subject is in no such group. */
function groupKey(typeIndex: number, { context, subject }: EvaluationScope): string {
  const assumed = context.assumptions?.identifier?.(typeIndex);
  if (assumed !== undefined) return assumed;
  const type = context.groupTypes[String(typeIndex)];
  return type !== undefined && Object.hasOwn(subject.groups, type) ? String(subject.groups[type] ?? '') : '';
}

function deviceOf({ context, subject }: EvaluationScope): string {
  return context.assumptions?.identifier?.('device') ?? subject.deviceId ?? '';
}

export function isBucketedByDevice(flag: Flag): boolean {
  return flag['bucketing_identifier'] === 'device_id';
}

function storedIdentifier(flag: Flag, { subject }: EvaluationScope): string | undefined {
  const overrides = subject.identifierOverrides;
  if (!flag.ensure_experience_continuity || overrides === undefined) return undefined;
  return Object.hasOwn(overrides, flag.key) ? overrides[flag.key] : undefined;
}

function personIdentifier(flag: Flag, { subject }: EvaluationScope): string {
  return (flag.ensure_experience_continuity ? subject.anonymousId : undefined) ?? subject.distinctId;
}
