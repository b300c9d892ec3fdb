/** A desired resource with the live one that it is compared with, and its declaration in the base. */

import type { DesiredResource } from './desired.ts';
import type { LiveResource, ResourceId } from './snapshot.ts';

export interface Match<Desired extends DesiredResource, Live extends LiveResource> {
  readonly desired: Desired;
  /** Absent when no live resource has the key, or had it before. */
  readonly live?: Live;
  /** Null where the base did not name the resource; absent without a base. */
  readonly base?: Desired | null;
  /**
   * The base declared another live resource, which still exists, or declared this one as another resource: others gave it the name
   * that the manifests give now.
   */
  readonly isOther?: true;
  /** The plan leaves the resource alone: what it needs cannot be told apart. */
  readonly isHeld?: true;
}

/** A desired resource that only a name identifies which several live ones have. */
export interface Shared<Desired extends DesiredResource> {
  readonly desired: Desired;
  readonly name: string;
  /** Ascending. */
  readonly ids: readonly ResourceId[];
}
