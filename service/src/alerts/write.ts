/** Creates, changes and deletes alerts. (docs/service/alerts.md) */

import {
  arrayOrEmpty,
  jsonEquals,
  memberOf,
  objectOrEmpty,
  type JsonObject,
  type JsonValue,
} from '../../../src/base/json.ts';
import { plainText } from '../../../src/base/json-text.ts';
import { boolean, choice, dateTime, list, object, reference, text } from '../flags/field-types.ts';
import { readFields, type BodyField } from '../flags/fields.ts';
import { formatTimestamp, parseMicroseconds } from '../format/timestamp.ts';
import { EMBEDDED_USER, type Answer, type Call, type ServiceContext, userOf } from '../handler/call.ts';
import { invalid, invalidInput } from '../handler/envelope.ts';
import type { AlertState, StoredAlert } from '../store/alerts.ts';
import { findAlert, serializeAlert } from './read.ts';
import { timeAfter } from './relative-time.ts';

/** What a seed and a request leave out. */
export const NEW_ALERT: JsonObject = {
  name: '',
  subscribed_users: [],
  threshold: null,
  condition: {},
  state: 'Not firing' satisfies AlertState,
  enabled: true,
  last_notified_at: null,
  last_checked_at: null,
  next_check_at: null,
  config: {},
  detector_config: null,
  calculation_interval: 'daily',
  snoozed_until: null,
  skip_weekend: false,
  schedule_restriction: null,
  investigation_agent_enabled: false,
  investigation_gates_notifications: false,
  investigation_inconclusive_action: 'notify',
};

const INTERVALS = ['real_time', 'every_15_minutes', 'hourly', 'daily', 'weekly', 'monthly'];

/** The fields that a request may write, but for `snoozed_until`. */
const FIELDS: readonly BodyField[] = [
  { name: 'insight', type: insightId, required: true },
  { name: 'name', type: text({ maxLength: 255, blank: true }) },
  { name: 'subscribed_users', type: list(reference), required: true },
  { name: 'threshold', type: threshold, required: true },
  { name: 'condition', type: object, null: 'store' },
  { name: 'enabled', type: boolean },
  { name: 'config', type: object, null: 'store' },
  { name: 'detector_config', type: object, null: 'store' },
  { name: 'calculation_interval', type: choice(INTERVALS) },
  { name: 'skip_weekend', type: boolean, null: 'store' },
  { name: 'schedule_restriction', type: restriction, null: 'store' },
  { name: 'investigation_agent_enabled', type: boolean },
  { name: 'investigation_gates_notifications', type: boolean },
  { name: 'investigation_inconclusive_action', type: choice(['notify', 'suppress']) },
];

const NEW_FIELDS: readonly BodyField[] = [...FIELDS, { name: 'snoozed_until', type: dateTime, null: 'store' }];
const CHANGED_FIELDS: readonly BodyField[] = [...FIELDS, { name: 'snoozed_until', type: snooze, null: 'store' }];

export const ALERT_FIELDS: readonly string[] = NEW_FIELDS.map(({ name }) => name);

export const REQUIRED_ALERT_FIELDS: readonly string[] = FIELDS.flatMap(({ name, required }) => (required ? name : []));

/** The limit of an organization without the paid feature. */
const MOST_FREE = 5;

export function createAlert(service: ServiceContext, call: Call): Answer {
  const { store, now, randomUuid } = service;
  return store.transaction(() => {
    const sent = readFields(call.body, NEW_FIELDS);
    checkRules(sent, { needsBounds: true });
    const isFree = store.organization.missingFeatures().has('alerts');
    if (isFree && store.alerts.list(call.projectId).length >= MOST_FREE) {
      throw invalid('invalid_input', `The plan allows ${MOST_FREE} alerts.`, 'alert');
    }
    const time = formatTimestamp(now());
    const alert: StoredAlert = {
      id: randomUuid(),
      projectId: call.projectId,
      fields: {
        created_by: userOf(service),
        created_at: time,
        ...NEW_ALERT,
        ...sent,
        ...references(service, call.projectId, { sent }),
      },
    };
    store.alerts.insert(alert);
    return { status: 201, body: serializeAlert(service, alert) };
  });
}

export function updateAlert(service: ServiceContext, call: Call): Answer {
  const { store } = service;
  return store.transaction(() => {
    const before = findAlert(service, call);
    const { snoozed_until: snoozed, ...values } = readFields(call.body, CHANGED_FIELDS, { partial: true });
    const needsBounds = values['threshold'] !== undefined || values['detector_config'] !== undefined;
    checkRules({ ...before.fields, ...values }, { needsBounds });
    const fields: JsonObject = {
      ...before.fields,
      ...(snoozed !== undefined && snoozeAlert(service, before, snoozed)),
      ...values,
      ...references(service, call.projectId, { sent: values, before: before.fields }),
    };
    const after = { ...before, fields: { ...fields, ...resets(before.fields, fields) } };
    store.alerts.update(after);
    return { status: 200, body: serializeAlert(service, after) };
  });
}

export function deleteAlert(service: ServiceContext, call: Call): Answer {
  return service.store.transaction(() => {
    service.store.alerts.remove(findAlert(service, call).id);
    return { status: 204 };
  });
}

/** Snoozing, and its end by a request, writes a check without a value; `last_checked_at` stays, since nothing was computed. */
function snoozeAlert({ store, now, randomUuid }: ServiceContext, { id }: StoredAlert, until: JsonValue): JsonObject {
  const state: AlertState = until === null ? 'Not firing' : 'Snoozed';
  const time = parseMicroseconds(formatTimestamp(now()));
  store.alerts.addCheck({ id: randomUuid(), alertId: id, time, state, value: null, isPlanned: false });
  return {
    state,
    snoozed_until: until === null ? null : formatTimestamp(new Date(timeAfter(plainText(until), now()))),
  };
}

/** What an edit sets besides its fields: it calls an alert quiet without a check. An edited threshold also ends the state of a snooze. */
function resets(before: JsonObject, after: JsonObject): JsonObject {
  const isChanged = (name: string): boolean =>
    !jsonEquals(memberOf(before, name) ?? null, memberOf(after, name) ?? null);
  const rule = ({ condition = null, threshold: limits }: JsonObject): JsonValue => [
    condition,
    objectOrEmpty(limits)['configuration'] ?? null,
  ];
  const isNewRule = !jsonEquals(rule(before), rule(after));
  return {
    ...((isNewRule || isChanged('enabled')) && { state: 'Not firing' satisfies AlertState }),
    ...((isNewRule || isChanged('calculation_interval')) && { next_check_at: null }),
  };
}

/** The sent fields that name other objects, as they are stored: insight, threshold and users. */
function references(
  service: ServiceContext,
  projectId: string,
  { sent, before = {} }: { readonly sent: JsonObject; readonly before?: JsonObject },
): JsonObject {
  const { insight, threshold: limits, subscribed_users: users } = sent;
  const made = { id: service.randomUuid(), created_at: formatTimestamp(service.now()), name: '' };
  const kept = objectOrEmpty(before['threshold']);
  return {
    ...(insight !== undefined && { insight: namedInsight(service, projectId, insight) }),
    ...(limits !== undefined && { threshold: { ...made, ...kept, ...objectOrEmpty(limits) } }),
    ...(users !== undefined && { subscribed_users: arrayOrEmpty(users).map((id) => findUser(service, id)) }),
  };
}

/** Any insight is taken as one of the project; its name is that in another alert. */
function namedInsight({ store }: ServiceContext, projectId: string, id: JsonValue): JsonObject {
  const known = store.alerts.list(projectId).map(({ fields }) => objectOrEmpty(fields['insight']));
  return known.find((insight) => insight['id'] === id) ?? { id, name: '' };
}

function findUser({ store }: ServiceContext, id: JsonValue): JsonObject {
  const users = [EMBEDDED_USER, ...store.organization.listMembers().map(({ user }) => user)];
  const user = users.find((one) => one['id'] === id);
  if (user === undefined)
    throw invalid('does_not_exist', `Invalid pk "${plainText(id)}" - object does not exist.`, 'subscribed_users');
  return user;
}

const CONDITIONS: readonly JsonValue[] = ['absolute_value', 'relative_increase', 'relative_decrease'];

function checkRules(
  { condition = null, threshold: limits, detector_config: detector = null }: JsonObject,
  { needsBounds }: { readonly needsBounds: boolean },
): void {
  const { type = null } = objectOrEmpty(condition);
  if (type !== null && !CONDITIONS.includes(type)) throw invalidInput('Invalid condition type.');
  const { type: kind, bounds } = objectOrEmpty(objectOrEmpty(limits)['configuration']);
  if (type === 'absolute_value' && kind === 'percentage') {
    throw invalidInput('Absolute value alerts require an absolute threshold.');
  }
  const { lower = null, upper = null } = objectOrEmpty(bounds);
  if (needsBounds && detector === null && lower === null && upper === null) {
    throw invalid('invalid_input', 'Set a lower or an upper bound.', 'threshold__configuration');
  }
}

function insightId(sent: JsonValue, name: string): JsonValue {
  const id = reference(sent, name);
  if (Number(id) > 0) return id;
  throw invalid('does_not_exist', `Invalid pk "${plainText(id)}" - object does not exist.`, name);
}

function threshold(sent: JsonValue, name: string): JsonValue {
  const { configuration, name: title } = objectOrEmpty(object(sent, name));
  const place = `${name}__configuration`;
  if (configuration === undefined) throw invalid('required', 'This field is required.', place);
  checkLimits(object(configuration, place));
  return {
    ...(title !== undefined && { name: text({ maxLength: 255, blank: true })(title, `${name}__name`) }),
    configuration,
  };
}

function checkLimits(configuration: JsonValue): void {
  const { type = null, bounds } = objectOrEmpty(configuration);
  const { lower = null, upper = null } = objectOrEmpty(bounds);
  const areNumbers = [lower, upper].every((bound) => bound === null || typeof bound === 'number');
  if ((type !== 'absolute' && type !== 'percentage') || !areNumbers) {
    throw invalidInput('Invalid threshold configuration.');
  }
  if (typeof lower === 'number' && typeof upper === 'number' && lower > upper) {
    throw invalidInput('The lower bound is above the upper one.');
  }
}

/** Without windows it is none. */
function restriction(sent: JsonValue, name: string): JsonValue {
  const windows = arrayOrEmpty(objectOrEmpty(object(sent, name))['blocked_windows']);
  return windows.length === 0 ? null : sent;
}

function snooze(sent: JsonValue, name: string): JsonValue {
  if (typeof sent !== 'string') throw invalid('invalid_input', 'Not a string.', name);
  return sent;
}
