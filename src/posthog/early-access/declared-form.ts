/** How manifests declare early access features. */

import type { DeclaredForm } from '../family.ts';
import type { DesiredFeature } from './desired.ts';
import { FEATURE_BLOCK, FEATURE_ORDER } from './layout.ts';

export const FEATURE_FORM: DeclaredForm<DesiredFeature> = {
  block: FEATURE_BLOCK,
  order: FEATURE_ORDER,
  meaningOf: ({ key, flag, ...one }) => ({
    ...{ key, flag },
    ...(one.kind === 'retired' ? { retired: true } : { fields: one.fields }),
  }),
};
