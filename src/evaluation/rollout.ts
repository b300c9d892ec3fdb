/** The decisions by hash: whether a roll-out includes an identifier, and which variant it gets. */

import type { Condition, Flag, Variant } from '../posthog/flag/flag.ts';
import { rolloutHash, variantHash } from './hash.ts';
import { variantsOf } from './parts.ts';

/** 100 % needs no hash. Below that the bound is inclusive: 0 % includes a hash of exactly 0. */
export function isRolledOut(flag: Flag, condition: Condition, identifier: string): boolean {
  const percentage = condition.rollout_percentage ?? 100;
  return percentage === 100 || rolloutHash(flag.key, identifier) <= percentage / 100;
}

/**
 * The variant that the condition forces, else the variant of the hash; `undefined` where the percentages leave a gap.
 */
export function chooseVariant(flag: Flag, condition: Condition, identifier: string): string | undefined {
  const variants = variantsOf(flag.filters);
  const forced = variants.find((variant) => variant.key === condition.variant);
  return forced?.key ?? findHashedVariant(variants, variantHash(flag.key, identifier));
}

function findHashedVariant(variants: readonly Variant[], hash: number): string | undefined {
  let bound = 0;
  return variants.find((variant) => {
    bound += variant.rollout_percentage / 100;
    return hash < bound;
  })?.key;
}
