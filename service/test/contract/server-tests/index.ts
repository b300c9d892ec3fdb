/** All behaviours that PostHog's own tests demand, by their subject. */

import { ACTIVITY } from './activity.ts';
import { BLAST_RADIUS } from './blast-radius.ts';
import type { ServerTest } from './case.ts';
import { COHORTS_OF_TESTS } from './cohorts.ts';
import { COPY } from './copy.ts';
import { EARLY_ACCESS_OF_TESTS } from './early-access.ts';
import { FLAG_FIELDS } from './flag-fields.ts';
import { FLAGS_OF_TESTS } from './flags.ts';
import { FORMS } from './forms.ts';
import { LIST } from './list.ts';

export const SERVER_TESTS: Readonly<Record<string, readonly ServerTest[]>> = {
  flags: FLAGS_OF_TESTS,
  'the list': LIST,
  'fields of a flag': FLAG_FIELDS,
  cohorts: COHORTS_OF_TESTS,
  'early access features': EARLY_ACCESS_OF_TESTS,
  'copies of flags': COPY,
  'the activity': ACTIVITY,
  'the blast radius': BLAST_RADIUS,
  'forms, and persons': FORMS,
};
