/** The conditions, properties and variants of a flag's filters, each with its pointer. */

import { isJsonArray, isJsonObject } from '../../../base/json.ts';
import type { Condition, Filters, Property, Variant } from '../flag.ts';
import type { Soundness } from '../../../manifest/soundness.ts';

export interface Located<Part> {
  readonly part: Part;
  readonly at: string;
}

export function conditionsOf(filters: Filters): Located<Condition>[] {
  return partsOf(filters.groups, '/filters/groups');
}

export function propertiesOf({ part, at }: Located<Condition>): Located<Property>[] {
  return partsOf(part.properties, `${at}/properties`);
}

export function variantsOf({ multivariate }: Filters): Located<Variant>[] {
  return isJsonObject(multivariate) ? partsOf(multivariate['variants'], VARIANTS) : [];
}

/** The keys of all variants; `undefined` if a mistake makes them uncertain. */
export function variantKeysOf(filters: Filters, sound: Soundness): string[] | undefined {
  const variants = variantsOf(filters);
  const written = isJsonObject(filters.multivariate) ? filters.multivariate['variants'] : undefined;
  const all = isJsonArray(written) ? written.length : 0;
  const known = sound.at(VARIANTS) && variants.length === all && variants.every(({ at }) => sound.at(`${at}/key`));
  return known ? variants.flatMap(({ part: { key } }) => (typeof key === 'string' ? [key] : [])) : undefined;
}

export const VARIANTS = '/filters/multivariate/variants';

// Elements that are not mappings were reported. The index is the one in the list as written.
function partsOf<Part>(list: unknown, at: string): Located<Part>[] {
  if (!Array.isArray(list)) return [];
  const parts: Located<Part>[] = [];
  for (const [index, part] of list.entries()) {
    if (isJsonObject(part)) parts.push({ part: part as Part, at: `${at}/${index}` });
  }
  return parts;
}
