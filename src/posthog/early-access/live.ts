/** A live early access feature as plans see it: under the id of its flag, which tells it from every other one. */

import type { JsonObject, JsonValue } from '../../base/json.ts';
import type { LiveResource, ResourceId } from '../../engine/snapshot.ts';
import type { LiveState } from '../live.ts';
import type { EarlyAccessFeature } from './feature.ts';

export interface LiveFeature extends JsonObject {
  /** The id of the flag. */
  readonly id: number;
  /** The UUID. */
  readonly feature_id: string;
  readonly name: string;
  readonly stage: string;
}

/** A live feature under the alias of the declaration that it is matched with. */
export interface MatchedFeature extends LiveResource {
  readonly feature: LiveFeature;
}

/** People who enrolled get the flag in these stages only (docs/service.md, "Early access features"). */
const ENROLLING: readonly JsonValue[] = ['alpha', 'beta', 'general-availability'];

export const ARCHIVED = 'archived';

export function isEnrolling(stage: JsonValue | undefined): boolean {
  return stage !== undefined && ENROLLING.includes(stage);
}

/** `undefined` for a feature whose flag was removed: nothing can be offered any more. */
export function toLive({ feature_flag: flag, id, ...feature }: EarlyAccessFeature): LiveFeature | undefined {
  const flagId = flag?.['id'];
  if (typeof flagId !== 'number') return undefined;
  const { name, stage, description = '', documentation_url = '' } = feature;
  return { id: flagId, feature_id: id, name, stage, description, documentation_url };
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
  /** By the id of the flag. */
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
