/** The input and output of the rules for `filters`. */

import type { JsonObject } from '../../base/json.ts';

export interface FilterContext {
  readonly isRemoteConfiguration: boolean;
  /** Whether the payloads are encrypted after the change. */
  readonly isEncrypted: boolean;
  readonly wasEncrypted: boolean;
  readonly cohortExists: (id: number) => boolean;
  /** Whether the cohort, or one that it names, depends on what persons did. */
  readonly isBehavioral: (id: number) => boolean;
}

/** Return the filters to store, or throw a 400. `sent` is `undefined` where the request has no filters. */
export interface FilterRules {
  create(sent: JsonObject | undefined, context: FilterContext): JsonObject;
  update(sent: JsonObject | undefined, stored: JsonObject, context: FilterContext): JsonObject;
}
