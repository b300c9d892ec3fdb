/** What the rules for `filters` are given and give. */

import type { JsonObject } from '../../base/json.ts';

export interface FilterContext {
  readonly isRemoteConfiguration: boolean;
  readonly hasEncryptedPayloads: boolean;
  readonly cohortExists: (id: number) => boolean;
}

/** Each gives the filters to store, or throws a 400. `sent` is `undefined` where a request carries none. */
export interface FilterRules {
  create(sent: JsonObject | undefined, context: FilterContext): JsonObject;
  update(sent: JsonObject | undefined, stored: JsonObject, context: FilterContext): JsonObject;
}
