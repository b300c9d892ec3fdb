/** The checks of alerts. Nothing here computes insights: a seed plans checks, and the holder of the service records them. */

import { FlagwrightError } from '../../../src/base/errors.ts';
import { memberOf, type JsonObject, type JsonValue } from '../../../src/base/json.ts';
import { plainText, stringifyJson } from '../../../src/base/json-text.ts';
import { formatTimestamp, parseMicroseconds } from '../format/timestamp.ts';
import type { Handler, ServiceContext } from '../handler/call.ts';
import type { CheckState, StoredAlert, StoredCheck } from '../store/alerts.ts';

/** A handler that sees the alerts as the checks until now have left them. */
export function upToDate(handler: Handler): Handler {
  return (service, call) => {
    makeDueChecks(service, call.projectId);
    return handler(service, call);
  };
}

/** The outcome of a check. */
export interface CheckRecord {
  /** The name or the id of the alert. */
  readonly alert: string;
  readonly state: CheckState;
  readonly value?: number;
  /** Default: the first project of the service. */
  readonly projectId?: string;
}

/** Checks every alert of that name, or of that id, now. A disabled or snoozed one is passed over. */
export function recordCheck(service: ServiceContext, record: CheckRecord): void {
  const { store, projectIds, now, randomUuid } = service;
  const { alert: named, state, value = null, projectId = projectIds[0] ?? '' } = record;
  const found = store.alerts.list(projectId).filter(({ id, fields }) => id === named || fields['name'] === named);
  if (found.length === 0)
    throw new FlagwrightError('usage', `Project ${projectId} has no alert ${stringifyJson(named)}`);
  const time = parseMicroseconds(formatTimestamp(now()));
  for (const { id } of found) {
    store.alerts.addCheck({ id: randomUuid(), alertId: id, time, state, value, isPlanned: true });
  }
  makeDueChecks(service, projectId);
}

function makeDueChecks(service: ServiceContext, projectId: string): void {
  const { store, now } = service;
  const until = parseMicroseconds(formatTimestamp(now()));
  if (store.alerts.dueChecks(projectId, until).length === 0) return;
  // Another process on the same file may have made them meanwhile, so they are read again in the transaction.
  store.transaction(() => {
    for (const check of store.alerts.dueChecks(projectId, until)) {
      const alert = store.alerts.find(projectId, check.alertId);
      if (alert !== undefined) makeCheck(service, alert, check);
    }
  });
}

/** The service does not check an alert that is disabled or snoozed. The first check after the end of a snooze clears it. */
function makeCheck({ store }: ServiceContext, alert: StoredAlert, check: StoredCheck): void {
  const { enabled, snoozed_until: snoozed } = alert.fields;
  if (enabled !== true || (typeof snoozed === 'string' && parseMicroseconds(snoozed) > check.time)) {
    store.alerts.removeCheck(check.id);
    return;
  }
  store.alerts.markMade(check.id);
  store.alerts.update({ id: alert.id, fields: { ...alert.fields, ...afterCheck(alert.fields, check) } });
}

/** The fields that a check sets. */
export function afterCheck(
  { calculation_interval: interval = null }: JsonObject,
  { time, state }: Pick<StoredCheck, 'time' | 'state'>,
): JsonObject {
  const at = dateOf(time);
  return {
    state,
    snoozed_until: null,
    last_checked_at: formatTimestamp(at),
    next_check_at: formatTimestamp(nextCheck(at, interval)),
  };
}

export function dateOf(microseconds: number): Date {
  return new Date(Math.floor(microseconds / 1000));
}

const MINUTES: Readonly<Record<string, number>> = { real_time: 2, every_15_minutes: 15, hourly: 60 };

/** Longer intervals have a fixed hour of the first day. */
function nextCheck(after: Date, interval: JsonValue): Date {
  const minutes = memberOf(MINUTES, plainText(interval));
  if (minutes !== undefined) return new Date(after.getTime() + minutes * 60_000);
  const [year, month, day] = [after.getUTCFullYear(), after.getUTCMonth(), after.getUTCDate()];
  if (interval === 'monthly') return new Date(Date.UTC(year, month + 1, 1, 4));
  if (interval === 'weekly') return new Date(Date.UTC(year, month, day + 7 - ((after.getUTCDay() + 6) % 7), 3));
  return new Date(Date.UTC(year, month, day + 1, 1));
}
