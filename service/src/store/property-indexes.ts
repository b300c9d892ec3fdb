/** Creates an index on a person property when it is first filtered by, since most properties never are. */

import type { SqlDatabase } from './database.ts';
import type { PropertyTerm } from './property-terms.ts';

export interface PropertyIndexes {
  /** The index for the most selective term; `undefined` if there is none. */
  indexFor(terms: readonly PropertyTerm[]): string | undefined;
}

/** Each index slows writes down a little, so their number is limited. */
const MAX_INDEXES = 32;
const PREFIX = 'person_property_';

export function createPropertyIndexes(database: SqlDatabase): PropertyIndexes {
  const stored = database.prepare(`SELECT name, sql FROM sqlite_master WHERE type = 'index' AND name GLOB ?`);
  const known = new Map(
    (stored.all([`${PREFIX}*`]) as { name: string; sql: string }[]).map(({ name, sql }) => [sql, name]),
  );
  return {
    indexFor: (terms) => {
      const term = terms.find(({ isEquality }) => isEquality) ?? terms[0];
      if (term === undefined) return undefined;
      const columns = `(project_id, ${term.expression}, created_order DESC, id DESC)`;
      const number = known.size + 1;
      const existing = [...known].find(([sql]) => sql.endsWith(columns))?.[1];
      if (existing !== undefined || number > MAX_INDEXES) return existing;
      const name = `${PREFIX}${number}`;
      const sql = `CREATE INDEX ${name} ON person ${columns}`;
      database.exec(sql);
      known.set(sql, name);
      return name;
    },
  };
}
