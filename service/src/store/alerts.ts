/** Queries on alerts, and on the checks that give them their states. */

import type { JsonObject } from '../../../src/base/json.ts';
import type { SqlDatabase } from './database.ts';

export interface StoredAlert {
  readonly id: string;
  readonly projectId: string;
  /** By the names of the interface. `can_view` is not shown. */
  readonly fields: JsonObject;
}

/** The outcome of a check. */
export type CheckState = 'Firing' | 'Not firing' | 'Errored';

export type AlertState = CheckState | 'Snoozed';

export interface StoredCheck {
  readonly id: string;
  readonly alertId: string;
  /** Microseconds since 1970. */
  readonly time: number;
  readonly state: AlertState;
  readonly value: number | null;
}

export interface AlertStore {
  insert(alert: StoredAlert): void;
  update(alert: Pick<StoredAlert, 'id' | 'fields'>): void;
  /** With its checks. */
  remove(id: string): void;
  find(projectId: string, id: string): StoredAlert | undefined;
  /** Newest first. */
  list(projectId: string): StoredAlert[];
  /** A planned check is made when its time has come. */
  addCheck(check: StoredCheck & { readonly isPlanned: boolean }): void;
  /** The planned checks of a project up to a time, oldest first. */
  dueChecks(projectId: string, until: number): StoredCheck[];
  markMade(checkId: string): void;
  removeCheck(checkId: string): void;
  /** The checks that were made in a time, newest first. */
  checks(alertId: string, from: number, until: number): StoredCheck[];
}

const ALERT = 'id, project_id AS projectId, fields';
const CHECK = 'alert_check.id, alert_id AS alertId, time, state, value';

export function createAlertStore({ all, get, run }: SqlDatabase): AlertStore {
  return {
    insert: run('INSERT INTO alert (id, project_id, fields) VALUES ($id, $projectId, $fields)'),
    update: run('UPDATE alert SET fields = $fields WHERE id = $id'),
    remove: run('DELETE FROM alert WHERE id = ?'),
    find: get<StoredAlert>(`SELECT ${ALERT} FROM alert WHERE project_id = ? AND id = ?`),
    list: all<StoredAlert>(`SELECT ${ALERT} FROM alert WHERE project_id = ? ORDER BY number DESC`),
    addCheck: run(
      `INSERT INTO alert_check (id, alert_id, time, state, value, is_planned)
       VALUES ($id, $alertId, $time, $state, $value, $isPlanned)`,
    ),
    dueChecks: all<StoredCheck>(
      `SELECT ${CHECK} FROM alert_check JOIN alert ON alert.id = alert_id
       WHERE is_planned = 1 AND project_id = ? AND time <= ? ORDER BY time, alert_check.number`,
    ),
    markMade: run('UPDATE alert_check SET is_planned = 0 WHERE id = ?'),
    removeCheck: run('DELETE FROM alert_check WHERE id = ?'),
    checks: all<StoredCheck>(
      `SELECT ${CHECK} FROM alert_check
       WHERE is_planned = 0 AND alert_id = ? AND time >= ? AND time <= ? ORDER BY time DESC, number DESC`,
    ),
  };
}
