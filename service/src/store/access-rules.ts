/** Queries on access rules, by flag and by subject: the level of a role, of a member, or of everyone. */

import type { SqlDatabase } from './database.ts';

/** Without role and member: everyone. */
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
  /** In the order of creation. */
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

const RULE =
  'flag_id AS flagId, role_id AS roleId, member_id AS memberId, level, managed_by AS managedBy, created_at AS createdAt, updated_at AS updatedAt';

export function createAccessRuleStore(database: SqlDatabase): AccessRuleStore {
  const list = database.prepare(`SELECT ${RULE} FROM access_rule WHERE flag_id = ? ORDER BY id`);
  const flags = database.prepare(
    `SELECT flag.id AS id, flag.key AS key, level FROM access_rule JOIN flag ON flag.id = access_rule.flag_id
     WHERE flag.project_id = ? AND NOT flag.deleted AND role_id IS ? AND member_id IS ? ORDER BY flag.key`,
  );
  const put = database.prepare(
    `INSERT INTO access_rule (flag_id, role_id, member_id, level, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (flag_id, ifnull(role_id, ''), ifnull(member_id, ''))
     DO UPDATE SET level = excluded.level, updated_at = excluded.updated_at
     RETURNING ${RULE}`,
  );
  const remove = database.prepare('DELETE FROM access_rule WHERE flag_id = ? AND role_id IS ? AND member_id IS ?');
  const claim = database.prepare(
    'UPDATE access_rule SET managed_by = ? WHERE flag_id = ? AND role_id IS ? AND member_id IS ?',
  );
  const locked = database.prepare('SELECT project_id FROM locked_project WHERE project_id = ?');
  const lock = database.prepare('INSERT INTO locked_project (project_id) VALUES (?) ON CONFLICT DO NOTHING');
  const unlock = database.prepare('DELETE FROM locked_project WHERE project_id = ?');
  const managed = database.prepare(
    `SELECT 1 AS found FROM access_rule JOIN flag ON flag.id = access_rule.flag_id
     WHERE flag.project_id = ? AND managed_by IS NOT NULL LIMIT 1`,
  );
  return {
    list: (flagId) => list.all([flagId]) as StoredRule[],
    listFlags: (projectId, { roleId, memberId }) =>
      (flags.all([projectId, roleId, memberId]) as RuledFlag[]).map(({ id, key, level }) => ({ id, key, level })),
    put: ({ flagId, roleId, memberId }, level, time) =>
      put.get([flagId, roleId, memberId, level, time, time]) as StoredRule,
    remove: ({ flagId, roleId, memberId }) => void remove.run([flagId, roleId, memberId]),
    claim: ({ flagId, roleId, memberId }, managedBy) => void claim.run([managedBy, flagId, roleId, memberId]),
    isLocked: (projectId) => locked.all([projectId]).length > 0,
    setLock: (projectId, isLocked) => void (isLocked ? lock : unlock).run([projectId]),
    hasManaged: (projectId) => managed.all([projectId]).length > 0,
  };
}
