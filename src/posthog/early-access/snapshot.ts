/** Live early access features as one value. */

import type { LiveFeature } from './live.ts';

export interface FeatureSnapshot {
  readonly all: readonly LiveFeature[];
  /** By the id of the flag. */
  readonly byId: (flagId: number) => LiveFeature | undefined;
  /** Whether manifests declare the feature of a flag. */
  readonly isDeclared: (flagId: number) => boolean;
}

export function snapshotFeatures(
  all: readonly LiveFeature[],
  declared: ReadonlySet<number> = new Set(),
): FeatureSnapshot {
  const byId = new Map(all.map((feature) => [feature.id, feature]));
  return { all, byId: (id) => byId.get(id), isDeclared: (id) => declared.has(id) };
}
