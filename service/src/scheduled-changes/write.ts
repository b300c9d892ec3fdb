/** Schedules a change of a flag, changes what is scheduled, and cancels it. (docs/service/scheduled-changes.md) */

import { plainText } from '../../../src/base/json-text.ts';
import { jsonEquals, memberOf, objectOrEmpty, type JsonObject, type JsonValue } from '../../../src/base/json.ts';
import { boolean, choice, dateTime, object, text } from '../flags/field-types.ts';
import { readFields, type BodyField } from '../flags/fields.ts';
import { canEdit } from '../flags/serialize.ts';
import { formatTimestamp, parseMicroseconds } from '../format/timestamp.ts';
import { type Answer, type Call, type Handler, type ServiceContext, userOf } from '../handler/call.ts';
import { forbidden, invalid, invalidInput, orNotFound } from '../handler/envelope.ts';
import type { StoredRequest } from '../store/approvals.ts';
import type { StoredFlag } from '../store/flag.ts';
import type { StoredSchedule } from '../store/objects.ts';
import { bindApproval } from './run.ts';
import { INTERVAL_NAMES, nextOfCron } from './next-time.ts';
import { ADD_CONDITION } from './values.ts';
import { parseTeamId } from '../flag-values/definitions.ts';
import { parseId } from '../flags/read.ts';
import { answerPage } from '../handler/lists.ts';

const MODEL = 'FeatureFlag';

const FIELDS: readonly BodyField[] = [
  { name: 'record_id', type: text({ maxLength: 200 }), required: true },
  { name: 'model_name', type: choice([MODEL]), required: true },
  { name: 'payload', type: object, required: true },
  { name: 'scheduled_at', type: dateTime, required: true },
  { name: 'is_recurring', type: boolean },
  { name: 'recurrence_interval', type: choice(INTERVAL_NAMES), null: 'store' },
  { name: 'cron_expression', type: text({ maxLength: 100, blank: true }), null: 'store' },
  { name: 'end_date', type: dateTime, null: 'store' },
];

/** The members that an approval covers: they stay while one is open. */
const TIMING = ['scheduled_at', 'cron_expression', 'recurrence_interval', 'end_date', 'is_recurring'];

/** What a seed and a request leave out. */
export const NEW_SCHEDULE: JsonObject = {
  executed_at: null,
  failure_reason: null,
  is_recurring: false,
  recurrence_interval: null,
  cron_expression: null,
  last_executed_at: null,
  end_date: null,
  timezone: 'UTC',
};

export const createScheduledChange: Handler = (service, call) =>
  service.store.transaction(() => {
    const { record_id: record = null, model_name: _, ...sent } = readFields(call.body, FIELDS);
    const fields = { ...NEW_SCHEDULE, ...sent };
    checkRepetition(fields);
    // Only a change that repeated can be paused.
    const repetition = ['recurrence_interval', 'cron_expression'].find((name) => memberOf(fields, name));
    if (fields['is_recurring'] !== true && repetition !== undefined) {
      throw invalid('invalid_input', 'Only a repeated change has a repetition.', repetition);
    }
    const flag = editableFlag(service, call, plainText(record));
    const time = formatTimestamp(service.now());
    const written = { ...fields, created_at: time, created_by: userOf(service), updated_at: time };
    return bound(service, { flag, payload: sent['payload'] }, (request) => {
      const schedule = { flagId: flag.id, fields: { ...written, change_request: request } };
      const id = service.store.scheduledChanges.insert(call.projectId, schedule);
      return { status: 201, body: serializeSchedule(service, { id, ...schedule }, call.projectId) };
    });
  });

export const updateScheduledChange: Handler = (service, call) =>
  service.store.transaction(() => {
    const before = findSchedule(service, call);
    const { record_id: record, model_name: _, ...sent } = readFields(call.body, FIELDS, { partial: true });
    if (record !== undefined && record !== String(before.flagId)) {
      throw invalid('invalid_input', 'The target of a scheduled change cannot be changed.', 'record_id');
    }
    if (before.fields['executed_at'] !== null && before.fields['is_recurring'] !== true) {
      throw invalidInput('A scheduled change that has run cannot be modified.');
    }
    const open = openRequest(service, call, before);
    const moved = TIMING.find((name) => {
      const value = memberOf(sent, name);
      return value !== undefined && !jsonEquals(value, memberOf(before.fields, name));
    });
    if (open !== undefined && moved !== undefined) {
      throw invalid('invalid_input', 'The time stays while the approval request is pending or approved.', moved);
    }
    const fields: JsonObject = { ...before.fields, ...sent, updated_at: formatTimestamp(service.now()) };
    checkRepetition(fields);
    const flag = editableFlag(service, call, String(before.flagId));
    const keep = (request: JsonValue): Answer => {
      const schedule = { ...before, fields: { ...fields, change_request: request } };
      service.store.scheduledChanges.update(call.projectId, schedule);
      return { status: 200, body: serializeSchedule(service, schedule, call.projectId) };
    };
    if (sent['payload'] === undefined) return keep(before.fields['change_request'] ?? null);
    return bound(service, { flag, payload: sent['payload'], ...(open && { bound: open.id }) }, (request) => {
      if (open !== undefined && request !== open.id) expire(service, open);
      return keep(request);
    });
  });

/** What the request of a cancelled change asks for is not made either. */
export const deleteScheduledChange: Handler = (service, call) =>
  service.store.transaction(() => {
    const schedule = findSchedule(service, call);
    const flag = service.store.flags.find(call.projectId, schedule.flagId);
    if (flag !== undefined && !canEdit(flag)) throw forbidden('You do not have permission to edit this feature flag.');
    const open = openRequest(service, call, schedule);
    service.store.scheduledChanges.remove(call.projectId, schedule.id);
    if (open !== undefined) expire(service, open);
    return { status: 204 };
  });

function bound(
  service: ServiceContext,
  asked: Parameters<typeof bindApproval>[1],
  keep: (request: JsonValue) => Answer,
): Answer {
  const binding = bindApproval(service, asked);
  return 'refusal' in binding ? binding.refusal : keep(binding.request);
}

function openRequest({ store }: ServiceContext, call: Call, { fields }: StoredSchedule): StoredRequest | undefined {
  return store.approvals.openRequests(call.projectId).find(({ id }) => id === fields['change_request']);
}

function expire({ store }: ServiceContext, request: StoredRequest): void {
  store.approvals.updateRequest({ ...request, state: 'expired' });
}

function editableFlag({ store }: ServiceContext, { projectId }: Call, record: string): StoredFlag {
  const flag = /^\d{1,15}$/.test(record) ? store.flags.find(projectId, Number(record)) : undefined;
  if (flag === undefined || flag.deleted) throw invalidInput('The feature flag does not exist.');
  if (!canEdit(flag)) throw invalidInput('You do not have permission to edit this feature flag.');
  return flag;
}

function checkRepetition(fields: JsonObject): void {
  const { is_recurring: recurs, recurrence_interval: interval, cron_expression: cron, payload } = fields;
  const { end_date: end, scheduled_at: at } = fields;
  const refused = (name: string, detail: string): Error => invalid('invalid_input', detail, name);
  if (cron && interval) throw refused('cron_expression', 'Send an interval or a cron expression, not both.');
  if (typeof cron === 'string' && cron !== '' && nextOfCron(cron, new Date(plainText(at ?? null))) === undefined) {
    throw refused('cron_expression', 'Not a cron expression of five fields, such as 0 9 * * 1-5.');
  }
  if (recurs === true && !cron && !interval) {
    throw refused('recurrence_interval', 'A repeated change has an interval or a cron expression.');
  }
  if (recurs === true && objectOrEmpty(payload)['operation'] === ADD_CONDITION) {
    throw refused('payload', 'A repeated change cannot add conditions: it would add them each time.');
  }
  if (typeof end === 'string' && parseMicroseconds(end) <= parseMicroseconds(plainText(at ?? null))) {
    throw refused('end_date', 'The end is after the scheduled time.');
  }
}

/** Sorted by id; includes executed ones. */
export function listScheduledChanges(context: ServiceContext, call: Call): Answer {
  return answerPage(call, findAsked(context, call), (one) => serializeSchedule(context, one, call.projectId));
}

export function getScheduledChange(context: ServiceContext, call: Call): Answer {
  return { status: 200, body: serializeSchedule(context, findSchedule(context, call), call.projectId) };
}

function findSchedule(context: ServiceContext, call: Call): StoredSchedule {
  const id = parseId(call.params['id']);
  return orNotFound(findAsked(context, call).find((stored) => stored.id === id));
}

/** The query limits a list and a single read alike. */
function findAsked({ store }: ServiceContext, { query, projectId }: Call): readonly StoredSchedule[] {
  const record = query.get('record_id');
  if ((query.get('model_name') ?? MODEL) !== MODEL) return [];
  return store.scheduledChanges.list(projectId).filter(({ flagId }) => record === null || record === String(flagId));
}

function serializeSchedule(
  { store }: ServiceContext,
  { id, flagId, fields }: StoredSchedule,
  projectId: string,
): JsonObject {
  const { failure_count: _, change_request: bound, ...shown } = fields;
  const request =
    typeof bound === 'string' ? store.approvals.requests(projectId).find((one) => one.id === bound) : undefined;
  return {
    id,
    team_id: parseTeamId(projectId),
    record_id: String(flagId),
    model_name: MODEL,
    ...shown,
    change_request: request === undefined ? null : { id: request.id, state: request.state },
  };
}
