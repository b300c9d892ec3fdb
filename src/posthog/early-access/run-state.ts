/** A run's knowledge of the early access features that it writes: as they were read, and what its own writes changed. */

import type { ResourceId } from '../../engine/snapshot.ts';
import type { FlagRun } from '../flag/run-state.ts';
import type { FeatureChange } from './change.ts';
import type { LiveFeature } from './feature.ts';

export interface FeatureRun {
  /** The id of the flag of a feature that the plan names by alias, once the feature exists. */
  readonly idOf: (alias: string) => number | undefined;
  /** The feature as it was read, or as the service answered to a write of this run; by the id of its flag. */
  readonly find: (flagId: ResourceId) => LiveFeature | undefined;
  readonly see: (flagId: number, feature: LiveFeature | undefined) => void;
  readonly keep: (alias: string, feature: LiveFeature) => void;
  /** The id of a flag that the plan names by key, once it exists. */
  readonly flagIdOf: (key: string) => number | undefined;
}

/** A feature that the plan creates exists already where its flag has one: an earlier run, or another user, made it. */
export function openFeatures(
  live: readonly LiveFeature[],
  changes: readonly FeatureChange[],
  flags: Pick<FlagRun, 'idOf'> | undefined,
): FeatureRun {
  const seen = new Map<ResourceId, LiveFeature | undefined>(live.map((feature) => [feature.id, feature]));
  const flagByAlias = new Map(changes.map(({ key, flag }) => [key, flag]));
  const flagIdOf = (key: string): number | undefined => flags?.idOf(key);
  return {
    idOf: (alias) => {
      const id = flagIdOf(flagByAlias.get(alias) ?? '');
      return id === undefined || seen.get(id) === undefined ? undefined : id;
    },
    find: (id) => seen.get(id),
    see: (id, feature) => void seen.set(id, feature),
    keep: (_alias, feature) => void seen.set(feature.id, feature),
    flagIdOf,
  };
}
