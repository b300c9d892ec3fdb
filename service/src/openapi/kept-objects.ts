/** Describes the objects that the service only keeps. The schemas of bodies name the fields of the tables that read them. */

import type { JsonObject } from '../../../src/base/json.ts';
import type { BodyField } from '../flags/read-fields.ts';
import { ACTION_FIELDS } from '../kept-objects/actions.ts';
import { SETTING_FIELDS } from '../kept-objects/project-settings.ts';
import {
  type OperationDescription,
  ANYTHING,
  BOOLEAN,
  DATE_TIME,
  INTEGER,
  listOf,
  nullable,
  OBJECT,
  objectOf,
  ref,
  TEXT,
  UUID,
} from './schema.ts';

export const KEPT_OBJECT_OPERATIONS: Readonly<Record<string, OperationDescription>> = {
  actions_list: { summary: 'The actions that are not deleted, without pages.', answers: { 200: 'EventActionList' } },
  actions_create: {
    summary: 'Creates an action.',
    body: 'EventActionWrite',
    isBodyOptional: true,
    answers: { 201: 'EventAction' },
  },
  actions_update: {
    summary: 'Changes an action.',
    body: 'EventActionWrite',
    isBodyOptional: true,
    answers: { 200: 'EventAction' },
  },
  actions_get: { summary: 'One action, including deleted ones.', answers: { 200: 'EventAction' } },
  actions_delete: { summary: 'Refused: actions are deleted by a PATCH.', answers: { 405: null } },
  project_settings_get: { summary: 'One project with its settings.', answers: { 200: 'ProjectSettings' } },
  project_settings_update: {
    summary: 'Changes settings of a project.',
    body: 'ProjectSettingsWrite',
    isBodyOptional: true,
    answers: { 200: 'ProjectSettings' },
  },
  proxy_records_list: { summary: 'The proxy records of the organization.', answers: { 200: 'ProxyRecordList' } },
  proxy_records_create: {
    summary: 'Creates a proxy record, which waits for its DNS.',
    body: 'ProxyRecordWrite',
    answers: { 200: 'ProxyRecord', 400: 'ProxyRecordRefusal' },
  },
  proxy_records_get: { summary: 'One proxy record.', answers: { 200: 'ProxyRecord' } },
  proxy_records_delete: { summary: 'Deletes a proxy record.', answers: { 200: 'Success' } },
};

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

export const KEPT_OBJECT_SCHEMAS: Readonly<Record<string, JsonObject>> = {
  EventAction: ACTION,
  EventActionList: objectOf({ results: listOf(ref('EventAction')) }),
  EventActionWrite: bodyOf(ACTION_FIELDS),
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
