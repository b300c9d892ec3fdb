/** The fields that a request may write of a cohort, per profile. Others are ignored. */

import { anything, boolean, list, text } from '../flags/field-types.ts';
import type { BodyField } from '../flags/read-fields.ts';
import type { Profile } from '../handler/profile.ts';

const COMMON: readonly BodyField[] = [
  { name: 'name', type: text({ maxLength: 400, blank: true }), null: 'store' },
  { name: 'description', type: text({ maxLength: 1000, blank: true }) },
  { name: 'groups', type: list(anything) },
  { name: 'deleted', type: boolean },
  { name: 'filters', type: anything, null: 'store' },
  { name: 'is_static', type: boolean },
];

export const COHORT_FIELDS: Readonly<Record<Profile, readonly BodyField[]>> = {
  documented: COMMON,
  posthog: [...COMMON, { name: 'query', type: anything, null: 'store' }],
};
