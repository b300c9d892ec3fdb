/** The result of matching: a desired resource, its live counterpart, its base, and the differences to leave. */

import type { Change, FieldChange } from './change.ts';
import type { DesiredResource } from './desired.ts';
import type { LiveResource, ResourceId } from './snapshot.ts';

export interface Match<Desired extends DesiredResource, Live extends LiveResource> {
  readonly desired: Desired;
  /** Absent when no live resource has the key, or had it before. */
  readonly live?: Live;
  /** Null where the base did not name the resource; absent without a base. */
  readonly base?: Desired | null;
  /**
   * The base declared another live resource, which still exists, or declared this one as another resource: the name that the manifests give
   * it now is not from the base.
   */
  readonly isOther?: true;
  /** No plan can write it: it needs a resource that cannot be identified. */
  readonly isUnwritable?: true;
}

/** A desired resource that only a name identifies which several live ones have. */
export interface Ambiguous<Desired extends DesiredResource> {
  readonly desired: Desired;
  readonly name: string;
  /** Ascending. */
  readonly ids: readonly ResourceId[];
}

/** Differences of a resource that a run could write and leaves as they are live, for `--only-pending` and ignored drift. */
export interface LeftChange {
  readonly ref: string;
  readonly resource: string;
  readonly key: string;
  /** The resource's id in the service; absent if it does not exist. */
  readonly id?: ResourceId;
  /** The action of the whole change. */
  readonly action: string;
  readonly fields: readonly FieldChange[];
}

/** The differences that a run leaves. A run may have several: each makes it smaller, and none makes it larger. */
export interface LeaveRule {
  /** `unit`: a value is left together with those that mean something only with it. `difference`: it alone. */
  readonly by: 'unit' | 'difference';
  readonly isLeft: (part: FieldChange, context: LeaveContext) => boolean;
}

export interface LeaveContext {
  /** The name in options (`nameOf`). */
  readonly name: string;
  readonly change: Change;
  readonly match: Match<DesiredResource, LiveResource>;
}
