/** The canonical form of a feature's fields, in which they are compared. */

import { memberOf, objectFrom, type JsonObject, type JsonValue } from '../../base/json.ts';
import type { Difference } from '../../engine/diff.ts';
import { compareFields, pickFields, type FieldKind } from '../../engine/field-kind.ts';
import type { FeatureBase, FeatureChange } from './change.ts';
import { ARCHIVED, isEnrolling, type LiveFeature } from './feature.ts';

/** The fields that a plan may write. */
export const FIELDS = ['name', 'description', 'stage', 'documentation_url'] as const;

const ENROLMENT = 'enrolment';

/** Some or all fields, by API name. The service trims strings, and an empty one is as good as none. Idempotent. */
export function canonicalFeature(fields: JsonObject): JsonObject {
  return objectFrom(
    [...FIELDS, ENROLMENT].flatMap((name): [string, JsonValue][] => {
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

/** Who is enrolled follows from the stage, and is compared only where the live flag says otherwise. */
const WITH_ENROLMENT: FieldKind<LiveFeature> = {
  ...FEATURE_FIELDS,
  canonical: withEnrolment,
  retired: { stage: ARCHIVED, [ENROLMENT]: false },
};

function withEnrolment(fields: JsonObject): JsonObject {
  const canonical = canonicalFeature(fields);
  const { stage, enrolment = stage !== undefined && isEnrolling(stage) } = canonical;
  return stage === undefined ? canonical : { ...canonical, enrolment };
}

export function fieldsOf({ enrolment }: LiveFeature): FieldKind<LiveFeature> {
  return enrolment === undefined ? FEATURE_FIELDS : WITH_ENROLMENT;
}

/** Compares a live feature with its wanted fields; ignores other fields. */
export function compareFeature(wanted: JsonObject, feature: LiveFeature): Difference[] {
  const kind = fieldsOf(feature);
  return compareFields(kind.canonical(wanted), feature, kind);
}

/** What a write sends. The stage writes who is enrolled. */
export function sentFields(wanted: JsonObject, written: readonly string[]): JsonObject {
  return pickFields(wanted, [...new Set(written.map((name) => (name === ENROLMENT ? 'stage' : name)))]);
}

/** The plan's view of a feature that it writes. */
export function featureBase(feature: LiveFeature, written: readonly string[]): FeatureBase {
  const seen = canonicalFeature(feature);
  return { feature: seen, former: pickFields(seen, written) };
}

/** Enrolment starts only on the way from a stage that does not enrol to one that does. */
export function mustLeaveStage(change: FeatureChange): boolean {
  if (change.action === 'create' || !isEnrolling(change.body['stage'])) return false;
  const { stage, enrolment } = change.base.feature;
  return isEnrolling(stage) && enrolment === false;
}
