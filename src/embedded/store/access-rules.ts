/** Queries on the access rules of a flag: the level of a role, of a member, or of everyone. */

import type { SqlDatabase } from './database.ts';

/** Without role and member: everyone. */
interface RuleSubject {
  readonly flagId: number;
  readonly roleId: string | null;
  readonly memberId: string | null;
}

export interface StoredRule extends RuleSubject {
  readonly level: string;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface AccessRuleStore {
  /** In the order of creation. */
  list(flagId: number): StoredRule[];
  /** Adds the subject's rule, or changes its level. */
  put(subject: RuleSubject, level: string, time: string): StoredRule;
  /** Does nothing where there is no rule. */
  remove(subject: RuleSubject): void;
}

const RULE =
  'flag_id AS flagId, role_id AS roleId, member_id AS memberId, level, created_at AS createdAt, updated_at AS updatedAt';

export function createAccessRuleStore(database: SqlDatabase): AccessRuleStore {
  const list = database.prepare(`SELECT ${RULE} FROM access_rule WHERE flag_id = ? ORDER BY id`);
  const put = database.prepare(
    `INSERT INTO access_rule (flag_id, role_id, member_id, level, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (flag_id, ifnull(role_id, ''), ifnull(member_id, ''))
     DO UPDATE SET level = excluded.level, updated_at = excluded.updated_at
     RETURNING ${RULE}`,
  );
  const remove = database.prepare('DELETE FROM access_rule WHERE flag_id = ? AND role_id IS ? AND member_id IS ?');
  return {
    list: (flagId) => list.all([flagId]) as StoredRule[],
    put: ({ flagId, roleId, memberId }, level, time) =>
      put.get([flagId, roleId, memberId, level, time, time]) as StoredRule,
    remove: ({ flagId, roleId, memberId }) => void remove.run([flagId, roleId, memberId]),
  };
}
