/** Describes early access features, which only today's service has. */

import type { JsonObject } from '../../../src/base/json.ts';
import { STAGES } from '../early-access/write.ts';
import {
  type OperationDescription,
  ANYTHING,
  DATE_TIME,
  nullable,
  objectOf,
  OBJECT,
  pageOf,
  ref,
  SENT_INTEGER,
  SENT_TEXT,
  TEXT,
  UUID,
} from './schema.ts';

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
    summary: 'Changes an early access feature; its stage decides whether its flag enrolls people.',
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
    summary: 'Deletes an early access feature for good; its flag stays, but no longer enrolls anybody.',
    answers: { 204: null },
  },
};

const STAGE: JsonObject = { enum: [...STAGES] };
const ADDRESS: JsonObject = { ...TEXT, maxLength: 800, pattern: '^$|^(https?|ftps?)://[^\\s/?#]+(/[^\\s]*)?$' };

/** The fields that every request may write. */
const WRITTEN: Readonly<Record<string, JsonObject>> = {
  name: { ...SENT_TEXT, minLength: 1, maxLength: 200 },
  description: SENT_TEXT,
  stage: STAGE,
  documentation_url: ADDRESS,
};

const OPTIONAL = { isOpen: true, optional: ['description', 'documentation_url', 'payload', 'feature_flag_id'] };

export const EARLY_ACCESS_SCHEMAS: Readonly<Record<string, JsonObject>> = {
  EarlyAccessFeature: objectOf({
    id: UUID,
    feature_flag: nullable(ref('MinimalFlag')),
    name: TEXT,
    description: TEXT,
    stage: STAGE,
    documentation_url: TEXT,
    payload: ANYTHING,
    created_at: DATE_TIME,
    created_by: nullable(ref('User')),
    assignee: nullable(OBJECT),
    user_access_level: TEXT,
  }),
  EarlyAccessFeaturePage: pageOf('EarlyAccessFeature'),
  EarlyAccessFeatureCreate: objectOf({ ...WRITTEN, payload: ANYTHING, feature_flag_id: SENT_INTEGER }, OPTIONAL),
  EarlyAccessFeatureReplace: objectOf({ ...WRITTEN, payload: ANYTHING }, OPTIONAL),
  EarlyAccessFeatureWrite: objectOf(
    { ...WRITTEN, payload: ANYTHING },
    { isOpen: true, optional: [...Object.keys(WRITTEN), 'payload'] },
  ),
};
