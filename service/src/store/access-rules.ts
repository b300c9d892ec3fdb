/** Queries on access rules of flags, of the project itself and of all objects of a kind: the level of a role, of a member, or of everyone. */

import type { SqlDatabase } from './database.ts';

/** A rule without role and member is for everyone. */
export interface RuleSubject {
  readonly flagId: number;
  readonly roleId: string | null;
  readonly memberId: string | null;
}

/** A flag with the level that one subject has. */
export interface RuledFlag {
  readonly id: number;
  readonly key: string;
  readonly level: string;
}

export interface StoredRule extends RuleSubject {
  readonly level: string;
  /** The program that manages it, `terraform`. */
  readonly managedBy: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface AccessRuleStore {
  /** Sorted by creation. */
  list(flagId: number): StoredRule[];
  /** The flags of the project, without deleted ones, for which the subject has a rule; sorted by key. */
  listFlags(projectId: string, subject: Omit<RuleSubject, 'flagId'>): RuledFlag[];
  /** Adds the subject's rule, or changes its level. */
  put(subject: RuleSubject, level: string, time: string): StoredRule;
  /** Does nothing where there is no rule. */
  remove(subject: RuleSubject): void;
  /** Notes which program manages the subject's rule. */
  claim(subject: RuleSubject, managedBy: string): void;
  /** Whether only the program that manages a rule of the project may change it. */
  isLocked(projectId: string): boolean;
  setLock(projectId: string, isLocked: boolean): void;
  /** Whether a program manages any rule of the project. */
  hasManaged(projectId: string): boolean;
}

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

const RULE = `flag_id AS flagId, role_id AS roleId, member_id AS memberId, level, managed_by AS managedBy,
  created_at AS createdAt, updated_at AS updatedAt`;
const PROJECT_RULE = `project_id AS projectId, resource, role_id AS roleId, member_id AS memberId, level,
  created_at AS createdAt, updated_at AS updatedAt`;
const OF_SUBJECT = 'role_id IS $roleId AND member_id IS $memberId';

export function createAccessRuleStore({ all, get, has, run }: SqlDatabase): AccessRuleStore {
  const flags = all<RuledFlag>(
    `SELECT flag.id AS id, flag.key AS key, level FROM access_rule JOIN flag ON flag.id = access_rule.flag_id
     WHERE flag.project_id = $projectId AND NOT flag.deleted AND ${OF_SUBJECT} ORDER BY flag.key`,
  );
  const put = get<StoredRule>(
    `INSERT INTO access_rule (flag_id, role_id, member_id, level, created_at, updated_at)
     VALUES ($flagId, $roleId, $memberId, $level, $time, $time)
     ON CONFLICT (flag_id, ifnull(role_id, ''), ifnull(member_id, ''))
     DO UPDATE SET level = excluded.level, updated_at = excluded.updated_at
     RETURNING ${RULE}`,
  );
  const claim = run(`UPDATE access_rule SET managed_by = $managedBy WHERE flag_id = $flagId AND ${OF_SUBJECT}`);
  const lock = run('INSERT INTO locked_project (project_id) VALUES (?) ON CONFLICT DO NOTHING');
  const unlock = run('DELETE FROM locked_project WHERE project_id = ?');
  return {
    list: all<StoredRule>(`SELECT ${RULE} FROM access_rule WHERE flag_id = ? ORDER BY id`),
    listFlags: (projectId, subject) => flags({ ...subject, projectId }),
    put: (subject, level, time) => put({ ...subject, level, time }) as StoredRule,
    remove: run(`DELETE FROM access_rule WHERE flag_id = $flagId AND ${OF_SUBJECT}`),
    claim: (subject, managedBy) => claim({ ...subject, managedBy }),
    isLocked: has('SELECT project_id FROM locked_project WHERE project_id = ?'),
    setLock: (projectId, isLocked) => (isLocked ? lock : unlock)(projectId),
    hasManaged: has(
      `SELECT 1 AS found FROM access_rule JOIN flag ON flag.id = access_rule.flag_id
       WHERE flag.project_id = ? AND managed_by IS NOT NULL LIMIT 1`,
    ),
  };
}

export function createProjectAccessStore({ all, get, run }: SqlDatabase): ProjectAccessStore {
  const put = get<StoredProjectRule>(
    `INSERT INTO project_access_rule (project_id, resource, role_id, member_id, level, created_at, updated_at)
     VALUES ($projectId, $resource, $roleId, $memberId, $level, $time, $time)
     ON CONFLICT (project_id, resource, ifnull(role_id, ''), ifnull(member_id, ''))
     DO UPDATE SET level = excluded.level, updated_at = excluded.updated_at
     RETURNING ${PROJECT_RULE}`,
  );
  return {
    list: all<StoredProjectRule>(`SELECT ${PROJECT_RULE} FROM project_access_rule WHERE project_id = ? ORDER BY id`),
    put: (subject, level, time) => put({ ...subject, level, time }) as StoredProjectRule,
    remove: run(
      `DELETE FROM project_access_rule WHERE project_id = $projectId AND resource = $resource AND ${OF_SUBJECT}`,
    ),
  };
}
