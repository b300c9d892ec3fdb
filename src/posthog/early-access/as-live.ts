/** Declared early access features as if they were live. */

import type { AsLive } from '../as-live.ts';
import { knownFields } from '../known-fields.ts';
import { canonicalFeature } from './canonical.ts';

/** The id is unknown if the former manifests did not declare the flag. */
const NO_FLAG = 0;

export const FEATURES_AS_LIVE: AsLive<'early_access'> = {
  // Features have the ids of their flags.
  idsOf: () => new Map(),
  known: (desired, former) =>
    desired.map((feature) => {
      const before = former.find(({ flag }) => flag === feature.flag);
      if (feature.kind === 'retired' || before === undefined) return feature;
      return { ...feature, fields: knownFields(feature.fields, before.fields) };
    }),
  toLive: ({ key, flag, fields }, { flags }) => ({
    name: key,
    stage: 'draft',
    ...canonicalFeature(fields),
    id: flags?.get(flag) ?? NO_FLAG,
    feature_id: '',
  }),
};
