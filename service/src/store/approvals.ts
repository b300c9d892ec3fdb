/** Queries on approval policies, and on the change requests that writes open under them. */

import { parseJson, stringifyJson } from '../../../src/base/json-text.ts';
import type { JsonObject } from '../../../src/base/json.ts';
import type { SqlDatabase } from './database.ts';

/** The actions that can need an approval. */
export const GATED_ACTIONS = ['feature_flag.enable', 'feature_flag.disable', 'feature_flag.update'] as const;
export type GatedAction = (typeof GATED_ACTIONS)[number];

type RequestState = 'pending' | 'approved' | 'applied' | 'rejected' | 'expired' | 'failed';

export interface StoredPolicy {
  readonly id: string;
  /** Null for a policy of the organization. */
  readonly projectId: string | null;
  readonly action: GatedAction;
  readonly isEnabled: boolean;
  /** Other members, by their names in the interface. */
  readonly fields: JsonObject;
}

export interface StoredRequest {
  readonly id: string;
  readonly projectId: string;
  readonly action: GatedAction;
  /** The id of the flag; null for a creation. */
  readonly resourceId: string | null;
  readonly state: RequestState;
  /** Other members, by their names in the interface, and the secrets that its `intent` leaves out. */
  readonly fields: JsonObject;
}

export interface ApprovalStore {
  /** Policies of the project first, then those of the organization; each newest first. */
  policies(projectId: string): StoredPolicy[];
  /** Replaces the policy with the same id. */
  putPolicy(policy: StoredPolicy): void;
  removePolicy(id: string): void;
  /** Newest first. */
  requests(projectId: string): StoredRequest[];
  /** Oldest first. */
  openRequests(projectId: string): StoredRequest[];
  insertRequest(request: StoredRequest): void;
  updateRequest(request: Pick<StoredRequest, 'id' | 'state' | 'fields'>): void;
}

const POLICY = 'id, project_id AS projectId, action, is_enabled AS isEnabled, fields';
const REQUEST = 'id, project_id AS projectId, action, resource_id AS resourceId, state, fields';

export function createApprovalStore(database: SqlDatabase): ApprovalStore {
  const policies = database.prepare(
    `SELECT ${POLICY} FROM approval_policy WHERE project_id = ? OR project_id IS NULL ORDER BY project_id IS NULL, number DESC`,
  );
  const addPolicy = database.prepare(
    'INSERT INTO approval_policy (id, project_id, action, is_enabled, fields) VALUES (?, ?, ?, ?, ?) ' +
      'ON CONFLICT (id) DO UPDATE SET action = excluded.action, is_enabled = excluded.is_enabled, fields = excluded.fields',
  );
  const removePolicy = database.prepare('DELETE FROM approval_policy WHERE id = ?');
  const requests = database.prepare(`SELECT ${REQUEST} FROM change_request WHERE project_id = ? ORDER BY number DESC`);
  const open = database.prepare(
    `SELECT ${REQUEST} FROM change_request WHERE project_id = ? AND state IN ('pending', 'approved') ORDER BY number`,
  );
  const insert = database.prepare(
    'INSERT INTO change_request (id, project_id, action, resource_id, state, fields) VALUES (?, ?, ?, ?, ?, ?)',
  );
  const update = database.prepare('UPDATE change_request SET state = ?, fields = ? WHERE id = ?');
  return {
    policies: (projectId) => (policies.all([projectId]) as PolicyRow[]).map(readPolicy),
    putPolicy: ({ id, projectId, action, isEnabled, fields }) =>
      void addPolicy.run([id, projectId, action, Number(isEnabled), stringifyJson(fields)]),
    removePolicy: (id) => void removePolicy.run([id]),
    requests: (projectId) => (requests.all([projectId]) as RequestRow[]).map(readRow),
    openRequests: (projectId) => (open.all([projectId]) as RequestRow[]).map(readRow),
    insertRequest: ({ id, projectId, action, resourceId, state, fields }) =>
      void insert.run([id, projectId, action, resourceId, state, stringifyJson(fields)]),
    updateRequest: ({ id, state, fields }) => void update.run([state, stringifyJson(fields), id]),
  };
}

interface PolicyRow extends Omit<StoredPolicy, 'fields' | 'isEnabled'> {
  readonly isEnabled: number;
  readonly fields: string;
}

interface RequestRow extends Omit<StoredRequest, 'fields'> {
  readonly fields: string;
}

function readPolicy({ isEnabled, ...row }: PolicyRow): StoredPolicy {
  return { ...readRow(row), isEnabled: isEnabled === 1 };
}

function readRow<Row extends { readonly fields: string }>(row: Row): Omit<Row, 'fields'> & { fields: JsonObject } {
  return { ...row, fields: parseJson(row.fields) as JsonObject };
}
