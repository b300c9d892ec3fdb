/** The operations on alerts, which PostHog checks by itself: a list of all, and one with its newest check. */

import type { JsonPath } from '../../../base/json-pointer.ts';
import { memberOf, type JsonValue } from '../../../base/json.ts';
import { defined } from '../../../base/optional.ts';
import { parseInstant } from '../../../base/times.ts';
import { readListing } from '../listing.ts';
import type { Operations } from '../request-spec.ts';
import { readArray, readBoolean, readObject, readText, UnexpectedShape } from '../shape.ts';

export interface Alert {
  readonly id: string;
  /** Not unique, and perhaps empty. */
  readonly name: string;
  /** `Firing`, `Not firing`, `Errored` or `Snoozed`. An edit sets `Not firing` too: only a check proves it. */
  readonly state: string;
  readonly enabled: boolean;
  /** How often PostHog checks it: `hourly`, `daily`. */
  readonly interval?: string;
  /** The time of the last check; absent before the first. */
  readonly checkedAt?: string;
  readonly snoozedUntil?: string;
  /** Somebody edited what it watches for, or how often, and PostHog has not checked it since. */
  readonly isEdited?: true;
}

export interface AlertCheck {
  readonly at: string;
  readonly state: string;
}

export interface AlertOperations {
  /**
   * Every alert of the project, newest first; those whose insight the owner of the key may not view are left out. The key needs the scope
   * `alert:read` (`forbidden`). Newer services only; the older have `not_found`.
   */
  listAlerts(): Promise<readonly Alert[]>;
  /**
   * One alert, with its newest check among those that PostHog keeps: of the last 14 days. Throws `not_found`, also where the owner of the key
   * may not view the insight.
   */
  readAlert(id: string): Promise<Alert & { readonly check?: AlertCheck }>;
}

const ALERTS_PER_PAGE = 100;
/** Snoozing writes checks too, which are passed over. */
const CHECKS = 20;

export function alertOperations({ send, projectPath, concurrency, callee }: Operations): AlertOperations {
  const path = `${projectPath}/alerts/`;
  return {
    listAlerts: () =>
      readListing(send, {
        operation: 'listAlerts',
        path,
        first: { limit: ALERTS_PER_PAGE },
        concurrency,
        callee,
        readEntry: readAlert,
      }),
    readAlert: (id) =>
      send({
        operation: 'readAlert',
        method: 'GET',
        path: `${path}${encodeURIComponent(id)}/`,
        query: { checks_limit: CHECKS },
        repeat: 'freely',
        read: (body = null) => {
          const alert = readAlert(body, []);
          if (alert.id.toLowerCase() !== id.toLowerCase()) throw new UnexpectedShape(['id'], id);
          const checks = readArray(readObject(body)['checks'], ['checks']);
          const check = checks
            .map((value, index) => readCheck(value, ['checks', index]))
            .find((one) => isComputed(one, alert));
          return { ...alert, ...(check && { check: { at: check.at, state: check.state } }) };
        },
      }),
  };
}

function readAlert(value: JsonValue, path: JsonPath): Alert {
  const alert = readObject(value, path);
  const timeOf = (name: string): string | undefined => {
    const time = memberOf(alert, name) ?? null;
    return time === null ? undefined : readTime(time, [...path, name]);
  };
  const { calculation_interval: interval } = alert;
  return {
    id: readText(alert['id'], [...path, 'id']),
    name: readText(alert['name'], [...path, 'name']),
    state: readText(alert['state'], [...path, 'state']),
    enabled: readBoolean(alert['enabled'], [...path, 'enabled']),
    ...(typeof interval === 'string' && { interval }),
    ...defined({ checkedAt: timeOf('last_checked_at'), snoozedUntil: timeOf('snoozed_until') }),
    ...(alert['next_check_at'] === null && timeOf('last_checked_at') !== undefined && { isEdited: true }),
  };
}

interface ListedCheck extends AlertCheck {
  readonly hasValue: boolean;
}

function readCheck(value: JsonValue, path: JsonPath): ListedCheck {
  const check = readObject(value, path);
  return {
    at: readTime(check['created_at'], [...path, 'created_at']),
    state: readText(check['state'], [...path, 'state']),
    hasValue: (check['calculated_value'] ?? null) !== null,
  };
}

function readTime(value: JsonValue | undefined, path: JsonPath): string {
  const text = readText(value, path);
  if (parseInstant(text) === undefined) throw new UnexpectedShape(path, 'a date and time');
  return text;
}

/** PostHog writes both times of one check within the same moment. */
const MOMENT_MS = 1000;

/**
 * Whether PostHog computed the insight for a check. Snoozing an alert and ending the snooze write checks as well, `Snoozed` and `Not firing`,
 * without a value and without a new time of the last check (docs/service/alerts.md, "Checks").
 */
function isComputed({ at, hasValue }: ListedCheck, { checkedAt }: Alert): boolean {
  return hasValue || (checkedAt !== undefined && Date.parse(at) <= Date.parse(checkedAt) + MOMENT_MS);
}
