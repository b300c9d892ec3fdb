/** The canonical form of a feature's fields, in which they are compared. */

import { fromPointer } from '../../base/json-pointer.ts';
import { isJsonNumber, memberOf, objectFrom, type JsonObject, type JsonValue } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import { nearest } from '../../base/text.ts';
import type { Difference } from '../../engine/diff.ts';
import { compareFields, pickFields, type FieldKind } from '../../engine/field-kind.ts';
import { type FieldPath, type FieldPathProblem, splitPath } from '../../engine/field-path.ts';
import type { FeatureBase, FeatureChange } from './change.ts';
import { ARCHIVED, isEnrolling, type LiveFeature } from './feature.ts';

/** The fields that a plan may write. */
export const FIELDS = ['name', 'description', 'stage', 'documentation_url', 'payload'] as const;

const ENROLMENT = 'enrolment';

/** Some or all fields, by API name. The service trims its strings, and an empty value is as good as none. Idempotent. */
export function canonicalFeature(fields: JsonObject): JsonObject {
  return objectFrom(
    [...FIELDS, ENROLMENT].flatMap((name): [string, JsonValue][] => {
      const value = memberOf(fields, name);
      if (value === undefined) return [];
      if (name === 'payload') return [[name, isNothing(value) ? {} : value]];
      return [[name, typeof value === 'string' ? value.trim() : (value ?? '')]];
    }),
  );
}

/** The service stores an empty payload of any type as `{}`. */
export function isNothing(value: JsonValue): boolean {
  if (value === null || value === '' || value === false) return true;
  return isJsonNumber(value) ? Number(value) === 0 : typeof value === 'object' && Object.keys(value).length === 0;
}

export const FEATURE_FIELDS: FieldKind<LiveFeature> = {
  canonical: canonicalFeature,
  comparable: canonicalFeature,
  implied: {},
  retired: { stage: ARCHIVED },
  units: new Set(['/payload']),
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

/** The field that a path of an option or of `intended` names. */
export function parseFeaturePath(text: string): FieldPath | { readonly problem: FieldPathProblem } {
  const parts = text.startsWith('/') ? fromPointer(text) : splitPath(text);
  if ('problem' in parts) return parts;
  const [name = '', part] = parts;
  if (part !== undefined) return { problem: { kind: 'too_deep', part, outer: name } };
  if (name === '*') return { text, steps: [{ kind: 'any' }] };
  if (FIELDS.some((field) => field === name)) return { text, steps: [{ kind: 'member', name }] };
  const suggestion = nearest(name, FIELDS);
  return { problem: { kind: 'unknown', part: name, outer: '', known: FIELDS, ...defined({ suggestion }) } };
}
