/** A declared resource as the engine sees it, with the names and ids that identify its live counterpart. */

import type { PlaceTree } from '../../base/place.ts';
import type { LiveResource, ResourceId, Snapshot } from './snapshot.ts';

export type DesiredResource = DeclaredResource | Retired;

/** A resource that must exist. */
interface DeclaredResource {
  readonly kind: 'declared';
  readonly key: string;
  /** Keys that the resource had before; a live one under any of them is renamed. */
  readonly previousKeys: readonly string[];
  /** The id of the live resource that a declaration of the base was applied to; absent if none was recorded. */
  readonly recordedId?: ResourceId;
  readonly places?: PlaceTree;
}

/** A resource that must not exist. */
interface Retired {
  readonly kind: 'retired';
  readonly key: string;
  readonly places?: PlaceTree;
}

/** The keys under which a live resource is this one. */
export function namedKeys(resource: DesiredResource): readonly string[] {
  return resource.kind === 'retired' ? [resource.key] : [resource.key, ...resource.previousKeys];
}

/** How a family identifies its resources. The `key` of a live resource is its name in the service. */
export interface Identity<Desired extends DesiredResource> {
  /** The names under which a live resource is this one, the current one first; none if its id is configured. */
  readonly namesOf: (desired: Desired) => readonly string[];
  /** The configured id. */
  readonly idOf: (desired: Desired) => ResourceId | undefined;
  /** The keys of its traces. */
  readonly tracedAs: (desired: Desired) => readonly string[];
  /** Whether a create destroys the deleted resource that had the name; otherwise, a deleted one gave its name away. */
  readonly deletedKeepName: boolean;
  /** Whether several resources in use may have one name, so that it does not identify one. */
  readonly mayShareNames: boolean;
}

/** A key is unique in the service, and a create under the key of a deleted resource destroys that one. */
export const BY_KEY: Identity<DesiredResource> = {
  namesOf: namedKeys,
  idOf: () => undefined,
  tracedAs: namedKeys,
  deletedKeepName: true,
  mayShareNames: false,
};

/** Finds the live resource with the configured id; without one, the first in use under one of the names, or else a deleted one. */
export function findHolder<Desired extends DesiredResource, Live extends LiveResource>(
  desired: Desired,
  { byId, byKey }: Pick<Snapshot<Live>, 'byId' | 'byKey'>,
  { idOf, namesOf, deletedKeepName }: Identity<Desired>,
): Live | undefined {
  const id = idOf(desired);
  if (id !== undefined) return byId(id);
  const found = namesOf(desired).map((name) => byKey(name));
  const held = found.find((one) => one !== undefined && one.deleted !== true);
  return held ?? (deletedKeepName ? found[0] : undefined);
}
