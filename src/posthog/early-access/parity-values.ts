/** The values of each declared early access feature in one project. */

import type { JsonObject } from '../../base/json.ts';
import type { ComparableValues, ComparableFamily } from '../parity/parity-values.ts';
import { canonicalFeature } from './canonical.ts';
import { ARCHIVED, findByFlag } from './feature.ts';

export const COMPARABLE_FEATURES: ComparableFamily<'early_access'> = {
  declared: (feature) => (feature.kind === 'retired' ? undefined : featureValues(feature.fields, true)),
  elsewhere: ({ key }) => [key],
  live: (live, _project, declared) => {
    const flags = new Map(declared.flatMap((features) => features.map(({ key, flag }) => [key, flag] as const)));
    const [own = []] = declared;
    return [...flags].flatMap(([alias, flag]): [string, ComparableValues][] => {
      const feature = findByFlag(flag, live);
      const isGone = feature?.stage === ARCHIVED && !own.some(({ key, kind }) => key === alias && kind === 'declared');
      return feature === undefined || isGone ? [] : [[alias, featureValues(feature, false)]];
    });
  },
};

/** A field without a value is an empty string. */
export function featureValues(fields: JsonObject, isPartial: boolean): ComparableValues {
  return { fields: canonicalFeature(fields), isPartial };
}
