/** The paths of early access features, which only today's service has. */

import { getFeature, listFeatures } from '../early-access/read.ts';
import { createFeature, deleteFeature, replaceFeature, updateFeature } from '../early-access/write.ts';
import type { Handler } from '../handler/call.ts';
import type { Methods, Operation } from '../handler/operation.ts';

export const EARLY_ACCESS_ROUTES: readonly (readonly [path: string, methods: Methods])[] = [
  ['early_access_feature', { GET: op('list', listFeatures), POST: op('create', createFeature) }],
  [
    'early_access_feature/:id',
    {
      GET: op('get', getFeature),
      PATCH: op('update', updateFeature),
      PUT: op('replace', replaceFeature),
      DELETE: op('delete', deleteFeature),
    },
  ],
];

function op(name: string, handler: Handler): Operation {
  return { id: `early_access_features_${name}`, handler, profile: 'posthog' };
}
