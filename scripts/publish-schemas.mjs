// Joins the schemas of schemas/ to the files that are published, schemas/*.schema.json.

import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

/** Writes all files anew, so that none stays of a schema that is gone. */
export async function publishSchemas(root) {
  const folder = join(root, 'schemas');
  const schemas = await joinSchemas(root);
  for (const file of readdirSync(folder)) if (file.endsWith('.schema.json')) rmSync(join(folder, file));
  for (const [name, schema] of schemas) {
    writeFileSync(join(folder, `${name}.schema.json`), `${JSON.stringify(schema)}\n`);
  }
}

/** The schemas by name. They are written in TypeScript, which not every supported Node runs by itself. */
async function joinSchemas(root) {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: ['schemas/index.ts'],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
  });
  const { SCHEMAS } = await import(
    `data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`
  );
  return SCHEMAS;
}
