/** The keys of the variants of a flag, as far as they are sound. */

import { isJsonArray, isJsonObject } from '../../../base/json.ts';
import type { Soundness } from '../../../manifest/soundness.ts';
import { VARIANTS, type FiltersView } from '../view.ts';

/** The keys of all variants; `undefined` if a mistake makes them uncertain. */
export function variantKeysOf({ filters, variants }: FiltersView, sound: Soundness): string[] | undefined {
  const written = isJsonObject(filters.multivariate) ? filters.multivariate['variants'] : undefined;
  const all = isJsonArray(written) ? written.length : 0;
  const known = sound.at(VARIANTS) && variants.length === all && variants.every(({ at }) => sound.at(`${at}/key`));
  return known ? variants.flatMap(({ part: { key } }) => (typeof key === 'string' ? [key] : [])) : undefined;
}
