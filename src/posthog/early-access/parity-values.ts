/** The values of each declared early access feature in one project. */

import type { JsonObject } from '../../base/json.ts';
import type { ComparableValues, ComparableFamily } from '../parity/parity-values.ts';
import { canonicalFeature } from './canonical.ts';
import { ARCHIVED, findByFlag } from './feature.ts';

export const COMPARABLE_FEATURES: ComparableFamily<'early_access'> = {
  declared: (feature) => (feature.kind === 'retired' ? undefined : declaredFeatureValues(feature.fields)),
  elsewhere: ({ key }) => [key],
  live: (live, _project, declared) => {
    const flags = new Map(declared.flatMap((features) => features.map(({ key, flag }) => [key, flag] as const)));
    const [own = []] = declared;
    return [...flags].flatMap(([alias, flag]): [string, ComparableValues][] => {
      const feature = findByFlag(flag, live);
      const isGone = feature?.stage === ARCHIVED && !own.some(({ key, kind }) => key === alias && kind === 'declared');
      if (feature === undefined || isGone) return [];
      return [[alias, { fields: canonicalFeature(feature), isPartial: false }]];
    });
  },
};

/** The values of declared fields; a field without a value is an empty string. */
export function declaredFeatureValues(fields: JsonObject): ComparableValues {
  return { fields: canonicalFeature(fields), isPartial: true };
}
