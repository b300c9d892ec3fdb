/** Previous keys: no flag is renamed from a key that another one has, or that another one was renamed from too. */

import { placeAt, type Place } from '../base/place.ts';
import type { ManifestFlag } from './manifest.ts';
import { placedTexts, textsOf } from './texts.ts';
import type { Finding } from './finding.ts';

export function previousKeysOf({ value }: ManifestFlag): string[] {
  return textsOf(value['previous_keys']);
}

/**
 * Findings by key of the flag. `flags` are all of the project, `declared` those that shall exist, in order of their keys:
 * a flag with `deleted: true` keeps its key to itself, and its previous keys are ignored. Pointers are in the manifest's names.
 */
export function checkPreviousKeys(
  flags: readonly ManifestFlag[],
  declared: readonly ManifestFlag[],
): Map<string, Finding[]> {
  const taken = new Map<string, Place>(flags.map(({ key, places }) => [key, places.place]));
  const findings = new Map<string, Finding[]>();
  for (const flag of declared) {
    const own: Finding[] = [];
    for (const { text: key, index } of placedTexts(flag.value['previous_keys'])) {
      const at = `/previous_keys/${index}`;
      const other = taken.get(key);
      if (other !== undefined) own.push({ code: 'previous-key-taken', severity: 'error', at, args: { key, other } });
      else taken.set(key, placeAt(flag.places, at));
    }
    if (own.length > 0) findings.set(flag.key, own);
  }
  return findings;
}
