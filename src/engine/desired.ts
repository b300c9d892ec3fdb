/** The content of manifests about one resource that the engine reads. */

import type { PlaceTree } from '../base/place.ts';

export type DesiredResource = DeclaredResource | Retired;

/** A resource that must exist. */
interface DeclaredResource {
  readonly kind: 'declared';
  readonly key: string;
  /** Keys that the resource had before; a live one under any of them is renamed. */
  readonly previousKeys: readonly string[];
  readonly places?: PlaceTree;
}

/** A resource that must not exist. */
interface Retired {
  readonly kind: 'retired';
  readonly key: string;
  readonly places?: PlaceTree;
}

/** The keys by which manifests may mean a live resource. */
export function namedKeys(resource: DesiredResource): readonly string[] {
  return resource.kind === 'retired' ? [resource.key] : [resource.key, ...resource.previousKeys];
}
