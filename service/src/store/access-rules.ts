/** Queries on access rules, by flag and by subject: the level of a role, of a member, or of everyone. */

import type { SqlDatabase } from './database.ts';

/** A rule without role and member is for everyone. */
interface RuleSubject {
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
}

const RULE =
  'flag_id AS flagId, role_id AS roleId, member_id AS memberId, level, created_at AS createdAt, updated_at AS updatedAt';

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
  return {
    list: (flagId) => list.all([flagId]) as StoredRule[],
    listFlags: (projectId, { roleId, memberId }) =>
      (flags.all([projectId, roleId, memberId]) as RuledFlag[]).map(({ id, key, level }) => ({ id, key, level })),
    put: ({ flagId, roleId, memberId }, level, time) =>
      put.get([flagId, roleId, memberId, level, time, time]) as StoredRule,
    remove: ({ flagId, roleId, memberId }) => void remove.run([flagId, roleId, memberId]),
  };
}
