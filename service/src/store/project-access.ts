/** Queries on the access rules of a project: for the project itself, and for all objects of one kind. */

import type { SqlDatabase } from './database.ts';

/** A subject without role and member is everyone. */
interface ProjectRuleSubject {
  readonly projectId: string;
  /** `project`, or the kind of the objects. */
  readonly resource: string;
  readonly roleId: string | null;
  readonly memberId: string | null;
}

export interface StoredProjectRule extends ProjectRuleSubject {
  readonly level: string;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface ProjectAccessStore {
  /** The rules of all resources, in the order of creation. */
  list(projectId: string): StoredProjectRule[];
  /** Adds the subject's rule, or changes its level. */
  put(subject: ProjectRuleSubject, level: string, time: string): StoredProjectRule;
  /** Does nothing where there is no rule. */
  remove(subject: ProjectRuleSubject): void;
}

const RULE = `project_id AS projectId, resource, role_id AS roleId, member_id AS memberId, level,
  created_at AS createdAt, updated_at AS updatedAt`;

export function createProjectAccessStore(database: SqlDatabase): ProjectAccessStore {
  const list = database.prepare(`SELECT ${RULE} FROM project_access_rule WHERE project_id = ? ORDER BY id`);
  const put = database.prepare(
    `INSERT INTO project_access_rule (project_id, resource, role_id, member_id, level, created_at, updated_at)
     VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (project_id, resource, ifnull(role_id, ''), ifnull(member_id, ''))
     DO UPDATE SET level = excluded.level, updated_at = excluded.updated_at
     RETURNING ${RULE}`,
  );
  const remove = database.prepare(
    'DELETE FROM project_access_rule WHERE project_id = ? AND resource = ? AND role_id IS ? AND member_id IS ?',
  );
  return {
    list: (projectId) => list.all([projectId]) as StoredProjectRule[],
    put: ({ projectId, resource, roleId, memberId }, level, time) =>
      put.get([projectId, resource, roleId, memberId, level, time, time]) as StoredProjectRule,
    remove: ({ projectId, resource, roleId, memberId }) => void remove.run([projectId, resource, roleId, memberId]),
  };
}
