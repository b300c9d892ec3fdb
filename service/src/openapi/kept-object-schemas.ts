/** The schemas of objects that the service only keeps. Those of bodies name the fields of the tables that read them. */

import type { JsonObject } from '../../../src/base/json.ts';
import type { BodyField } from '../flags/read-fields.ts';
import { ACTIONS } from '../kept-objects/actions.ts';
import { HOG_FUNCTIONS } from '../kept-objects/hog-functions.ts';
import { SETTING_FIELDS } from '../kept-objects/project-settings.ts';
import { SURVEYS } from '../kept-objects/surveys.ts';
import {
  ANYTHING,
  BOOLEAN,
  DATE_TIME,
  INTEGER,
  listOf,
  nullable,
  OBJECT,
  objectOf,
  pageOf,
  ref,
  TEXT,
  UUID,
} from './schema.ts';

const MADE = { created_at: DATE_TIME, created_by: nullable(ref('User')) };

const ACTION = objectOf({
  id: INTEGER,
  name: nullable(TEXT),
  description: TEXT,
  tags: listOf(TEXT),
  post_to_slack: BOOLEAN,
  slack_message_format: TEXT,
  steps: listOf(OBJECT),
  ...MADE,
  deleted: BOOLEAN,
  is_calculating: BOOLEAN,
  last_calculated_at: nullable(DATE_TIME),
  team_id: INTEGER,
  is_action: BOOLEAN,
  bytecode_error: nullable(TEXT),
  pinned_at: nullable(DATE_TIME),
  creation_context: nullable(TEXT),
  user_access_level: TEXT,
});

/** What a list shows. */
const FUNCTION = {
  id: UUID,
  type: TEXT,
  name: nullable(TEXT),
  description: TEXT,
  ...MADE,
  updated_at: DATE_TIME,
  enabled: BOOLEAN,
  hog: TEXT,
  filters: OBJECT,
  icon_url: nullable(TEXT),
  template: nullable(OBJECT),
  status: objectOf({ state: INTEGER, tokens: INTEGER }),
  execution_order: nullable(INTEGER),
  draft_updated_at: nullable(DATE_TIME),
};

const FUNCTION_CONTENT = {
  bytecode: ANYTHING,
  transpiled: ANYTHING,
  inputs_schema: listOf(OBJECT),
  inputs: OBJECT,
  masking: nullable(OBJECT),
  mappings: nullable(listOf(OBJECT)),
  batch_export_id: nullable(UUID),
  version: INTEGER,
  draft: nullable(OBJECT),
};

/** Only answers to reads have them. */
const READ_OF_SURVEY = {
  linked_flag_id: nullable(INTEGER),
  linked_insight_id: nullable(INTEGER),
  feature_flag_keys: listOf(objectOf({ key: TEXT, value: nullable(TEXT) })),
  user_access_level: TEXT,
};

const FLAG_OF_SURVEY = nullable(ref('MinimalFlag'));

const SURVEY = objectOf(
  {
    id: UUID,
    linked_flag: FLAG_OF_SURVEY,
    targeting_flag: FLAG_OF_SURVEY,
    internal_targeting_flag: FLAG_OF_SURVEY,
    ...Object.fromEntries(Object.keys(SURVEYS.defaults).map((name) => [name, ANYTHING])),
    ...MADE,
    name: TEXT,
    description: TEXT,
    type: TEXT,
    questions: nullable(listOf(OBJECT)),
    archived: BOOLEAN,
    ...READ_OF_SURVEY,
  },
  { optional: Object.keys(READ_OF_SURVEY) },
);

export const KEPT_OBJECT_SCHEMAS: Readonly<Record<string, JsonObject>> = {
  EventAction: ACTION,
  EventActionList: objectOf({ results: listOf(ref('EventAction')) }),
  EventActionWrite: bodyOf(ACTIONS.fields),
  HogFunction: objectOf({ ...FUNCTION, ...FUNCTION_CONTENT }),
  HogFunctionListed: objectOf({ ...FUNCTION, ...FUNCTION_CONTENT }, { optional: Object.keys(FUNCTION_CONTENT) }),
  HogFunctionPage: pageOf('HogFunctionListed'),
  HogFunctionWrite: bodyOf(HOG_FUNCTIONS.fields),
  Survey: SURVEY,
  SurveyPage: pageOf('Survey'),
  SurveyCreate: bodyOf(SURVEYS.fields, ['name', 'type']),
  SurveyWrite: bodyOf(SURVEYS.fields),
  ProjectSettings: objectOf({
    id: { type: ['integer', 'string'] },
    organization: UUID,
    api_token: TEXT,
    name: TEXT,
    ...Object.fromEntries(SETTING_FIELDS.map(({ name }) => [name, { type: ['boolean', 'integer', 'array', 'null'] }])),
  }),
  ProjectSettingsWrite: bodyOf(SETTING_FIELDS),
  ProxyRecord: objectOf({
    id: UUID,
    domain: TEXT,
    target_cname: TEXT,
    status: { const: 'waiting' },
    message: nullable(TEXT),
    created_at: DATE_TIME,
    updated_at: DATE_TIME,
    created_by: nullable(INTEGER),
  }),
  ProxyRecordList: objectOf({ results: listOf(ref('ProxyRecord')), max_proxy_records: INTEGER }),
  ProxyRecordWrite: bodyOf([{ name: 'domain' }], ['domain']),
  ProxyRecordRefusal: { anyOf: [ref('Error'), objectOf({ detail: TEXT })] },
};

function bodyOf(fields: readonly Pick<BodyField, 'name'>[], required: readonly string[] = []): JsonObject {
  return { type: 'object', required, properties: Object.fromEntries(fields.map(({ name }) => [name, ANYTHING])) };
}
