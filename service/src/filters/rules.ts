/** The rules for `filters` of each profile: the stored form after a create and after an update. */

import type { JsonObject } from '../../../src/base/json.ts';
import type { Profile } from '../handler/profile.ts';
import { DOCUMENTED_FILTERS } from './documented.ts';
import { POSTHOG_FILTERS } from './posthog.ts';
import type { FilterRules } from './types.ts';

export const FILTER_RULES: Readonly<Record<Profile, FilterRules>> = {
  documented: DOCUMENTED_FILTERS,
  posthog: POSTHOG_FILTERS,
};

/** The filters of a flag created without `filters`: nobody is targeted. */
export const NO_FILTERS: JsonObject = { groups: [] };
