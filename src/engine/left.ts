/** A difference from the manifests that a run leaves as it is live: for `--only-pending` and ignored drift. */

import type { Change, FieldChange } from './change.ts';
import type { DesiredResource } from './desired.ts';
import type { Match } from './matched.ts';
import type { LiveResource, ResourceId } from './snapshot.ts';

/** The part of a change that the run does not make. */
export interface Left {
  readonly ref: string;
  readonly resource: string;
  readonly key: string;
  /** The resource's id in the service; absent if it does not exist. */
  readonly id?: ResourceId;
  /** The action of the whole change. */
  readonly action: string;
  readonly fields: readonly FieldChange[];
}

export interface Leaving {
  /** `unit`: a value is left together with those that mean something only with it. `difference`: it alone. */
  readonly by: 'unit' | 'difference';
  readonly isLeft: (part: FieldChange, context: LeavingContext) => boolean;
}

export interface LeavingContext {
  /** The name in options (`nameOf`). */
  readonly name: string;
  readonly change: Change;
  readonly match: Match<DesiredResource, LiveResource>;
}
