/** Counts the persons with each property, and with each value of one. */

import type { SqlDatabase } from './database.ts';

interface NamedCount {
  readonly name: string;
  readonly count: number;
}

export interface PropertyCounts {
  /** All properties of persons, most common first. */
  keys(projectId: string): NamedCount[];
  /** The values of a property that contain a string in any case, most common first, at most `limit`; not null and not empty. */
  values(
    projectId: string,
    wanted: { readonly key: string; readonly part: string; readonly limit: number },
  ): NamedCount[];
}

export function createPropertyCounts(database: SqlDatabase): PropertyCounts {
  const keys = database.prepare(
    `SELECT property.key AS name, count(*) AS count FROM person, json_each(person.properties) AS property
     WHERE project_id = ? GROUP BY property.key ORDER BY count DESC, name`,
  );
  // A list or an object is one value, as JSON; so are the strings that look the same.
  const values = database.prepare(
    `WITH found AS (
       SELECT CASE property.type WHEN 'true' THEN 'true' WHEN 'false' THEN 'false'
         ELSE CAST(property.value AS TEXT) END AS name
       FROM person, json_each(person.properties) AS property
       WHERE project_id = ? AND property.key = ? AND property.type <> 'null'
     )
     SELECT name, count(*) AS count FROM found
     WHERE name <> '' AND (instr(lower(name), lower(?)) > 0 OR ? = '')
     GROUP BY name ORDER BY count DESC, name LIMIT ?`,
  );
  return {
    keys: (projectId) => (keys.all([projectId]) as NamedCount[]).map(plain),
    values: (projectId, { key, part, limit }) =>
      (values.all([projectId, key, part, part, limit]) as NamedCount[]).map(plain),
  };
}

function plain({ name, count }: NamedCount): NamedCount {
  return { name, count };
}
