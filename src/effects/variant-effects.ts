/** What a change of the variants does: which share of all people gets another variant by hash. */

import { arrayOrEmpty, isJsonObject, jsonEquals, type JsonObject, type JsonValue } from '../base/json.ts';
import type { FlagEffect, VariantShare } from './effect.ts';

/** `filters` before and after, in canonical form. */
export function findVariantEffects(before: JsonObject, after: JsonObject): FlagEffect[] {
  const [former, wanted] = [variantsIn(before), variantsIn(after)];
  if (jsonEquals(former, wanted)) return [];
  const [shares, newShares] = [sharesOf(former), sharesOf(wanted)];
  if (!jsonEquals(shares as unknown as JsonValue, newShares as unknown as JsonValue)) {
    const moved = movedShare(shares, newShares);
    return [{ what: 'variants', classes: ['re-split'], before: shares, after: newShares, moved }];
  }
  return [{ what: 'metadata', classes: ['metadata'], field: 'filters.multivariate' }];
}

/**
 * Percentage points of the hash's range where the variants differ. A variant takes the range from the sum of the shares before it;
 * what no variant takes is a share without a key.
 */
export function movedShare(before: readonly VariantShare[], after: readonly VariantShare[]): number {
  const [former, wanted] = [rangesOf(before), rangesOf(after)];
  const bounds = [...new Set([...former, ...wanted].map(({ end }) => end))].toSorted((a, b) => a - b);
  const moved = bounds.reduce((sum, end, index) => {
    const start = bounds[index - 1] ?? 0;
    return keyAt(former, end) === keyAt(wanted, end) ? sum : sum + (end - start);
  }, 0);
  return rounded(moved);
}

function variantsIn(filters: JsonObject): readonly JsonObject[] {
  const { multivariate } = filters;
  return isJsonObject(multivariate) ? arrayOrEmpty(multivariate['variants']).filter(isJsonObject) : [];
}

function sharesOf(variants: readonly JsonObject[]): VariantShare[] {
  const shares = variants.map(({ key, rollout_percentage: percentage }) => ({
    key: typeof key === 'string' ? key : '',
    percentage: Number(percentage ?? 0),
  }));
  const rest = rounded(100 - shares.reduce((sum, { percentage }) => sum + percentage, 0));
  return rest > 0 ? [...shares, { percentage: rest }] : shares;
}

interface Range {
  readonly end: number;
  readonly key?: string;
}

function rangesOf(shares: readonly VariantShare[]): Range[] {
  let end = 0;
  return shares.map(({ key, percentage }) => {
    end = Math.min(100, rounded(end + percentage));
    return { end, ...(key === undefined ? {} : { key }) };
  });
}

/** Of the range that ends at the bound or contains what lies before it. */
function keyAt(ranges: readonly Range[], bound: number): string | undefined {
  return ranges.find(({ end }) => end >= bound)?.key;
}

/** Shares have decimals, whose sums are not exact in binary. */
function rounded(percentage: number): number {
  return Math.round(percentage * 1e6) / 1e6;
}
