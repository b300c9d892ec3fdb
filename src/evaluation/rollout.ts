/** The decisions by hash: whether a rollout includes an identifier, and which variant it gets. */

import { isJsonNumber, type JsonValue } from '../base/json.ts';
import type { Condition, Flag, Variant } from '../posthog/flag/model/flag.ts';
import { rolloutHash, variantHash } from './hash.ts';
import { variantsOf } from './parts.ts';
import type { EvaluationScope } from './scope.ts';

/** A condition whose filters match, and the identifier that it hashes. */
export interface RolloutCandidate {
  readonly flag: Flag;
  readonly condition: Condition;
  readonly identifier: string;
}

/** 100% needs no hash. Below that the bound is inclusive: 0% includes a hash of exactly 0. */
export function isRolledOut({ flag, condition, identifier }: RolloutCandidate, { context }: EvaluationScope): boolean {
  const share = clampedShare(condition.rollout_percentage ?? 100);
  if (share === 1) return true;
  const assumed = context.assumptions?.hash?.({ kind: 'rollout', flagKey: flag.key, identifier }, share);
  return assumed ?? rolloutHash(flag.key, identifier) <= share;
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
