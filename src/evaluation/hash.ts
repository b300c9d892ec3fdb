/**
 * Hashes that spread identifiers evenly between 0 and 1 (docs/evaluation.md, "Hashing"), the identifier that is hashed ("Identifier"), and
 * what hashes decide: whether a rollout includes an identifier, and which variant it gets.
 */

import { hash } from 'node:crypto';
import { isJsonNumber, type JsonValue } from '../base/json.ts';
import type { Condition, Flag, Variant } from '../posthog/flag/model/flag.ts';
import { variantsOf, aggregationOf } from './parts.ts';
import type { EvaluationScope } from './scope.ts';

/** Fifteen hexadecimal digits `f`. As a double it rounds to 2^60, here and in the service. */
const SCALE = Number(0xfffffffffffffffn);

/** Decides whether a condition's rollout includes the identifier. */
export function rolloutHash(flagKey: string, identifier: string): number {
  return keyedHash(flagKey, identifier, '');
}

/** Decides the variant of the identifier; its salt makes it independent of the rollout. */
export function variantHash(flagKey: string, identifier: string): number {
  return keyedHash(flagKey, identifier, 'variant');
}

/** Does not contain the flag's key: a person is held out of all flags of a holdout or of none. */
export function holdoutHash(identifier: string, prefix: string = HOLDOUT_PREFIX): number {
  return fraction(prefix + identifier);
}

export const HOLDOUT_PREFIX = 'holdout-';

// An empty identifier hashes to 0, which every rollout includes. Conditions for which that would be wrong are skipped
// before.
function keyedHash(flagKey: string, identifier: string, salt: string): number {
  return identifier === '' ? 0 : fraction(`${flagKey}.${identifier}${salt}`);
}

/**
 * Two exact halves of the first 60 bits: the sum and the quotient are each rounded once. A digest as a string takes a third of the time of
 * one as a buffer.
 */
function fraction(text: string): number {
  const digest = hash('sha1', text, 'binary');
  return (bitsAt(digest, 0) * 2 ** 28 + (bitsAt(digest, 4) >>> 4)) / SCALE;
}

/** 32 bits from a byte on, the first one highest. */
function bitsAt(digest: string, at: number): number {
  const byte = (index: number): number => digest.charCodeAt(at + index);
  return ((byte(0) << 24) | (byte(1) << 16) | (byte(2) << 8) | byte(3)) >>> 0;
}

/** A condition whose filters match, and the identifier that it hashes. */
interface RolloutCandidate {
  readonly flag: Flag;
  readonly condition: Condition;
  readonly identifier: string;
}

/** 100% needs no hash. Below that the bound is inclusive: 0% includes a hash of exactly 0. */
export function isRolledOut({ flag, condition, identifier }: RolloutCandidate, { context }: EvaluationScope): boolean {
  const share = rolloutShare(condition);
  if (share === 1) return true;
  const assumed = context.assumptions?.hash?.({ kind: 'rollout', flagKey: flag.key, identifier }, share);
  return assumed ?? rolloutHash(flag.key, identifier) <= share;
}

/** From 0 to 1. */
export function rolloutShare({ rollout_percentage: percentage }: Condition): number {
  return clampedShare(percentage ?? 100);
}

/** The variant that the condition forces, or else the variant of the hash; `undefined` if the percentages leave a gap. */
export function chooseVariant(
  { flag, condition, identifier }: RolloutCandidate,
  { context }: EvaluationScope,
): string | undefined {
  const variants = variantsOf(flag.filters);
  const forced = variants.find((variant) => variant.key === condition.variant);
  if (forced !== undefined) return forced.key;
  const name = { kind: 'variant', flagKey: flag.key, identifier } as const;
  let hash: number | undefined;
  const hashed = (): number => (hash ??= variantHash(flag.key, identifier));
  return findHashedVariant(variants, (bound) => context.assumptions?.hash?.(name, bound) ?? hashed() < bound);
}

function findHashedVariant(variants: readonly Variant[], isBelow: (bound: number) => boolean): string | undefined {
  let bound = 0;
  return variants.find((variant) => {
    bound += clampedShare(variant.rollout_percentage);
    return isBelow(bound);
  })?.key;
}

/** Old flags hold a percentage in any form: one that is not a number includes nobody. */
function clampedShare(percentage: JsonValue): number {
  return isJsonNumber(percentage) ? Math.min(Math.max(Number(String(percentage)), 0), 100) / 100 : 0;
}

/** The identifier of a condition, or the reason why the condition is skipped. */
type Bucket =
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
