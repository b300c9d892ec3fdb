/** Checks that the conditions and variants that an overlay changes exist in the base, once each. */

import { isJsonArray, isJsonObject, type JsonArray, type JsonObject, type JsonValue } from '../../../base/json.ts';
import { toPointer, valueAt } from '../../../base/json-pointer.ts';
import { defined } from '../../../base/optional.ts';
import { nearest } from '../../../base/text.ts';
import { findConditions, findVariants } from '../manifest/find-part.ts';
import { declaredFilters, PARTS } from '../manifest/targeting.ts';
import type { FlagFinding } from './problems.ts';

/** The largest number of conditions or variants in one message. */
const MOST_SHOWN = 20;

/** `at` is the overlay's pointer. Pointers are in the manifest's names. Payloads are checked once they are merged. */
export function checkOverlayParts(base: JsonObject, overlay: JsonObject, at: string): FlagFinding[] {
  const filters = declaredFilters(base);
  if (filters === undefined) {
    return PARTS.filter((part) => isJsonObject(overlay[part])).map((part) => ({
      code: 'overlay-base-missing',
      severity: 'error',
      at: at + toPointer([part]),
      args: { member: part },
    }));
  }
  return [
    ...checkConditions(listIn(filters, '/groups'), overlay['conditions'], `${at}/conditions`),
    ...checkVariants(listIn(filters, '/multivariate/variants'), overlay['variants'], `${at}/variants`),
  ];
}

/** `undefined` for a mistake, which was reported. */
function listIn(filters: JsonObject, pointer: string): JsonArray | undefined {
  const list = valueAt(filters, pointer) ?? [];
  return isJsonArray(list) ? list : undefined;
}

function checkConditions(conditions: JsonArray | undefined, changes: JsonValue | undefined, at: string): FlagFinding[] {
  if (conditions === undefined || !isJsonObject(changes)) return [];
  const named = new Map<number, string>();
  return Object.keys(changes).flatMap((condition): FlagFinding[] => {
    const where = { severity: 'error', at: at + toPointer([condition]) } as const;
    const [index, ...others] = findConditions(conditions, condition);
    if (index === undefined) return [{ ...where, code: 'condition-unknown', args: unknown(condition, conditions) }];
    if (others.length > 0) {
      const numbers = [index, ...others].map((each) => each + 1);
      return [{ ...where, code: 'condition-ambiguous', args: { condition, numbers } }];
    }
    const first = named.get(index);
    named.set(index, first ?? condition);
    return first === undefined ? [] : [{ ...where, code: 'condition-duplicate', args: { condition, first } }];
  });
}

function unknown(
  condition: string,
  conditions: JsonArray,
): { condition: string; known: (string | null)[]; suggestion?: string } {
  const known = conditions.map((each) =>
    isJsonObject(each) && typeof each['description'] === 'string' ? each['description'] : null,
  );
  const suggestion = nearest(
    condition,
    known.filter((each) => each !== null),
  );
  return { condition, known: known.slice(0, MOST_SHOWN), ...defined({ suggestion }) };
}

function checkVariants(variants: JsonArray | undefined, changes: JsonValue | undefined, at: string): FlagFinding[] {
  if (variants === undefined || !isJsonObject(changes)) return [];
  const keys = variants.flatMap((each) => (isJsonObject(each) && typeof each['key'] === 'string' ? [each['key']] : []));
  return Object.keys(changes)
    .filter((variant) => findVariants(variants, variant).length === 0)
    .map((variant) => {
      const suggestion = nearest(variant, keys);
      const args = { variant, allowed: keys.slice(0, MOST_SHOWN), ...defined({ suggestion }) };
      return { code: 'variant-unknown', severity: 'error', at: at + toPointer([variant]), args };
    });
}
