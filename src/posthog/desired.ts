/** Desired state: what all manifests together say about one project, with the place each value came from. */

import type { JsonObject } from '../base/json.ts';
import type { Place, PlaceTree } from '../base/place.ts';

export interface DesiredState {
  /** Sorted by key; keys are unique. */
  readonly flags: readonly DesiredFlag[];
  /**
   * Keys and previous keys that manifests name for other projects only, sorted; absent for none. A live flag with such a
   * key is nobody's leftover, so it is neither unmanaged nor pruned.
   */
  readonly namedElsewhere?: readonly string[];
}

export type DesiredFlag = DeclaredFlag | RetiredFlag;

/** A flag that shall exist. What is absent here is not managed. */
export interface DeclaredFlag {
  readonly kind: 'declared';
  readonly key: string;
  /** Keys that the flag had before; a live flag under one of them is renamed. */
  readonly previousKeys: readonly string[];
  /**
   * The managed fields by their API name (`name`, `active`, `filters`, …), cohort aliases already replaced by ids.
   * A dependency on another flag holds that flag's key; a number instead of text is an id as the service knows it.
   */
  readonly fields: JsonObject;
  /** The roles that shall have access, sorted by id; absent when role access is not managed, empty for none. */
  readonly roleAccess?: readonly DesiredRole[];
  /** Places by API field name: `/name`, `/filters/groups/0/rollout_percentage`. The root is the flag's key. */
  readonly places: PlaceTree;
}

/** A flag that shall not exist (`deleted: true`); whatever else its manifest says of it is ignored. */
export interface RetiredFlag {
  readonly kind: 'retired';
  readonly key: string;
  readonly places: PlaceTree;
}

export interface DesiredRole {
  readonly id: string;
  /** The name from the configuration; absent where the manifest gives the id itself. */
  readonly name?: string;
  readonly place: Place;
}
