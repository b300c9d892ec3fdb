/** The input and output of the rules for `filters`. */

import type { JsonObject } from '../../../src/base/json.ts';
import type { FindCohort } from './cohorts.ts';

export interface FilterSettings {
  readonly isRemoteConfiguration: boolean;
  /** Whether the payloads are encrypted after the change. */
  readonly isEncrypted: boolean;
  readonly wasEncrypted: boolean;
  readonly findCohort: FindCohort;
  /** Throws a 400 where a condition depends on a flag that it cannot depend on. */
  readonly checkDependencies: (filters: JsonObject) => void;
}

/** Return the filters to store, or throw a 400. `sent` is `undefined` if the request has no filters. */
export interface FilterRules {
  create(sent: JsonObject | undefined, context: FilterSettings): JsonObject;
  update(sent: JsonObject | undefined, stored: JsonObject, context: FilterSettings): JsonObject;
}
