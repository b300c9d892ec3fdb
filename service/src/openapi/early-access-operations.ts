/** Describes the operations on early access features, which only today's service has. */

import type { OperationDescription } from './operation-description.ts';

/** An approval policy covers the write of the flag, or several do. */
const GATED = { 400: 'WriteRefusal', 409: 'WriteConflict' };

export const EARLY_ACCESS_OPERATIONS: Readonly<Record<string, OperationDescription>> = {
  early_access_features_list: {
    summary: 'The early access features of the project, oldest first.',
    query: ['limit', 'offset'],
    answers: { 200: 'EarlyAccessFeaturePage' },
  },
  early_access_features_get: { summary: 'One early access feature.', answers: { 200: 'EarlyAccessFeature' } },
  early_access_features_create: {
    summary: 'Creates an early access feature, of an existing flag or with one of its own.',
    body: 'EarlyAccessFeatureCreate',
    answers: { 201: 'EarlyAccessFeature', ...GATED },
  },
  early_access_features_update: {
    summary: 'Changes an early access feature; its stage decides whether its flag enrols people.',
    body: 'EarlyAccessFeatureWrite',
    isBodyOptional: true,
    answers: { 200: 'EarlyAccessFeature', ...GATED },
  },
  early_access_features_replace: {
    summary: 'Changes an early access feature; name and stage are required.',
    body: 'EarlyAccessFeatureReplace',
    answers: { 200: 'EarlyAccessFeature', ...GATED },
  },
  early_access_features_delete: {
    summary: 'Deletes an early access feature for good; its flag stays, and enrols nobody any more.',
    answers: { 204: null },
  },
};
