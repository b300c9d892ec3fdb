/** Live early access features as one value. */

import type { ResourceId } from '../../engine/snapshot.ts';
import type { LiveFeature } from './live.ts';

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
