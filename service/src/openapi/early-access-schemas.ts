/** The schemas of early access features, which only today's service has. */

import type { JsonObject } from '../../../src/base/json.ts';
import { STAGES } from '../early-access/fields.ts';
import {
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
