/** Which early access features, and which of their flags, must be read of the service. */

import type { Reads } from '../model.ts';
import type { FeatureChange } from './change.ts';
import type { DesiredFeature } from './desired.ts';

/** Every feature is listed. The flag may be archived, and is read by its key then. */
export const FEATURE_READS: Reads<FeatureChange, DesiredFeature> = {
  toPlan: ({ flag }) => ({ early_access: {}, flags: { keys: [flag] } }),
  toApply: ({ flag }, { liveKey, created }) => ({
    early_access: {},
    flags: { keys: created.has(flag) ? [] : [liveKey(flag)] },
  }),
  toUndo: ({ id }, answered) => ({
    early_access: {},
    flags: { ids: [id ?? answered].filter((one) => typeof one === 'number') },
  }),
};
