/** Which rules for `filters` a profile has: what is stored when a flag is created and when it is updated. */

import type { JsonObject } from '../../base/json.ts';
import type { Profile } from '../handler/profile.ts';
import { DOCUMENTED_FILTERS } from './documented.ts';
import { POSTHOG_FILTERS } from './posthog.ts';
import type { FilterRules } from './types.ts';

export const FILTER_RULES: Readonly<Record<Profile, FilterRules>> = {
  documented: DOCUMENTED_FILTERS,
  posthog: POSTHOG_FILTERS,
};

/** What a flag without `filters` stores: nobody is targeted. */
export const NO_FILTERS: JsonObject = { groups: [] };
