/** A change request of the service: a change that waits until people approve it. */

import type { JsonObject } from '../base/json.ts';

/** As the answer to a refused write describes it; what it does not say is absent. */
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
 * What an open request asks for, compared with a change of ours: the same; other values for the same resource; a change of
 * another resource, for which the service refuses ours too; or a change of a version that is no longer live, which the service
 * does not make once it is approved.
 */
export type Asking = 'this_change' | 'other_values' | 'other_resource' | 'outdated_version';
