/** The base as a comparison needs it: under the keys that flags have now. */

import { isJsonObject } from '../base/json.ts';
import type { BaseFacts } from '../engine/base.ts';
import type { Match } from '../engine/matched.ts';
import type { DesiredFlag, DesiredState } from './desired.ts';
import type { Flag } from './flag/flag.ts';
import { mapReferences } from './flag/references.ts';

/** The desired state of an earlier commit, and what is known of that commit. */
export interface Base {
  readonly facts: BaseFacts;
  /** Absent where there is no base. */
  readonly desired?: DesiredState;
}

type FlagMatch = Match<DesiredFlag, Flag>;

/** The same pairs: where the manifests gave a flag another key, the base's conditions on it name the new one. */
export function renameInBase(pairs: readonly FlagMatch[]): readonly FlagMatch[] {
  const newKeys = new Map(
    pairs.flatMap(({ desired, base }): [string, string][] =>
      base === undefined || base === null || base.key === desired.key ? [] : [[base.key, desired.key]],
    ),
  );
  if (newKeys.size === 0) return pairs;
  const newKey = (reference: string | number): string | number =>
    typeof reference === 'string' ? (newKeys.get(reference) ?? reference) : reference;
  return pairs.map((pair) => {
    const { base } = pair;
    if (base?.kind !== 'declared' || !isJsonObject(base.fields['filters'])) return pair;
    const filters = mapReferences(base.fields['filters'], { flag: newKey });
    return filters === base.fields['filters']
      ? pair
      : { ...pair, base: { ...base, fields: { ...base.fields, filters } } };
  });
}
