/**
 * An early access feature: in the shape of the service's interface (docs/service.md, "Early access features"), as manifests declare it for
 * one project, and as plans see it, under the id of its flag, which identifies it.
 */

import { arrayOrEmpty, isJsonObject, objectOrEmpty, type JsonObject, type JsonValue } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import type { PlaceTree } from '../../base/place.ts';
import type { LiveResource, ResourceId } from '../../engine/snapshot.ts';
import type { LiveState } from '../live.ts';

/** A feature that people can enrol in before everybody gets it. Fields that are not named here are kept as they came. */
export interface EarlyAccessFeature extends JsonObject {
  /** A UUID. */
  readonly id: string;
  /** Need not be unique. */
  readonly name: string;
  readonly description?: string | null;
  readonly stage: string;
  readonly documentation_url?: string | null;
  readonly payload?: JsonValue;
  /** The flag that it offers, in a short form; null once the flag was removed. */
  readonly feature_flag?: JsonObject | null;
}

/** The stages of early access features, in the order of a release. */

export const STAGES = ['draft', 'concept', 'alpha', 'beta', 'general-availability', 'archived'] as const;

export type DesiredFeature = DeclaredFeature | RetiredFeature;

/** A feature that must exist. Absent fields are not managed. */
export interface DeclaredFeature extends FeatureIdentity {
  readonly kind: 'declared';
  readonly previousKeys: readonly string[];
  /** The managed fields by their API name: `name`, `description`, `stage`, `documentation_url`, `payload`. */
  readonly fields: JsonObject;
}

/** A feature that must be archived (`deleted: true`). */
export interface RetiredFeature extends FeatureIdentity {
  readonly kind: 'retired';
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
  /** Whether the flag enrols people; only where the stage says otherwise. */
  readonly enrolment?: boolean;
}

/** A live feature under the alias of the declaration that it is matched with. */
export interface MatchedFeature extends LiveResource {
  readonly feature: LiveFeature;
}

/** People who enrolled get the flag in these stages only (docs/service.md, "Early access features"). */
const ENROLLING: readonly JsonValue[] = ['alpha', 'beta', 'general-availability'];

export const ARCHIVED = 'archived';

/** The parts of a flag's filters that a stage writes. */
export const ENROLMENT_PARTS = ['feature_enrollment', 'super_groups'] as const;

export function isEnrolling(stage: JsonValue | undefined): boolean {
  return stage !== undefined && ENROLLING.includes(stage);
}

/** `undefined` for a feature whose flag was removed: it can no longer be offered. */
export function toLive({ feature_flag: flag, id, ...feature }: EarlyAccessFeature): LiveFeature | undefined {
  const flagId = flag?.['id'];
  if (typeof flagId !== 'number') return undefined;
  const { name, stage, description = '', documentation_url = '', payload = {} } = feature;
  const enrolment = enrolmentAgainst(stage, flag ?? {});
  const fields = { name, stage, description, documentation_url, payload };
  return { id: flagId, feature_id: id, ...fields, ...defined({ enrolment }) };
}

/** Whether the flag enrols people, where its filters are known and no stage of this kind writes them so (docs/service.md). */
function enrolmentAgainst(stage: string, { filters, deleted }: JsonObject): boolean | undefined {
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
