/** A change request of the service: a change that waits until people approve it. */

import type { JsonObject } from '../../base/json.ts';

/** A change request as the answer to a refused write describes it; details that it omits are absent. */
export interface ChangeRequest {
  readonly id: string;
  /** The service's name for what needs approval, `feature_flag.enable`. */
  readonly action?: string;
  /** The key of the resource. */
  readonly key?: string;
  /** The version of the resource when the change was requested. */
  readonly version?: number;
  /** The requested fields. A function, since they may hold a secret and errors are printed with their members. */
  readonly asked?: () => JsonObject;
}

/**
 * How an open request relates to a change of ours: the same; other values for the same resource; a change of another resource, for which
 * the service refuses ours too; or a change of a version that is no longer live, which the service does not make once it is approved.
 */
export type RequestMatch = 'this_change' | 'other_values' | 'other_resource' | 'outdated_version';

/** A change request as the list of the service has it. */
export interface ListedRequest extends ChangeRequest {
  /** The id of the resource; absent for a creation. */
  readonly resourceId?: number;
  /** `pending`, `approved`, `rejected`, `failed`, `expired`, or a state of a later service. */
  readonly state: string;
  /** E-mail address or name; absent if the service names nobody. */
  readonly openedBy?: string;
  readonly rejection?: Rejection;
  /** Why the service could not make the approved change. */
  readonly failure?: string;
}

interface Rejection {
  readonly by?: string;
  readonly reason?: string;
}

/** What a listed change request tells about a change of a plan. Its strings come from the service and are untrusted. */
export interface KnownRequest {
  /** The ref of the change. */
  readonly ref: string;
  /** The key of the resource of the change. */
  readonly key: string;
  readonly id: string;
  /** Absent if the service has no web interface. */
  readonly url?: string;
  /** `feature_flag.enable`. */
  readonly action?: string;
  readonly standing: RequestStanding;
}

/**
 * `open`: people have not decided yet. The others asked for this change too, and an apply asks again: `withdrawn` is one that
 * its requester rejected.
 */
export type RequestStanding =
  | {
      readonly kind: 'open';
      readonly asks?: RequestMatch | 'part_of_this_change';
      readonly by?: string;
      readonly for?: string;
    }
  | ({ readonly kind: 'rejected' } & Rejection)
  | ({ readonly kind: 'withdrawn' } & Rejection)
  | { readonly kind: 'failed'; readonly why?: string }
  | { readonly kind: 'expired' };
