/** The published schemas, joined from their parts as the build joins them; `test/architecture/schema-parts.test.ts` compares the files with them. */

import { SCHEMAS } from '../../schemas/index.ts';

/** What a file has for its readers, who know its type. `name`: `manifest`, `config` … */
export function readSchema(name: string) {
  const schema = SCHEMAS.get(name);
  if (schema === undefined) throw new Error(`There is no schema ${name}.`);
  return JSON.parse(JSON.stringify(schema));
}
