/** Checks variants: they add up to 100, their keys are unique, and conditions force only existing ones. */

import { isJsonArray, isJsonObject } from '../../../base/json.ts';
import { defined } from '../../../base/optional.ts';
import type { Suggest } from '../../../base/suggest.ts';
import type { Soundness } from '../../../manifest/soundness.ts';
import { VARIANTS, type FiltersView } from '../view.ts';
import type { FlagFinding } from './problems.ts';

/** Decimals such as 0.01 + 64.04 + 35.95 do not add up exactly in floating point; the service's tolerance. */
const SUM_TOLERANCE = 1e-9;

/** The characters that current services accept in a variant's key; older ones accepted anything (docs/service.md, "Filters"). */
const VARIANT_KEY = /^[A-Za-z0-9_\-./]+$/;

export function checkVariants(view: FiltersView, sound: Soundness, suggest: Suggest): FlagFinding[] {
  return [...checkSum(view, sound), ...checkKeys(view, sound), ...checkForcedVariants(view, sound, suggest)];
}

function checkSum(view: FiltersView, sound: Soundness): FlagFinding[] {
  const { variants } = view;
  const known = variantKeysOf(view, sound) !== undefined;
  if (variants.length === 0 || !known || !variants.every(({ at }) => sound.at(`${at}/rollout_percentage`))) return [];
  const sum = variants.reduce((total, { part }) => total + part.rollout_percentage, 0);
  if (Math.abs(sum - 100) <= SUM_TOLERANCE) return [];
  const rounded = Number(sum.toFixed(10));
  return [{ code: 'variants-sum', severity: 'error', at: VARIANTS, args: { sum: rounded } }];
}

function checkKeys({ variants }: FiltersView, sound: Soundness): FlagFinding[] {
  const seen = new Set<string>();
  const findings: FlagFinding[] = [];
  for (const { part, at } of variants.filter((variant) => sound.at(`${variant.at}/key`))) {
    if (seen.has(part.key)) {
      findings.push({ code: 'variant-duplicate', severity: 'error', at: `${at}/key`, args: { variant: part.key } });
    }
    seen.add(part.key);
    if (!VARIANT_KEY.test(part.key)) {
      const args = { found: part.key, pattern: VARIANT_KEY.source };
      findings.push({ code: 'value-pattern', severity: 'warning', at: `${at}/key`, args });
    }
  }
  return findings;
}

function checkForcedVariants(view: FiltersView, sound: Soundness, suggest: Suggest): FlagFinding[] {
  const keys = variantKeysOf(view, sound);
  if (keys === undefined) return [];
  const known = new Set(keys);
  return view.conditions.flatMap(({ part, at }) => {
    const { variant } = part;
    if (typeof variant !== 'string' || known.has(variant)) return [];
    return [
      { code: 'variant-unknown', severity: 'error', at: `${at}/variant`, args: unknownVariant(variant, keys, suggest) },
    ];
  });
}

/** The arguments of `variant-unknown`: the name as written, and a suggestion if one is similar. */
export function unknownVariant(
  variant: string,
  keys: Iterable<string>,
  suggest: Suggest,
): { variant: string; suggestion?: string } {
  const suggestion = suggest(variant, keys);
  return { variant, ...defined({ suggestion }) };
}

/** The keys of all variants; `undefined` if a mistake makes them uncertain. */
export function variantKeysOf({ filters, variants }: FiltersView, sound: Soundness): string[] | undefined {
  const written = isJsonObject(filters.multivariate) ? filters.multivariate['variants'] : undefined;
  const all = isJsonArray(written) ? written.length : 0;
  const known = sound.at(VARIANTS) && variants.length === all && variants.every(({ at }) => sound.at(`${at}/key`));
  return known ? variants.flatMap(({ part: { key } }) => (typeof key === 'string' ? [key] : [])) : undefined;
}
