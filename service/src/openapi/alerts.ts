/** Describes alerts, which only today's service has. The schemas of bodies name the fields of the table that reads them. */

import type { JsonObject } from '../../../src/base/json.ts';
import { ALERT_FIELDS, REQUIRED_ALERT_FIELDS } from '../alerts/write.ts';
import type { AlertState } from '../store/alerts.ts';
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
  pageOf,
  ref,
  TEXT,
  UUID,
} from './schema.ts';

export const ALERT_OPERATIONS: Readonly<Record<string, OperationDescription>> = {
  alerts_list: {
    summary: 'The alerts of the project, newest first.',
    query: ['limit', 'offset', 'insight', 'insight_id', 'created_by', 'search'],
    answers: { 200: 'AlertPage' },
  },
  alerts_create: { summary: 'Creates an alert.', body: 'AlertCreate', answers: { 201: 'Alert' } },
  alerts_get: {
    summary: 'One alert with its newest checks.',
    query: ['checks_limit', 'checks_offset', 'checks_date_from', 'checks_date_to'],
    answers: { 200: 'Alert' },
  },
  alerts_update: {
    summary: 'Changes an alert; another threshold, condition or `enabled` sets its state without a check.',
    body: 'AlertWrite',
    isBodyOptional: true,
    answers: { 200: 'Alert' },
  },
  alerts_delete: { summary: 'Deletes an alert with its checks, for good.', answers: { 204: null } },
};

const STATES: readonly AlertState[] = ['Firing', 'Not firing', 'Errored', 'Snoozed'];
const STATE: JsonObject = { enum: [...STATES] };
const NUMBER: JsonObject = { type: 'number' };
const NOTHING: JsonObject = { type: 'null' };

const FIELDS: Readonly<Record<string, JsonObject>> = Object.fromEntries(ALERT_FIELDS.map((name) => [name, ANYTHING]));

export const ALERT_SCHEMAS: Readonly<Record<string, JsonObject>> = {
  Alert: objectOf(
    {
      id: UUID,
      created_by: nullable(ref('User')),
      created_at: DATE_TIME,
      insight: objectOf({ id: INTEGER, short_id: TEXT, name: TEXT }, { isOpen: true }),
      name: TEXT,
      subscribed_users: listOf(ref('User')),
      threshold: nullable(objectOf({ id: UUID, created_at: DATE_TIME, name: TEXT, configuration: OBJECT })),
      condition: nullable(OBJECT),
      state: STATE,
      enabled: BOOLEAN,
      last_notified_at: nullable(DATE_TIME),
      last_checked_at: nullable(DATE_TIME),
      next_check_at: nullable(DATE_TIME),
      checks: listOf(ref('AlertCheck')),
      checks_total: INTEGER,
      config: nullable(OBJECT),
      detector_config: nullable(OBJECT),
      calculation_interval: TEXT,
      snoozed_until: nullable(DATE_TIME),
      skip_weekend: nullable(BOOLEAN),
      schedule_restriction: nullable(OBJECT),
      last_value: nullable(NUMBER),
      investigation_agent_enabled: BOOLEAN,
      investigation_gates_notifications: BOOLEAN,
      investigation_inconclusive_action: TEXT,
    },
    { optional: ['checks', 'checks_total'] },
  ),
  AlertPage: pageOf('Alert'),
  AlertCheck: objectOf({
    id: UUID,
    created_at: DATE_TIME,
    calculated_value: nullable(NUMBER),
    state: STATE,
    targets_notified: BOOLEAN,
    anomaly_scores: NOTHING,
    triggered_points: NOTHING,
    triggered_dates: NOTHING,
    interval: NOTHING,
    triggered_metadata: NOTHING,
    investigation_status: NOTHING,
    investigation_verdict: NOTHING,
    investigation_summary: NOTHING,
    investigation_notebook_short_id: NOTHING,
    notification_sent_at: NOTHING,
    notification_suppressed_by_agent: BOOLEAN,
  }),
  AlertCreate: { type: 'object', required: [...REQUIRED_ALERT_FIELDS], properties: FIELDS },
  AlertWrite: { type: 'object', properties: FIELDS },
};
