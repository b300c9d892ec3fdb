/** The canonical form of a feature's fields, in which they are compared. */

import { memberOf, objectFrom, type JsonObject, type JsonValue } from '../../base/json.ts';
import type { Difference } from '../../engine/diff.ts';
import { compareFields, pickFields, type FieldKind } from '../../engine/field-kind.ts';
import type { FeatureBase } from './change.ts';
import { ARCHIVED, type LiveFeature } from './feature.ts';

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

export const FEATURE_FIELDS: FieldKind<LiveFeature> = {
  canonical: canonicalFeature,
  comparable: canonicalFeature,
  implied: {},
  retired: { stage: ARCHIVED },
  // Every field is one value.
  units: new Set(),
};

/** Compares a live feature with its wanted fields; ignores other fields. */
export function compareFeature(wanted: JsonObject, feature: LiveFeature): Difference[] {
  return compareFields(canonicalFeature(wanted), feature, FEATURE_FIELDS);
}

/** The plan's view of a feature that it writes. */
export function featureBase(feature: LiveFeature, written: readonly string[]): FeatureBase {
  const seen = canonicalFeature(feature);
  return { feature: seen, former: pickFields(seen, written) };
}
