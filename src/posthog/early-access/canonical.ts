/** The canonical form of a feature's fields, in which they are compared. */

import { memberOf, objectFrom, type JsonObject, type JsonValue } from '../../base/json.ts';
import { diff, type Difference } from '../../engine/diff.ts';
import type { FeatureBase } from './change.ts';
import type { LiveFeature } from './live.ts';

/** The fields that a plan may write. */
export const FIELDS = ['name', 'description', 'stage', 'documentation_url'] as const;

/** Some or all fields, by API name. The service trims strings, and an empty one is as good as none. Idempotent. */
export function canonicalFeature(fields: JsonObject): JsonObject {
  return objectFrom(
    FIELDS.flatMap((name): [string, JsonValue][] => {
      const value = memberOf(fields, name);
      if (value === undefined) return [];
      return [[name, typeof value === 'string' ? value.trim() : (value ?? '')]];
    }),
  );
}

/** Where a live feature differs from the fields that are wanted of it; no other field is compared. */
export function compareFeature(wanted: JsonObject, feature: LiveFeature): Difference[] {
  const [after, before] = [canonicalFeature(wanted), canonicalFeature(feature)];
  return Object.keys(after).flatMap((field) => diff(memberOf(before, field), memberOf(after, field), [field]));
}

/** What a plan sees of a feature that it writes. */
export function featureBase(feature: LiveFeature, written: readonly string[]): FeatureBase {
  const seen = canonicalFeature(feature);
  return {
    feature: seen,
    former: objectFrom(Object.entries(seen).filter(([name]) => written.includes(name)) as [string, JsonValue][]),
  };
}
