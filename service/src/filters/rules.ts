/** The rules for `filters` of each profile: the stored form after a create and after an update. */

import type { JsonObject } from '../../../src/base/json.ts';
import type { Profile } from '../handler/profile.ts';
import { DOCUMENTED_FILTERS } from './documented.ts';
import { POSTHOG_FILTERS } from './posthog.ts';
import type { FindCohort } from './cohorts.ts';

export const FILTER_RULES: Readonly<Record<Profile, FilterRules>> = {
  documented: DOCUMENTED_FILTERS,
  posthog: POSTHOG_FILTERS,
};

/** The filters of a flag created without `filters`: nobody is targeted. */
export const NO_FILTERS: JsonObject = { groups: [] };

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
