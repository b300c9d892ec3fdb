/** How the conditions of a flag depend on each other: what one does may depend on who reaches it. */

import { arrayOrEmpty, canonicalText, isJsonObject, objectOrEmpty, type JsonObject } from '../base/json.ts';
import { aggregationIn, numberConditions } from './conditions.ts';

export interface Couplings {
  /** A condition whose people are not rolled out ends the search. */
  readonly exitsEarly: boolean;
  /** Conditions choose the variant in different ways, so that it matters which one matches first. */
  readonly choosesVariant: boolean;
}

/** `filters` before and after, in canonical form. */
export function couplingsOf(before: JsonObject, after: JsonObject): Couplings {
  const sides = [before, after];
  return {
    exitsEarly: sides.some((filters) => filters['early_exit'] === true),
    choosesVariant: new Set(sides.flatMap(choicesOf)).size > 1,
  };
}

/** Of each condition: it forces a variant, or hashes the person or a group. None without variants to choose from. */
function choicesOf(filters: JsonObject): string[] {
  const variants = arrayOrEmpty(objectOrEmpty(filters['multivariate'])['variants']);
  const keys = new Set(variants.map((variant) => (isJsonObject(variant) ? variant['key'] : undefined)));
  if (keys.size === 0) return [];
  return numberConditions(filters).map(({ condition }) => {
    const forced = condition['variant'] ?? null;
    return canonicalText(keys.has(forced) ? ['forces', forced] : ['hashes', aggregationIn(filters, condition)]);
  });
}
