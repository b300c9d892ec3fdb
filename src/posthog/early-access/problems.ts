/** The problems of declared early access features. */

import type { Place } from '../../base/place.ts';

export interface EarlyAccessProblems {
  'early-access-duplicate': { readonly alias: string; readonly other: Place };
  /** The service keeps one feature for each flag. */
  'early-access-flag-taken': { readonly alias: string; readonly other: string; readonly flag: string };
  /** The flag is declared with `deleted: true`. */
  'early-access-flag-deleted': { readonly alias: string; readonly flag: string };
  /** The flag declares a part of `filters` that the stage writes. `stage`: absent if none is declared. */
  'early-access-contradicted': {
    readonly alias: string;
    readonly flag: string;
    readonly part: string;
    readonly stage?: string;
  };
}
