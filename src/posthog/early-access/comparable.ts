/** Early access features are not compared between projects: each project has stages and links of its own. */

import type { ComparableFamily } from '../parity/comparable.ts';

export const COMPARABLE_FEATURES: ComparableFamily<'early_access'> = {
  declared: () => undefined,
  elsewhere: () => [],
  live: () => [],
};
