/** How the resources of each further family are exported with the flags: a new family is a row. */

import { EXPORTED_COHORTS } from '../posthog/cohort/export.ts';
import { EXPORTED_FEATURES } from '../posthog/early-access/family.ts';
import type { ExportedFamily } from '../posthog/exported.ts';
import type { FurtherFamily } from '../posthog/kind-types.ts';

export const EXPORTED: { readonly [Name in FurtherFamily]: ExportedFamily<Name> } = {
  cohorts: EXPORTED_COHORTS,
  early_access: EXPORTED_FEATURES,
};
