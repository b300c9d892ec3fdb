/** Early access features are not compared between projects: each project has stages and links of its own. */

import type { FaceOf } from '../parity/faces.ts';

export const FEATURE_FACES: FaceOf<'early_access'> = {
  declared: () => undefined,
  elsewhere: () => [],
  live: () => [],
};
