/** Why a change that names a cohort cannot be sent. */

import type { Impossible } from '../../engine/writer.ts';

export function missingCohort(alias: string): Impossible {
  return {
    impossible: {
      code: 'cohort_missing',
      message: `The cohort ${alias}, which a condition names, does not exist.`,
      field: 'filters',
    },
  };
}
