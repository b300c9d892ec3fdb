/**
 * An early access feature: in the shape of the service's interface (docs/service/early-access.md), as manifests declare it for
 * one project, and as plans see it and compare it, under the id of its flag, which identifies it.
 */

import { fromPointer } from '../../base/json-pointer.ts';
import {
  arrayOrEmpty,
  isJsonNumber,
  isJsonObject,
  memberOf,
  objectFrom,
  objectOrEmpty,
  type JsonObject,
  type JsonValue,
} from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import type { PlaceTree } from '../../base/place.ts';
import { nearest } from '../../base/text.ts';
import type { Difference } from '../../core/engine/diff.ts';
import { compareFields, pickFields, type FieldKind } from '../../core/engine/field-kind.ts';
import { type FieldPath, type FieldPathProblem, splitPath } from '../../core/engine/field-path.ts';
import type { LiveResource, ResourceId } from '../../core/engine/snapshot.ts';
import type { LiveState } from '../live.ts';

/** The fields that manifests declare and plans write. Each has a row in `FEATURE_FIELDS`. */
interface DeclaredFields {
  /** Need not be unique. */
  readonly name: string;
  readonly description?: string | null;
  readonly stage: string;
  readonly documentation_url?: string | null;
  readonly payload?: JsonValue;
}

/**
 * All that the lists of a feature's fields say of each, as for cohorts. `none`: the value of a feature that has none; every feature has a name
 * and a stage.
 */
export const FEATURE_FIELDS: Readonly<Record<FeatureMember, FeatureField>> = {
  name: { form: 'text', none: '' },
  description: { form: 'text', none: '' },
  stage: { form: 'stage', none: '' },
  documentation_url: { form: 'text', none: '' },
  payload: { form: 'json', none: {} },
};

interface FeatureField {
  readonly form: 'text' | 'stage' | 'json';
  readonly none: JsonValue;
}

export type FeatureMember = keyof DeclaredFields;

export const FEATURE_MEMBERS = Object.keys(FEATURE_FIELDS) as readonly FeatureMember[];

const NO_FIELDS = objectFrom(FEATURE_MEMBERS.map((name) => [name, FEATURE_FIELDS[name].none]));

/** A feature that people can enroll in before everybody gets it. Fields that are not named here are kept as they came. */
export interface EarlyAccessFeature extends JsonObject, DeclaredFields {
  /** A UUID. */
  readonly id: string;
  /** The flag that it offers, in a short form; null once the flag was removed. */
  readonly feature_flag?: JsonObject | null;
}

/** In the order of a release. */
export const STAGES = ['draft', 'concept', 'alpha', 'beta', 'general-availability', 'archived'] as const;

/** One that must be archived (`deleted: true`) is retired. */
export type DesiredFeature = DeclaredFeature | (FeatureIdentity & { readonly kind: 'retired' });

/** A feature that must exist. Absent fields are not managed. */
export interface DeclaredFeature extends FeatureIdentity {
  readonly kind: 'declared';
  readonly previousKeys: readonly string[];
  /** The managed fields by their API name. */
  readonly fields: JsonObject;
}

interface FeatureIdentity {
  /** The alias. */
  readonly key: string;
  /** The key of the flag. It identifies the feature: the service keeps one for each flag, and a feature never changes its flag. */
  readonly flag: string;
  /** Whether manifests declare the flag for the project, too. */
  readonly managed: boolean;
  /** Places by API field name: `/name`, `/stage`. The root is the alias. */
  readonly places: PlaceTree;
}

export interface LiveFeature extends JsonObject {
  /** The id of the flag. */
  readonly id: number;
  /** The UUID. */
  readonly feature_id: string;
  readonly name: string;
  readonly stage: string;
  /** Whether the flag enrolls people; only where the stage says otherwise. */
  readonly enrollment?: boolean;
}

/** A live feature under the alias of the declaration that it is matched with. */
export interface MatchedFeature extends LiveResource {
  readonly feature: LiveFeature;
}

/** People who enrolled get the flag in these stages only (docs/service/early-access.md). */
const ENROLLING: readonly JsonValue[] = ['alpha', 'beta', 'general-availability'];

export const ARCHIVED = 'archived';

/** The parts of a flag's filters that a stage writes. */
export const ENROLLMENT_PARTS = ['feature_enrollment', 'super_groups'] as const;

export function isEnrolling(stage: JsonValue | undefined): boolean {
  return stage !== undefined && ENROLLING.includes(stage);
}

/** `undefined` for a feature whose flag was removed: it can no longer be offered. */
export function toLive({ feature_flag: flag, id, ...feature }: EarlyAccessFeature): LiveFeature | undefined {
  const flagId = flag?.['id'];
  if (typeof flagId !== 'number') return undefined;
  const { name, stage } = feature;
  const enrollment = enrollmentAgainst(stage, flag ?? {});
  const fields = { ...NO_FIELDS, ...pickFields(feature, FEATURE_MEMBERS), name, stage };
  return { id: flagId, feature_id: id, ...fields, ...defined({ enrollment }) };
}

/** Whether the flag enrolls people, where its filters are known and no stage of this kind writes them so (docs/service/early-access.md). */
function enrollmentAgainst(stage: string, { filters, deleted }: JsonObject): boolean | undefined {
  if (!isJsonObject(filters) || !Array.isArray(filters['groups']) || deleted === true) return undefined;
  const isMarked = filters['feature_enrollment'] === true;
  const enrols = isMarked || arrayOrEmpty(filters['super_groups']).length > 0;
  const isOlder = stage === 'concept' && !isMarked;
  const isReleased = stage === 'general-availability' && filters['groups'].some(isEveryone);
  return enrols === isEnrolling(stage) || isOlder || isReleased ? undefined : enrols;
}

function isEveryone(condition: JsonValue): boolean {
  const { properties, rollout_percentage: percentage = null } = objectOrEmpty(condition);
  return arrayOrEmpty(properties).length === 0 && (percentage === null || percentage === 100);
}

/** The live feature of the flag with the key. */
export function findByFlag(
  key: string,
  { flags, early_access: features = [] }: Pick<LiveState, 'flags' | 'early_access'>,
): LiveFeature | undefined {
  const flag = flags.find((one) => one.key === key && one.deleted !== true);
  return flag && features.find(({ id }) => id === flag.id);
}

export function allLive(features: readonly EarlyAccessFeature[]): readonly LiveFeature[] {
  return features.flatMap((feature) => toLive(feature) ?? []);
}

/** Live early access features as one value. */
export interface FeatureSnapshot {
  readonly all: readonly LiveFeature[];
  /** Keys are ids of flags. */
  readonly byId: (flagId: ResourceId) => LiveFeature | undefined;
  /** Whether manifests declare the feature of a flag. */
  readonly isDeclared: (flagId: ResourceId) => boolean;
}

export function snapshotFeatures(
  all: readonly LiveFeature[],
  declared: ReadonlySet<ResourceId> = new Set(),
): FeatureSnapshot {
  const byId = new Map<ResourceId, LiveFeature>(all.map((feature) => [feature.id, feature]));
  return { all, byId: (id) => byId.get(id), isDeclared: (id) => declared.has(id) };
}

/** Some or all fields, by API name. The service trims its strings, and an empty value is as good as none. Idempotent. */
export function canonicalFeature(fields: JsonObject): JsonObject {
  return objectFrom(
    [...FEATURE_MEMBERS, 'enrollment'].flatMap((name): [string, JsonValue][] => {
      const value = memberOf(fields, name);
      if (value === undefined) return [];
      if (memberOf<FeatureField>(FEATURE_FIELDS, name)?.form === 'json') return [[name, isNothing(value) ? {} : value]];
      return [[name, typeof value === 'string' ? value.trim() : (value ?? '')]];
    }),
  );
}

/** The service stores an empty payload of any type as `{}`. */
export function isNothing(value: JsonValue): boolean {
  if (value === null || value === '' || value === false) return true;
  return isJsonNumber(value) ? Number(value) === 0 : typeof value === 'object' && Object.keys(value).length === 0;
}

export const FEATURE_COMPARISON: FieldKind<JsonObject> = {
  canonical: canonicalFeature,
  comparable: canonicalFeature,
  implied: {},
  retired: { stage: ARCHIVED },
  units: new Set(['/payload']),
};

/** Who is enrolled follows from the stage, and is compared only where the live flag says otherwise. */
const WITH_ENROLLMENT: FieldKind<JsonObject> = {
  ...FEATURE_COMPARISON,
  canonical: (fields) => {
    const canonical = canonicalFeature(fields);
    const { stage, enrollment = isEnrolling(stage) } = canonical;
    return stage === undefined ? canonical : { ...canonical, enrollment };
  },
  retired: { stage: ARCHIVED, enrollment: false },
};

export function fieldsOf({ enrollment }: JsonObject): FieldKind<JsonObject> {
  return enrollment === undefined ? FEATURE_COMPARISON : WITH_ENROLLMENT;
}

/** Compares a live feature with its wanted fields; ignores other fields. */
export function compareFeature(wanted: JsonObject, feature: JsonObject): Difference[] {
  const kind = fieldsOf(feature);
  return compareFields(kind.canonical(wanted), feature, kind);
}

/** The field that a path of an option or of `intended` names. */
export function parseFeaturePath(text: string): FieldPath | { readonly problem: FieldPathProblem } {
  const parts = text.startsWith('/') ? fromPointer(text) : splitPath(text);
  if ('problem' in parts) return parts;
  const [name = '', part] = parts;
  if (part !== undefined) return { problem: { kind: 'too_deep', part, outer: name } };
  if (name === '*') return { text, steps: [{ kind: 'any' }] };
  if (Object.hasOwn(FEATURE_FIELDS, name)) return { text, steps: [{ kind: 'member', name }] };
  const suggestion = nearest(name, FEATURE_MEMBERS);
  return { problem: { kind: 'unknown', part: name, outer: '', known: FEATURE_MEMBERS, ...defined({ suggestion }) } };
}
