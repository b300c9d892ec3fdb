/** Checks variants (they add up to 100, their keys are unique, conditions force only existing ones) and their payloads. */

import { toPointer } from '../../../base/json-pointer.ts';
import { isJsonArray, isJsonObject, type JsonValue, objectOrEmpty } from '../../../base/json.ts';
import { defined } from '../../../base/optional.ts';
import { type Suggest, unstorableCharacter } from '../../../base/text.ts';
import type { Soundness } from '../../../manifest/declaration.ts';
import { type FiltersView, VARIANTS } from '../model/view.ts';
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
  const forcing = view.conditions.filter(({ part }) => typeof part.variant === 'string');
  const keys = forcing.length === 0 ? undefined : variantKeysOf(view, sound);
  if (keys === undefined) return [];
  const known = new Set(keys);
  return forcing.flatMap(({ part, at }) => {
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

/**
 * Checks payloads: each must have its variant (or `true` without variants), and a string must be JSON text.
 * The largest number of variants in one message.
 */
const MOST_SHOWN = 20;

export function checkPayloads(view: FiltersView, sound: Soundness, suggest: Suggest): FlagFinding[] {
  const payloads = Object.entries(objectOrEmpty(view.filters.payloads));
  if (payloads.length === 0) return [];
  const variants = variantKeysOf(view, sound);
  const keys = variants?.length === 0 ? ['true'] : variants;
  const fitting = new Set(keys);
  const allowed = keys?.slice(0, MOST_SHOWN);
  return payloads.flatMap(([payload, value]) => {
    const at = `/filters/payloads${toPointer([payload])}`;
    const findings: FlagFinding[] = [];
    if (keys !== undefined && allowed !== undefined && !fitting.has(payload)) {
      const suggestion = suggest(payload, keys);
      const args = { payload, allowed, ...defined({ suggestion }) };
      findings.push({ code: 'payload-key-unknown', severity: 'error', at, args });
    }
    if (typeof value === 'string') findings.push(...checkText(value, { payload, at }));
    return findings;
  });
}

function checkText(text: string, { payload, at }: { readonly payload: string; readonly at: string }): FlagFinding[] {
  const parsed = parse(text);
  if (parsed === undefined) return [{ code: 'payload-not-json', severity: 'error', at, args: { payload } }];
  const character = unstorableIn(parsed.value);
  return character === undefined ? [] : [{ code: 'character-forbidden', severity: 'error', at, args: { character } }];
}

// The character may be escaped in the text. Iterative, since the depth of the text is not limited.
function unstorableIn(value: JsonValue): string | undefined {
  const pending = [value];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (typeof next === 'string') {
      const character = unstorableCharacter(next);
      if (character !== undefined) return character;
    } else if (isJsonArray(next)) {
      for (const element of next) pending.push(element);
    } else if (isJsonObject(next)) {
      for (const [name, member] of Object.entries(next)) pending.push(name, member ?? null);
    }
  }
  return undefined;
}

function parse(text: string): { readonly value: JsonValue } | undefined {
  try {
    return { value: JSON.parse(text) as JsonValue };
  } catch {
    return undefined;
  }
}
