/** Finds what a change of the variants does: the share of people who get another variant by hash. */

import {
  definedKeys,
  isJsonArray,
  isJsonObject,
  jsonEquals,
  objectFrom,
  type JsonObject,
  type JsonValue,
} from '../base/json.ts';
import { defined } from '../base/optional.ts';
import { KNOWN_MEMBERS } from '../posthog/flag/model/known-members.ts';
import { without } from '../posthog/flag/layout/members.ts';
import { shareOf, viewFilters } from '../posthog/flag/model/view.ts';
import type { FlagEffect, VariantShare } from './effect.ts';

/** `before` and `after`: `filters` in canonical form, whose variants differ. */
export function findVariantEffects(before: JsonObject, after: JsonObject): FlagEffect[] {
  const [former, wanted] = [before['multivariate'], after['multivariate']];
  const [parts, newParts] = [readMultivariate(former), readMultivariate(wanted)];
  if (parts === undefined || newParts === undefined || !jsonEquals(parts.unknown, newParts.unknown)) {
    const path = '/filters/multivariate';
    return [{ what: 'unknown', classes: ['opaque'], path, ...defined({ before: former, after: wanted }) }];
  }
  const [shares, newShares] = [parts.shares, newParts.shares];
  if (!jsonEquals(shares as unknown as JsonValue, newShares as unknown as JsonValue)) {
    const moved = movedShare(shares, newShares);
    const isSame = givesAlike([before, after], [shares, newShares], moved);
    const classes = isSame ? (['metadata'] as const) : (['re-split'] as const);
    return [{ what: 'variants', classes, before: shares, after: newShares, moved }];
  }
  return [{ what: 'metadata', classes: ['metadata'], field: 'filters.multivariate' }];
}

/** Whether each condition gives the same variants on both sides. `moved`: what `movedShare` finds. */
function givesAlike(
  sides: readonly JsonObject[],
  shares: readonly (readonly VariantShare[])[],
  moved: number,
): boolean {
  const named = sides.flatMap((filters) =>
    viewFilters(filters).conditions.map(({ part: { variant } }) =>
      shares.map((side) => side.some(({ key }) => key !== undefined && key === variant)),
    ),
  );
  return named.every(([before, after]) => before === after && (before === true || moved === 0));
}

/**
 * Sums the percentage points of the hash's range where the variants differ. The range of a variant begins where that of the one before it
 * ends; the rest is a share without a key.
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

interface Multivariate {
  readonly shares: readonly VariantShare[];
  /** Members that this release does not know; those of variants by key. */
  readonly unknown: JsonObject;
}

/** `undefined` unless it is a list of variants with keys and percentages. */
function readMultivariate(value: JsonValue | undefined): Multivariate | undefined {
  const multivariate = value ?? {};
  if (!isJsonObject(multivariate)) return undefined;
  const listed = multivariate['variants'] ?? [];
  const variants = isJsonArray(listed) ? listed.map(readVariant) : [undefined];
  if (!variants.every((variant) => variant !== undefined)) return undefined;
  const ofVariants = variants.filter(({ unknown }) => definedKeys(unknown).length > 0);
  return {
    shares: withRest(variants.map(({ key, percentage }) => ({ key, percentage }))),
    unknown: {
      ...without(multivariate, KNOWN_MEMBERS.multivariate),
      variants: objectFrom(ofVariants.map(({ key, unknown }) => [key, unknown])),
    },
  };
}

interface ReadVariant {
  readonly key: string;
  readonly percentage: number;
  readonly unknown: JsonObject;
}

function readVariant(variant: JsonValue): ReadVariant | undefined {
  if (!isJsonObject(variant)) return undefined;
  const [key, percentage] = [variant['key'], shareOf(variant)];
  if (typeof key !== 'string' || percentage === undefined) return undefined;
  return { key, percentage, unknown: without(variant, KNOWN_MEMBERS.variant) };
}

function withRest(shares: readonly VariantShare[]): readonly VariantShare[] {
  const rest = rounded(100 - shares.reduce((sum, { percentage }) => sum + percentage, 0));
  return rest > 0 ? [...shares, { percentage: rest }] : shares;
}

interface VariantRange {
  readonly end: number;
  readonly key?: string;
}

function rangesOf(shares: readonly VariantShare[]): VariantRange[] {
  let end = 0;
  return shares.map(({ key, percentage }) => {
    end = Math.min(100, rounded(end + percentage));
    return { end, ...(key === undefined ? {} : { key }) };
  });
}

/** The key of the range just below the bound. */
function keyAt(ranges: readonly VariantRange[], bound: number): string | undefined {
  return ranges.find(({ end }) => end >= bound)?.key;
}

/** Sums of decimals are not exact in binary. */
function rounded(percentage: number): number {
  return Math.round(percentage * 1e6) / 1e6;
}
