/** Queries on approval policies, and on the change requests that writes open under them. */

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

export function createApprovalStore({ all, run }: SqlDatabase): ApprovalStore {
  const policies = all<Omit<StoredPolicy, 'isEnabled'> & { isEnabled: number }>(
    `SELECT ${POLICY} FROM approval_policy WHERE project_id = ? OR project_id IS NULL ORDER BY project_id IS NULL, number DESC`,
  );
  return {
    policies: (projectId) => policies(projectId).map((row) => ({ ...row, isEnabled: row.isEnabled === 1 })),
    putPolicy: run(
      `INSERT INTO approval_policy (id, project_id, action, is_enabled, fields)
       VALUES ($id, $projectId, $action, $isEnabled, $fields)
       ON CONFLICT (id) DO UPDATE SET action = excluded.action, is_enabled = excluded.is_enabled, fields = excluded.fields`,
    ),
    removePolicy: run('DELETE FROM approval_policy WHERE id = ?'),
    requests: all<StoredRequest>(`SELECT ${REQUEST} FROM change_request WHERE project_id = ? ORDER BY number DESC`),
    openRequests: all<StoredRequest>(
      `SELECT ${REQUEST} FROM change_request WHERE project_id = ? AND state IN ('pending', 'approved') ORDER BY number`,
    ),
    insertRequest: run(
      `INSERT INTO change_request (id, project_id, action, resource_id, state, fields)
       VALUES ($id, $projectId, $action, $resourceId, $state, $fields)`,
    ),
    updateRequest: run('UPDATE change_request SET state = $state, fields = $fields WHERE id = $id'),
  };
}
